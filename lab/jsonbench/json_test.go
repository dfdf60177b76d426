package jsonbench

import (
	"encoding/json"
	"io"
	"os"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/corpora"
)

// Operations, by the names of their tables.
const (
	decodeArena = "decode"
	decodeAny   = "decode into any"
	decodeHeap  = "decode, nil arena"
	encode      = "encode"

	// decodeAfter is of a small document by what has decoded all the others before, as the
	// arenas of a pool have that serves all of a program's requests.
	decodeAfter = "decode, after all others"
)

// smallest is the document of decodeAfter. Beside a large one nobody would see what the
// types of other documents cost.
const smallest = "request"

// live is how many objects live beside some documents in rows of their own.
const live = 1_000_000

// document is one that is decoded and encoded.
type document struct {
	corpora.Corpus
	text  []byte
	value any // of it
}

func documents(t testing.TB) (all []document) {
	for _, c := range corpora.All {
		text, err := c.Read(func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) })
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

// work returns what codec c does with d once, and the value that it decodes into; nil if it is
// not made for that, or does it wrong.
func (c Codec) work(t testing.TB, op string, d document) func() {
	newValue := d.New
	switch {
	case op == decodeHeap && c.Name != Ours && c.Name != standard, op == decodeAny && c.Types != nil, op == decodeAfter && d.Name != smallest && d.Name != "small":
		return nil
	case op == decodeAny:
		newValue = func() any { return new(any) }
	case c.Types != nil && c.Types[d.Name] == nil:
		return nil
	case c.Types != nil:
		newValue = c.Types[d.Name]
	}
	var a *arena.Arena
	if op != decodeHeap {
		a = arena.NewArena(1<<20, 256<<20) // with room for the largest document, which it keeps
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
	return func() {
		// What was decoded before must not be decoded into: it would be reused.
		reflect.ValueOf(v).Elem().Set(zero)
		if err := c.Decode(a, d.text, v); err != nil {
			t.Fatal(err)
		}
		if a != nil {
			a.Reset()
		}
	}
}

// same reports whether two values are the same, as encoding/json writes them.
func same(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// BenchmarkJSON has a benchmark for each operation, document and codec. Its time is
// processor time of all threads, the collector's included. LAB_CODECS=standard leaves out
// what does not come with Go.
func BenchmarkJSON(b *testing.B) {
	all := documents(b)
	for _, op := range []string{decodeArena, decodeAny, decodeHeap, decodeAfter, encode} {
		for _, d := range all {
			run(b, op, d, "0", all)
		}
	}
	for _, d := range made(b) {
		for _, op := range []string{decodeArena, decodeAfter, encode} {
			run(b, op, d, "0", all)
		}
	}
	objects := alive(live)
	for _, op := range []string{decodeArena, encode} {
		for _, d := range all {
			if d.Name == smallest || d.Name == "twitter" {
				run(b, op, d, "1000000", all)
			}
		}
	}
	runtime.KeepAlive(objects)
}

func run(b *testing.B, op string, d document, live string, all []document) {
	codecs := Codecs()
	if os.Getenv("LAB_CODECS") == "standard" {
		codecs = slices.DeleteFunc(codecs, func(c Codec) bool { return c.Name != Ours && c.Name != standard && c.Name != v2.Name })
	}
	b.Run("op="+op+"/doc="+d.Name+"/live="+live, func(b *testing.B) {
		for _, c := range codecs {
			once := c.work(b, op, d)
			if once == nil {
				continue
			}
			b.Run("codec="+c.Name, func(b *testing.B) {
				if op == decodeAfter {
					for _, other := range all {
						if do := c.work(b, decodeArena, other); do != nil && other.Name != d.Name {
							do()
							do()
						}
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
				if op == encode {
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

// alive makes n objects that point to each other.
func alive(n int) []*object {
	objects := make([]*object, n)
	for i := range objects {
		objects[i] = &object{value: [3]int{i}}
		objects[i].next = objects[(i*7919+1)%(i+1)]
	}
	return objects
}

// Every codec does every operation on the small document as encoding/json does, and again.
func TestCodecs(t *testing.T) {
	for _, d := range documents(t) {
		if d.Name != smallest {
			continue
		}
		for _, op := range []string{decodeArena, decodeAny, encode} {
			for _, c := range Codecs() {
				once := c.work(t, op, d)
				if once == nil && (c.Types == nil || op != decodeAny) {
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
