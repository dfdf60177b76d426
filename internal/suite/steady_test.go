package suite

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

var (
	sinkText  = "a text of more than thirty-two bytes"
	sinkBytes = []byte(sinkText)
	sinkText2 string
	sinkTexts = []string{sinkText, "and", sinkText}

	sinkReader = bytes.NewReader(nil)
	steadyTime = time.Date(2024, 5, 6, 7, 8, 9, 10, time.UTC)
)

// An arena in steady state allocates nothing from the heap. Each row is a way to break that: an escaping
// value, a closure, an interface, a chunk that is dropped and allocated again.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	testkit.NeedsReuse(t)
	if check.Race || check.ASan {
		t.Skip("instrumentation allocates")
	}
	a := arena.NewArena(4096, 1<<20)
	long := arena.NewArena(4096, 0) // never reset, only rewound
	kept := arena.New[textPair](long)
	pool, auto := arena.NewArenaPool(4096, 1<<20), arena.NewAutoPool(1<<20)
	var s []uint64
	var p []*uint64
	one := new(uint64)
	request := func(a *arena.Arena) { mixedRequest(a) }

	tests := []struct {
		name string
		f    func()
	}{
		{"New flat", func() {
			for range 100 {
				*arena.New[uint64](a) = 1
				arena.New[flat24](a).a = 1
				arena.New[byte](a)
			}
			a.Reset()
		}},
		{"New large", func() {
			arena.New[[5000]byte](a)[0] = 1
			arena.New[[100]string](a)[0] = "x"
			a.Reset()
		}},
		{"New one type", func() {
			for range 200 {
				arena.New[textPair](a).a = "x"
			}
			a.Reset()
		}},
		{"New ten types", func() {
			mixedRequest(a)
			a.Reset()
		}},
		{"AllocatorFor", func() {
			flats, pairs := arena.AllocatorFor[flat24](a), arena.AllocatorFor[textPair](a)
			for range 200 {
				flats.New().a = 1
				pairs.New().a = "x"
			}
			a.Reset()
		}},
		{"MakeSlice", func() {
			for i := range 20 {
				arena.MakeSlice[uint32](a, i, 2*i)
				arena.MakeSliceUninit[byte](a, i, 2*i)
				arena.MakeSlice[string](a, i, 2*i)
			}
			arena.MakeSlice[uint64](a, 1000, 1000)
			arena.MakeSlice[any](a, 1000, 1000)
			a.Reset()
		}},
		{"Append one", func() {
			s, p = nil, nil
			for i := range uint64(500) {
				s = arena.Append(a, s, i)
				p = arena.Append(a, p, one)
			}
			a.Reset()
		}},
		{"Append two", func() {
			s, p = nil, nil
			for i := range uint64(300) {
				s = arena.Append(a, s, i, i)
				p = arena.Append(a, p, one, one)
			}
			a.Reset()
		}},
		{"Append spread", func() {
			var b []byte
			for range 30 {
				b = arena.Append(a, b, sinkBytes...)
			}
			a.Reset()
		}},
		{"text", func() {
			for range 100 {
				a.AllocString(sinkText)
				a.AllocBytesToString(sinkBytes)
				a.AllocBytes(33)
			}
			a.Reset()
		}},
		{"values", func() {
			for i := range 50 {
				arena.NewOf(a, flat24{a: uint64(i)})
				arena.NewOf(a, textPair{a: sinkText})
				arena.SliceOf(a, sinkText, sinkText)
				arena.CloneSlice(a, sinkBytes)
				arena.Collect(a, slices.Values(sinkBytes))
			}
			a.Reset()
		}},
		{"texts", func() {
			for range 50 {
				a.Sprintf("%s %d %d %s %d", "a constant, whose box is one", 1, 20, "and", 255)
				a.Concat(sinkText, sinkText, "x")
				a.Join(sinkTexts, ", ")
				a.ToLower("UPPER and LOWER")
				a.ToUpper("größer")
			}
			a.Reset()
		}},
		{"Buffer", func() {
			for i := range 20 {
				b := arena.NewBuffer(a, 10*i)
				for range 10 {
					b.WriteString(sinkText)
					fmt.Fprintf(b, "%d %s", 7, "x")
					b.AppendInt(int64(i)*1e12, 10)
					b.AppendUint(1<<63, 2)
					b.AppendFloat(1.5e300, 'g', -1, 64)
					b.AppendQuote(sinkText)
					b.AppendBool(true)
					b.AppendTime(steadyTime, time.RFC3339Nano)
					b.WriteRune('ä')
				}
				sinkText2 = b.String()
				b.Reset()
				b.WriteByte('x')
			}
			a.Reset()
		}},
		{"ReadAll", func() {
			sinkReader.Reset(sinkBytes)
			arena.ReadAll(a, sinkReader)
			sinkReader.Reset(sinkBytes)
			arena.NewBuffer(a, 0).ReadFrom(sinkReader)
			a.Reset()
		}},
		{"Mark and Rewind", func() {
			for range 3 {
				m := long.Mark()
				mixedRequest(long)
				m2 := long.Mark()
				mixedRequest(long)
				long.Rewind(m2)
				mixedRequest(long)
				long.Rewind(m)
			}
			kept.a = "x"
		}},
		{"Mark and Reset", func() {
			for range 5 {
				a.Mark()
				arena.New[textPair](a)
			}
			a.Reset()
		}},
		{"Reset of nothing", func() { a.Reset() }},
		{"Stats", func() {
			arena.New[textPair](a)
			a.Stats()
			a.Reset()
		}},
		{"pool Get and Put", func() {
			x := pool.Get()
			mixedRequest(x)
			pool.Put(x)
		}},
		{"pool Do", func() { pool.Do(request) }},
		{"auto pool Do", func() { auto.Do(request) }},
		{"pool Stats", func() { pool.Stats(); auto.Stats() }},
		{"cycles of several sizes", func() {
			for _, n := range []int{1, 20, 3, 10} {
				for range n {
					mixedRequest(a)
				}
				a.Reset()
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			// Enough cycles for every allocator to settle, and for several reviews of retained memory.
			for range 300 {
				tt.f()
			}
			// A collection may empty the pool. Use the minimum.
			least := testing.AllocsPerRun(200, tt.f)
			for range 3 {
				least = min(least, testing.AllocsPerRun(200, tt.f))
			}
			if least != 0 {
				t.Errorf("%v allocations in each round", least)
			}
		})
	}
}
