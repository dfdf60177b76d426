package jsonbench

import (
	"bytes"
	"encoding/json"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/lab/corpora"
)

// Names of operations and their tables.
const (
	decodeArena = "decode"
	decodeAny   = "decode into any"
	decodeHeap  = "decode, nil arena"
	encode      = "encode"

	// decodeAfter and streamAfter decode a document after all others, into the same arena, as a pool's arenas
	// do that serve all requests of a program.
	decodeAfter = "decode, after all others"
	streamAfter = "decode a stream, after all others"

	stream = "decode a stream" // of a thousand copies of the document
)

// smallest is the document of tests that use only one.
const smallest = "request"

// isShared reports whether a document has rows of decodeAfter. For large documents the cost of other types is
// negligible.
func isShared(d document) bool {
	return slices.Contains([]string{smallest, "small", "integers", "map_1000", "podlist"}, d.Name)
}

// inStream is the number of documents in a stream.
const inStream = 1000

// live is the number of live objects in additional rows of some documents.
const live = 1_000_000

// document is decoded and encoded.
type document struct {
	corpora.Corpus
	text  []byte
	value any // the decoded value
}

func documents(t testing.TB) (all []document) {
	for _, c := range corpora.All {
		text, err := c.Read()
		if err != nil {
			t.Fatal(err)
		}
		d := document{c, text, c.New()}
		if err := json.Unmarshal(text, d.value); err != nil {
			t.Fatal(err)
		}
		all = append(all, d)
	}
	return all
}

// exchanged returns the documents of Webs, encoded by encoding/json.
func exchanged(t testing.TB) (all []document) {
	for _, w := range Webs() {
		text, err := json.Marshal(w.Value)
		v := w.New()
		if err == nil {
			err = json.Unmarshal(text, v)
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, document{corpora.Corpus{Name: w.Name, New: w.New}, text, v})
	}
	return all
}

// work returns a function in which codec c runs op once on d, in a. It returns nil if c does not support the
// operation or gives a wrong result.
func (c Codec) work(t testing.TB, op string, d document, a *arena.Arena) func() {
	newValue := d.New
	switch {
	case op == decodeHeap && c.Name != Ours && c.Name != standard, op == decodeAny && c.Types != nil, op == encode && c.Encode == nil:
		return nil
	case op == decodeAny:
		newValue = func() any { return new(any) }
	case c.Types != nil && c.Types[d.Name] == nil:
		return nil
	case c.Types != nil:
		newValue = c.Types[d.Name]
	}
	if op == decodeHeap {
		a = nil
	}
	want, v := newValue(), newValue()
	if err := json.Unmarshal(d.text, want); err != nil {
		t.Fatal(err)
	}
	if op == encode {
		text, err := c.Encode(a, want)
		if err == nil {
			err = json.Unmarshal(text, v)
		}
		if err != nil || !same(v, want) {
			t.Logf("%s does not %s %s: %v", c.Name, op, d.Name, err)
			return nil
		}
		return func() {
			if _, err := c.Encode(a, want); err != nil {
				t.Fatal(err)
			}
			a.Reset()
		}
	}
	if err := c.Decode(a, d.text, v); err != nil || !same(v, want) {
		t.Logf("%s does not %s %s: %v", c.Name, op, d.Name, err)
		return nil
	}
	zero := reflect.Zero(reflect.TypeOf(v).Elem())
	if op == stream || op == streamAfter {
		if c.Stream == nil {
			return nil
		}
		text := bytes.Repeat(append(slices.Clip(d.text), '\n'), inStream)
		return func() {
			n := 0
			for in := c.Stream(a, bytes.NewReader(text)); in.More(); n++ {
				reflect.ValueOf(v).Elem().Set(zero)
				if err := in.Decode(v); err != nil {
					t.Fatal(err)
				}
				a.Reset()
			}
			if n != inStream {
				t.Fatal(c.Name, "reads", n, "documents of a stream")
			}
		}
	}
	return func() {
		// Decode into a zero value, because existing memory would be reused.
		reflect.ValueOf(v).Elem().Set(zero)
		if err := c.Decode(a, d.text, v); err != nil {
			t.Fatal(err)
		}
		if a != nil {
			a.Reset()
		}
	}
}

// same reports whether two values are encoded alike by encoding/json.
func same(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// BenchmarkJSON has a benchmark for each operation, document and codec. It measures processor time of all
// threads, including the collector's.
func BenchmarkJSON(b *testing.B) {
	all := documents(b)
	for _, op := range []string{decodeArena, decodeAny, decodeHeap, encode} {
		for _, d := range all {
			run(b, op, d, "0", nil)
		}
	}
	kinds := made(b)
	for _, op := range []string{decodeArena, encode} {
		for _, d := range kinds {
			run(b, op, d, "0", nil)
		}
	}
	for _, op := range []string{decodeArena, decodeAny, encode} {
		for _, d := range exchanged(b) {
			runAs(b, op+", of services", op, d, "0", nil)
		}
	}
	every := slices.Concat(all, kinds)
	for _, d := range every {
		if isShared(d) {
			run(b, decodeAfter, d, "0", every)
		}
		if d.Name == smallest || d.Name == "small" {
			run(b, stream, d, "0", nil)
			run(b, streamAfter, d, "0", every)
		}
	}
	objects := alive(live)
	for _, op := range []string{decodeArena, encode} {
		for _, d := range all {
			if d.Name == smallest || d.Name == "twitter" {
				run(b, op, d, "1000000", nil)
			}
		}
	}
	runtime.KeepAlive(objects)
}

// run benchmarks op on d with each codec, after it has decoded the others.
func run(b *testing.B, op string, d document, live string, others []document) {
	runAs(b, op, op, d, live, others)
}

// runAs is run for a table with another name.
func runAs(b *testing.B, table, op string, d document, live string, others []document) {
	b.Run("op="+table+"/doc="+d.Name+"/live="+live, func(b *testing.B) {
		for _, c := range Codecs() {
			a := arena.NewArena(1<<20, 256<<20) // retains enough for the largest document
			once := c.work(b, op, d, a)
			if once == nil {
				continue
			}
			b.Run("codec="+c.Name, func(b *testing.B) {
				for _, other := range others {
					if do := c.work(b, decodeArena, other, a); do != nil && other.Name != d.Name {
						do()
						do()
					}
				}
				once()
				b.ReportAllocs()
				runtime.GC()
				from, n := time.Duration(0), 0
				for b.Loop() {
					if n == 0 {
						from = processorTime()
					}
					once()
					n++
				}
				spent := float64(processorTime() - from)
				b.ReportMetric(spent/float64(n), "ns/op")
				size := len(d.text)
				switch op {
				case stream, streamAfter:
					size = inStream * (size + 1)
				case encode:
					text, err := json.Marshal(d.value)
					if err != nil {
						b.Fatal(err)
					}
					size = len(text)
				}
				b.ReportMetric(float64(size*n)/spent*1e3, "MB/s")
			})
		}
	})
}

type object struct {
	next  *object
	value [3]int
}

// alive returns n objects that point to each other.
func alive(n int) []*object {
	objects := make([]*object, n)
	for i := range objects {
		objects[i] = &object{value: [3]int{i}}
		objects[i].next = objects[(i*7919+1)%(i+1)]
	}
	return objects
}

// On the small document, every codec gives the result of encoding/json in every operation, twice. Ours does
// so on all documents, except for streams.
func TestCodecs(t *testing.T) {
	for _, d := range slices.Concat(documents(t), exchanged(t)) {
		for _, op := range []string{decodeArena, decodeAny, encode, stream} {
			for _, c := range Codecs() {
				if d.Name != smallest && (c.Name != Ours || op == stream) {
					continue
				}
				once := c.work(t, op, d, arena.NewArena(1<<20, 0))
				if once == nil && (c.Types == nil || op != decodeAny && c.Types[d.Name] != nil) && (c.Stream != nil || op != stream) {
					t.Errorf("%s does not %s", c.Name, op)
				}
				for range 2 {
					if once != nil {
						once()
					}
				}
			}
		}
	}
}
