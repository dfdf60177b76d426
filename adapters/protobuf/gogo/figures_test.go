package gogo

import (
	"flag"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/VictoriaMetrics/easyproto"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/internal/testkit"
	"github.com/ebbpool/arena/internal/testkit/turns"
)

var update = flag.Bool("update", false, "measure, and write the figures to docs/generated/protobuf.md")

// easySeries is a series of remote write 1 or 2 for easyproto, which programs write by hand.
type easySeries struct {
	labels   []easyLabel
	refs     []uint32
	samples  []easySample
	metadata easyMetadata
}

type (
	easyLabel  struct{ name, value string }
	easySample struct {
		value float64
		time  int64
	}
	easyMetadata struct{ kind int32 }
)

// An easyRequest is a request of remote write 1 or 2. Its strings alias the document. Each method has the loop of
// easyproto's documentation: an iterator over the fields would be shorter, but takes 1.7 times as long.
type easyRequest struct {
	symbols []string
	series  []easySeries
}

var easyRequests = sync.Pool{New: func() any { return new(easyRequest) }}

// more returns s with one more element, which keeps the slices that it had.
func more[T any](s []T) []T {
	if len(s) < cap(s) {
		return s[:len(s)+1]
	}
	var zero T
	return append(s, zero)
}

func (r *easyRequest) unmarshal(src []byte, symbols, series uint32) (ok bool) {
	r.symbols, r.series = r.symbols[:0], r.series[:0]
	var fc easyproto.FieldContext
	for ok = true; ok && len(src) > 0; {
		var err error
		if src, err = fc.NextField(src); err != nil {
			return false
		}
		switch fc.FieldNum {
		case symbols:
			var s string
			s, ok = fc.String()
			r.symbols = append(r.symbols, s)
		case series:
			var data []byte
			data, ok = fc.MessageData()
			r.series = more(r.series)
			ok = ok && r.series[len(r.series)-1].unmarshal(data, symbols != 0)
		}
	}
	return ok
}

func (s *easySeries) unmarshal(src []byte, second bool) (ok bool) {
	s.labels, s.refs, s.samples = s.labels[:0], s.refs[:0], s.samples[:0]
	var fc easyproto.FieldContext
	for ok = true; ok && len(src) > 0; {
		var err error
		if src, err = fc.NextField(src); err != nil {
			return false
		}
		if second && fc.FieldNum == 1 {
			s.refs, ok = fc.UnpackUint32s(s.refs)
			continue
		}
		data, is := fc.MessageData()
		switch fc.FieldNum {
		case 1:
			s.labels = more(s.labels)
			ok = is && s.labels[len(s.labels)-1].unmarshal(data)
		case 2:
			s.samples = more(s.samples)
			ok = is && s.samples[len(s.samples)-1].unmarshal(data)
		case 5:
			ok = is && s.metadata.unmarshal(data)
		}
	}
	return ok
}

func (l *easyLabel) unmarshal(src []byte) (ok bool) {
	var fc easyproto.FieldContext
	for ok = true; ok && len(src) > 0; {
		var err error
		if src, err = fc.NextField(src); err != nil {
			return false
		}
		if fc.FieldNum == 1 {
			l.name, ok = fc.String()
		} else {
			l.value, ok = fc.String()
		}
	}
	return ok
}

func (s *easySample) unmarshal(src []byte) (ok bool) {
	var fc easyproto.FieldContext
	for ok = true; ok && len(src) > 0; {
		var err error
		if src, err = fc.NextField(src); err != nil {
			return false
		}
		if fc.FieldNum == 1 {
			s.value, ok = fc.Double()
		} else {
			s.time, ok = fc.Int64()
		}
	}
	return ok
}

func (m *easyMetadata) unmarshal(src []byte) (ok bool) {
	var fc easyproto.FieldContext
	for ok = true; ok && len(src) > 0; {
		var err error
		if src, err = fc.NextField(src); err != nil {
			return false
		}
		m.kind, ok = fc.Int32()
	}
	return ok
}

// TestFigures writes a table of the services' messages beside gogo's Unmarshal and easyproto with a pool.
func TestFigures(t *testing.T) {
	if !*update {
		t.Skip("without -update")
	}
	table := "| message | bytes | arenapb, µs | allocations | gogo's Unmarshal | its allocations | easyproto with a pool |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
	for _, name := range slices.Sorted(maps.Keys(services)) {
		m := services[name]()
		doc := document(t, m)
		typ := reflect.TypeOf(m).Elem()
		a, to := arena.NewArena(1<<20, 0), reflect.New(typ).Interface()
		ours := func() {
			if err := arenapb.UnmarshalStruct(a, doc, to); err != nil {
				t.Fatal(err)
			}
			a.Reset()
		}
		theirs := func() {
			if err := reflect.New(typ).Interface().(interface{ Unmarshal([]byte) error }).Unmarshal(doc); err != nil {
				t.Fatal(err)
			}
		}
		numbers := map[string][2]uint32{"remote write": {0, 1}, "remote write 2": {4, 5}}[name]
		easy := func() {
			r := easyRequests.Get().(*easyRequest)
			if !r.unmarshal(doc, numbers[0], numbers[1]) || len(r.series) != 300 {
				t.Fatal("easyproto reads something else")
			}
			easyRequests.Put(r)
		}
		for range 300 {
			ours()
		}
		n := 1 + 10_000_000/len(doc) // about 25 ms
		timed := func(f func()) func() float64 {
			return func() float64 {
				start := turns.ProcessorTime()
				for range n {
					f()
				}
				return float64((turns.ProcessorTime() - start).Nanoseconds()) / float64(n) / 1e3
			}
		}
		measure := []func() float64{timed(ours), timed(theirs)}
		if numbers[1] != 0 {
			measure = append(measure, timed(easy))
		}
		values := turns.Run(11, measure...)
		ratio := func(i int) string {
			if i >= len(values) {
				return ""
			}
			var all []float64
			for round, v := range values[i] {
				all = append(all, v/values[0][round])
			}
			s := turns.Of(all)
			return fmt.Sprintf("%.2f (%.2f–%.2f)", s.Median, s.Least, s.Most)
		}
		table += fmt.Sprintf("| %s | %d | %.2f | %.0f | %s | %.0f | %s |\n", name, len(doc), turns.Of(values[0]).Median,
			testing.AllocsPerRun(100, ours), ratio(1), testing.AllocsPerRun(100, theirs), ratio(2))
	}
	t.Log("\n" + table)
	testkit.Table(t, "../../../docs/generated/protobuf.md", "structs", table, true)
}
