package jsonbench

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"reflect"
	"runtime"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/corpora"
	"github.com/ebbpool/arena/lab/ratios"
)

// Units of the rows.
const (
	Time   = "ns/op" // processor time, the collector's included
	Allocs = "allocs/op"
	Size   = "bytes" // of the document
)

// Operations.
const (
	Decode     = "Decode"
	DecodeAny  = "DecodeAny"  // into an any
	DecodeHeap = "DecodeHeap" // with no arena
	Encode     = "Encode"

	// DecodeAfter is Decode of a small document by what has decoded all the others
	// before, as the arenas of a pool have that serves all of a program's requests.
	DecodeAfter = "DecodeAfter"
)

// Name is what a cell's rows are called.
func Name(op, corpus, codec string, live int) string {
	return fmt.Sprintf("%s/corpus=%s/live=%d/codec=%s", op, corpus, live, codec)
}

// Plan is what to measure.
type Plan struct {
	Rounds   int
	Least    time.Duration // how long one measurement takes at least
	Corpora  []string      // none: all of them
	Codecs   []string      // none: all of them
	Live     int           // how many objects live beside the corpora of LiveWith, in rows of their own
	LiveWith []string
	Log      func(format string, args ...any)
}

// LiveObjects is how many objects live while the rows of LiveWith are measured.
const LiveObjects = 1_000_000

// smallest is the document of DecodeAfter. Beside a large one nobody would see what
// the types of other documents cost.
const smallest = "request"

// cell is one operation of one codec on one document.
type cell struct {
	name   string
	before func() error // each measurement; nil for nothing
	run    func() error // once
}

func unzip(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) }

// OfGo is rows that were measured in a program that another Go built, with its name
// at the codecs', so that they can stand beside others.
func OfGo(rows []ratios.Row, name string) []ratios.Row {
	for i := range rows {
		if rows[i].Unit != Size {
			rows[i].Name += ofGo + name
		}
	}
	return rows
}

const ofGo = ", "

// Run measures the plan, round by round, all codecs of a document one after the
// other in each.
func Run(ctx context.Context, p Plan) ([]ratios.Row, error) {
	cells, rows, err := p.cells(0, p.Corpora)
	if err != nil {
		return nil, err
	}
	beside, _, err := p.cells(p.Live, p.LiveWith)
	if err != nil {
		return nil, err
	}
	for round := 1; round <= p.Rounds; round++ {
		for _, c := range cells {
			if rows, err = p.measure(ctx, rows, round, c); err != nil {
				return rows, err
			}
		}
		if p.Live == 0 {
			continue
		}
		objects := alive(p.Live)
		for _, c := range beside {
			if rows, err = p.measure(ctx, rows, round, c); err != nil {
				return rows, err
			}
		}
		runtime.KeepAlive(objects)
	}
	return rows, nil
}

// cells are those of the named corpora, all of them for none, with the sizes of
// their documents. What a codec gets wrong, by the checksum, is no cell.
func (p Plan) cells(live int, names []string) ([]cell, []ratios.Row, error) {
	var cells []cell
	var sizes []ratios.Row
	for _, c := range corpora.All {
		if !wanted(names, c.Name) {
			continue
		}
		doc, err := c.Read(unzip)
		if err != nil {
			return nil, nil, err
		}
		v := c.New()
		if err := json.Unmarshal(doc, v); err != nil {
			return nil, nil, err
		}
		encoded, err := json.Marshal(v)
		if err != nil {
			return nil, nil, err
		}
		ops := []string{Decode, DecodeAny, DecodeHeap, Encode}
		if c.Name == smallest {
			ops = append(ops, DecodeAfter)
		}
		if live > 0 {
			ops = []string{Decode, Encode}
		}
		for _, op := range ops {
			size := len(doc)
			if op == Encode {
				size = len(encoded)
			}
			sizes = append(sizes, ratios.Row{Name: Name(op, c.Name, "", live), Unit: Size, Value: float64(size)})
			for _, k := range Codecs() {
				if !wanted(p.Codecs, k.Name) || !k.has(op, c) {
					continue
				}
				newValue := k.value(op, c)
				v, got := newValue(), newValue()
				if err := json.Unmarshal(doc, v); err != nil {
					return nil, nil, err
				}
				if err := once(k, op, doc, v, got); err != nil {
					p.Log("%s: %s of %s: %v: not measured", k.Name, op, c.Name, err)
					continue
				}
				if checksum(got) != checksum(v) {
					p.Log("%s: %s of %s: a wrong checksum: not measured", k.Name, op, c.Name)
					continue
				}
				a := arena.NewArena(chunk, retained)
				if op == DecodeHeap {
					a = nil
				}
				run := k.decoding(a, doc, newValue)
				if op == Encode {
					run = k.encoding(a, v)
				}
				one := cell{name: Name(op, c.Name, k.Name, live), run: run}
				if op == DecodeAfter {
					if one.before, err = k.others(a, c.Name); err != nil {
						return nil, nil, err
					}
				}
				cells = append(cells, one)
			}
		}
	}
	return cells, sizes, nil
}

func wanted(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return len(names) == 0
}

// once has k do op, and puts what came of it into got.
func once(k Codec, op string, doc []byte, v, got any) error {
	a := arena.NewArena(1<<20, 0)
	switch op {
	case DecodeHeap:
		return k.Decode(nil, doc, got)
	case Decode, DecodeAny, DecodeAfter:
		return k.Decode(a, doc, got) // got keeps what it needs of the arena alive
	}
	text, err := k.Encode(a, v)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, got)
}

// checksum is of what v holds, as encoding/json writes it.
func checksum(v any) uint64 {
	doc, err := json.Marshal(v)
	if err != nil {
		panic(err) // of a type of package corpora
	}
	h := fnv.New64a()
	h.Write(doc)
	return h.Sum64()
}

// Arenas have room for the largest document, and keep it.
const chunk, retained = 1 << 20, 256 << 20

func (k Codec) decoding(a *arena.Arena, doc []byte, newValue func() any) func() error {
	v := newValue()
	zero := reflect.Zero(reflect.TypeOf(v).Elem())
	return func() error {
		// What was decoded before must not be decoded into: it would be reused.
		reflect.ValueOf(v).Elem().Set(zero)
		err := k.Decode(a, doc, v)
		if a != nil {
			a.Reset()
		}
		return err
	}
}

// others decodes all documents but the one of that name, each as often as an arena
// has to see its like to keep something for it.
func (k Codec) others(a *arena.Arena, name string) (func() error, error) {
	var all []func() error
	for _, c := range corpora.All {
		if c.Name == name || !k.has(Decode, c) {
			continue
		}
		doc, err := c.Read(unzip)
		if err != nil {
			return nil, err
		}
		all = append(all, k.decoding(a, doc, k.value(Decode, c)))
	}
	return func() error {
		for _, decode := range all {
			for range 2 {
				if err := decode(); err != nil {
					return err
				}
			}
		}
		return nil
	}, nil
}

func (k Codec) encoding(a *arena.Arena, v any) func() error {
	return func() error {
		_, err := k.Encode(a, v)
		a.Reset()
		return err
	}
}

// measure runs a cell for as long as the plan says.
func (p Plan) measure(ctx context.Context, rows []ratios.Row, round int, c cell) ([]ratios.Row, error) {
	if err := ctx.Err(); err != nil {
		return rows, err
	}
	if c.before != nil {
		if err := c.before(); err != nil {
			return rows, fmt.Errorf("before %s: %w", c.name, err)
		}
	}
	for range 2 {
		if err := c.run(); err != nil {
			return rows, fmt.Errorf("%s: %w", c.name, err)
		}
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := 0
	from, begun := processorTime(), time.Now()
	for step := 1; time.Since(begun) < p.Least; step = min(2*step, 1000) {
		for range step {
			if err := c.run(); err != nil {
				return rows, fmt.Errorf("%s: %w", c.name, err)
			}
		}
		n += step
	}
	spent := processorTime() - from
	runtime.ReadMemStats(&after)
	return append(rows,
		ratios.Row{Round: round, Name: c.name, Unit: Time, Value: float64(spent) / float64(n)},
		ratios.Row{Round: round, Name: c.name, Unit: Allocs, Value: float64(after.Mallocs-before.Mallocs) / float64(n)}), nil
}

type object struct {
	next  *object
	value [3]int
}

// alive makes n objects that point to each other, and one more.
func alive(n int) []*object {
	objects := make([]*object, n)
	for i := range objects {
		objects[i] = &object{value: [3]int{i}}
		objects[i].next = objects[(i*7919+1)%(i+1)]
	}
	return objects
}
