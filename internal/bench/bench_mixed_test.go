package bench

import (
	"testing"
	"time"

	"github.com/ebbpool/arena"
)

// every is the number of requests per request of the other kind. One pool serves both, so each arena has
// served both.
const every = 16

// manyObjects is the number of objects of a large request.
const manyObjects = 5000

// BenchmarkPoolMixed runs BenchmarkPool's request with another kind in 1 of 16 requests: one with 5,000
// objects (mix=sizes), or with one object of each of 81 types with pointers, while small requests have three
// such types (mix=types). An operation of what=all is a request of either kind. An operation of what=small is
// a small request; the time of the others is excluded.
func BenchmarkPoolMixed(b *testing.B) {
	for _, alloc := range []string{"heap", "arena", "auto"} {
		get, put := func() *arena.Arena { return nil }, func(*arena.Arena) {}
		switch alloc {
		case "arena": // may retain 40 KB, less than 5,000 objects need
			p := arena.NewArenaPool(4<<10, 0)
			get, put = p.Get, p.Put
		case "auto": // 640 KB
			p := arena.NewAutoPool(0)
			get, put = p.Get, p.Put
		}
		keep, large := new([20]*flat64), make([]*flat64, manyObjects)
		keepAlive.Store(keep)
		objects := func(a *arena.Arena, list []*flat64) {
			if alloc == "heap" { // code without arenas
				for i := range list {
					p := new(flat64)
					p.a = 1
					list[i] = p
				}
				return
			}
			for i := range list {
				p := arena.New[flat64](a)
				p.a = 1
				list[i] = p
			}
		}
		types := newKinds(alloc == "heap")
		for _, mix := range []struct {
			name         string
			small, other func(a *arena.Arena)
		}{
			{"sizes", func(a *arena.Arena) { objects(a, keep[:]) }, func(a *arena.Arena) { objects(a, large) }},
			{"types", func(a *arena.Arena) { objects(a, keep[:17]); types.few(a) }, types.many},
		} {
			request := func(work func(*arena.Arena)) {
				a := get()
				work(a)
				put(a)
			}
			b.Run("mix="+mix.name+"/what=all/alloc="+alloc, func(b *testing.B) {
				for i := range b.N {
					if i%every == every-1 {
						request(mix.other)
					} else {
						request(mix.small)
					}
				}
			})
			b.Run("mix="+mix.name+"/what=small/alloc="+alloc, func(b *testing.B) {
				var others time.Duration
				began := time.Now()
				for i := range b.N {
					if i%(every-1) == 0 {
						at := time.Now()
						request(mix.other)
						others += time.Since(at)
					}
					request(mix.small)
				}
				b.ReportMetric(float64(time.Since(began)-others)/float64(b.N), "ns/op")
			})
		}
	}
}

// BenchmarkCyclesMixed is BenchmarkCycles with cycles of 20 in an arena that allocates one object of each of
// 81 types in 1 of 16 cycles, whose time is excluded. A cursor has no types, so its other cycles have as many
// objects.
func BenchmarkCyclesMixed(b *testing.B) {
	const n = 20
	a, c, types := arena.NewArena(256<<10, 0), newByteBump(256<<10), newKinds(false)
	ofArena := func() { a.Reset(); types.many(a); a.Reset() } // included in that cycle's time
	b.Run("objects=20/alloc=arena", func(b *testing.B) {
		benchmarkAmong(b, n, ofArena, func() {
			a.Reset()
			for range n {
				p := arena.New[ptr64](a)
				p.a = 1
				sinkPtr = p
			}
		})
	})
	b.Run("objects=20/alloc=allocator", func(b *testing.B) {
		benchmarkAmong(b, n, ofArena, func() {
			a.Reset()
			l := arena.AllocatorFor[ptr64](a)
			for range n {
				p := l.New()
				p.a = 1
				sinkPtr = p
			}
		})
	})
	b.Run("objects=20/alloc=cursor", func(b *testing.B) {
		benchmarkAmong(b, n, func() {
			c.reset()
			for range 81 {
				sinkPtr = cursorNew[ptr64](c)
			}
		}, func() {
			c.reset()
			for range n {
				p := cursorNew[ptr64](c)
				p.a = 1
				sinkPtr = p
			}
		})
	})
}

// BenchmarkLivesMixed is BenchmarkLives in an arena, or a program, that allocates one object of each of 81
// types in 1 of 16 cycles, whose time is excluded.
func BenchmarkLivesMixed(b *testing.B) {
	heap, ours := newKinds(true), newKinds(false)
	for _, x := range lives(heap, ours) {
		if x.name == "life=types" {
			continue
		}
		b.Run(x.name+"/alloc=heap", func(b *testing.B) {
			benchmarkAmong(b, 1, func() { heap.many(nil) }, func() { x.heap(nil) })
		})
		b.Run(x.name+"/alloc=arena", func(b *testing.B) {
			a := arena.NewArena(4<<10, 0)
			benchmarkAmong(b, 1, func() { a.Reset(); ours.many(a); a.Reset() }, func() { a.Reset(); x.arena(a) })
		})
	}
}

// BenchmarkMapRequestMixed is BenchmarkMapRequest with 8 entries, with int and string keys in turn, and 1 of
// 16 requests with 1,000 entries, whose time is excluded. An operation is one entry.
func BenchmarkMapRequestMixed(b *testing.B) {
	ints, texts, many := intKeys(8), textKeys(8), intKeys(1000)
	b.Run("n=8/map=builtin", func(b *testing.B) {
		benchmarkMapsInTurn(b, func() { fillBuiltin(b, ints) }, func() { fillBuiltin(b, texts) }, func() { fillBuiltin(b, many) })
		sinkMap = nil
	})
	b.Run("n=8/map=arena", func(b *testing.B) {
		pool := arena.NewArenaPool(64<<10, 0)
		benchmarkMapsInTurn(b, func() { fillMap(b, pool, ints) }, func() { fillMap(b, pool, texts) }, func() { fillMap(b, pool, many) })
	})
}

func benchmarkMapsInTurn(b *testing.B, one, two, other func()) {
	odd := false
	benchmarkAmong(b, 8, other, func() {
		if odd = !odd; odd {
			one()
		} else {
			two()
		}
	})
}

// benchmarkAmong measures do, which is n operations, with other in 1 of 16 cases.
func benchmarkAmong(b *testing.B, n int, other, do func()) {
	var others time.Duration
	began := time.Now()
	for i := 0; i*n < b.N; i++ {
		if i%(every-1) == 0 {
			at := time.Now()
			other()
			others += time.Since(at)
		}
		do()
	}
	b.ReportMetric(float64(time.Since(began)-others)/float64(b.N), "ns/op")
}

// kinds allocates one object of each of nine times nine types.
type kinds struct {
	few, many func(a *arena.Arena)
}

// kind is a different type with pointers for each pair of type arguments.
type kind[A, B any] struct {
	a *A
	b *B
	n int
}

var sinkKind any

func newKinds(heap bool) kinds {
	rows := []func(a *arena.Arena, n int){
		ofKinds[int8](heap), ofKinds[int16](heap), ofKinds[int32](heap), ofKinds[int64](heap), ofKinds[uint8](heap),
		ofKinds[uint16](heap), ofKinds[uint32](heap), ofKinds[float32](heap), ofKinds[float64](heap),
	}
	return kinds{
		few: func(a *arena.Arena) { rows[0](a, 3) },
		many: func(a *arena.Arena) {
			for _, row := range rows {
				row(a, 9)
			}
		},
	}
}

// ofKinds allocates one object of each of the first n types whose first type argument is A.
func ofKinds[A any](heap bool) func(a *arena.Arena, n int) {
	makers := []func(a *arena.Arena){
		makerOf[A, int8](heap), makerOf[A, int16](heap), makerOf[A, int32](heap), makerOf[A, int64](heap), makerOf[A, uint8](heap),
		makerOf[A, uint16](heap), makerOf[A, uint32](heap), makerOf[A, float32](heap), makerOf[A, float64](heap),
	}
	return func(a *arena.Arena, n int) {
		for _, make := range makers[:n] {
			make(a)
		}
	}
}

func makerOf[A, B any](heap bool) func(a *arena.Arena) {
	if heap {
		return func(*arena.Arena) {
			x := new(kind[A, B])
			x.n = 1
			sinkKind = x
		}
	}
	return func(a *arena.Arena) {
		x := arena.New[kind[A, B]](a)
		x.n = 1
		sinkKind = x
	}
}
