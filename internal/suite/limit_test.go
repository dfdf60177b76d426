package suite

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// limited returns an arena with a limit, and its pool.
func limited(chunkSize, maxRetained, limit int) (*arena.ArenaPool, *arena.Arena) {
	p := arena.NewArenaPool(chunkSize, maxRetained)
	a := p.Get()
	a.SetLimit(limit)
	return p, a
}

// checkQuota compares the counters of a, the only arena of p, with its chunks.
func checkQuota(t *testing.T, p *arena.ArenaPool, a *arena.Arena, limit int) {
	t.Helper()
	held := a.Stats().RetainedBytes
	if got := p.Stats().InUseBytes; got != held {
		t.Fatalf("%d bytes are counted of %d", got, held)
	}
	if limit != 0 && held > limit {
		t.Fatalf("%d bytes with a limit of %d", held, limit)
	}
}

// manyKinds allocates values of several types by all functions.
func manyKinds(a *arena.Arena) {
	for i := range 20 {
		arena.New[[3]uint64](a)
		arena.New[[5]uint64](a)
		arena.New[textPair](a).a = "a"
		arena.New[*textPair](a)
		arena.New[[]byte](a)
		arena.New[any](a)
		arena.New[[9]*int](a)
		arena.New[map[int]int](a)
		arena.MakeSlice[string](a, i, i)
	}
	for i := range 300 {
		a.AllocString("a string that is neither short nor long"[:8+i%32])
	}
}

var fillers = []struct {
	name string
	size int // bytes of one value
	fill func(a *arena.Arena)
}{
	{"flat", 16, func(a *arena.Arena) { arena.New[[2]uint64](a)[0] = 1 }},
	{"text", 10, func(a *arena.Arena) { a.AllocString("ten bytes.") }},
	{"traced", int(xunsafe.SizeOf[textPair]()), func(a *arena.Arena) { arena.New[textPair](a).a = "x" }},
	{"bytes", 104, func(a *arena.Arena) { a.AllocBytes(100)[99] = 1 }},
	{"slices", 10 * int(xunsafe.SizeOf[string]()), func(a *arena.Arena) { arena.MakeSlice[string](a, 10, 10)[9] = "x" }},
}

// The limit protects the memory of other requests. It must hold to the byte, for chunks smaller and larger
// than the limit, and still leave nearly all of it to a request.
func TestLimitHolds(t *testing.T) {
	testkit.NeedsReuse(t)
	limits := []int{1, 7, 100, 513, 4096, 100_000, 1 << 20}
	if testing.Short() {
		limits = limits[:len(limits)-1] // omits nine tenths of the work
	}
	for _, chunk := range []int{64, 4096, 1 << 20} {
		for _, limit := range limits {
			for _, f := range fillers {
				p, a := limited(chunk, 0, limit)
				for cycle := range 4 {
					var over *arena.LimitError
					used := 0
					for over == nil {
						used = a.Stats().UsedBytes
						over = refused(t, func() { f.fill(a) })
						checkQuota(t, p, a, limit)
					}
					if over.Limit != limit || over.Pool || over.InUse > limit || over.InUse+over.Asked <= limit || over.Asked < f.size {
						t.Fatalf("%s, chunk %d, limit %d: %+v", f.name, chunk, limit, over)
					}
					if a.Stats().UsedBytes != used || a.Stats().RetainedBytes > limit {
						t.Fatalf("%s, chunk %d, limit %d: a refusal left %+v, used were %d", f.name, chunk, limit, a.Stats(), used)
					}
					if limit >= 10_000 && used < limit*7/8 || limit == 4096 && used < limit*3/4 {
						t.Errorf("%s, chunk %d, cycle %d: refused after %d bytes of %d", f.name, chunk, cycle, used, limit)
					}
					if cycle == 2 {
						a.Release()
					} else {
						a.Reset()
					}
					checkQuota(t, p, a, limit)
					if got := a.Stats().RetainedBytes; got > limit/2 {
						t.Errorf("%s: %d bytes kept with a limit of %d", f.name, got, limit)
					}
				}
				a.SetLimit(0)
				for range 2*limit/f.size + 1 {
					f.fill(a)
				}
				checkQuota(t, p, a, 0)
			}
		}
	}
}

// One kind of value must not use up the limit: a small request of many kinds fits into a limit that is
// smaller than the chunk size.
func TestLimitLeavesRoomForAllKinds(t *testing.T) {
	testkit.NeedsReuse(t)
	a := arena.NewArena(1<<20, 0)
	a.SetLimit(64 << 10)
	for cycle := range 200 {
		if over := refused(t, func() {
			for range 2 { // about 35 KB of eleven kinds
				manyKinds(a)
			}
			a.AllocString(strings.Repeat("x", 8<<10))
		}); over != nil {
			t.Fatalf("cycle %d: %v, with %d bytes in use", cycle, over, a.Stats().UsedBytes)
		}
		a.Reset()
	}
}

// An empty chunk, kept from an earlier cycle or freed by Rewind, is dropped if a value needs the memory.
func TestLimitGivesUpIdleChunks(t *testing.T) {
	for _, one := range []func(a *arena.Arena, n int){
		func(a *arena.Arena, n int) { a.AllocBytes(n)[n-1] = 1 },
		func(a *arena.Arena, n int) { a.AllocString(strings.Repeat("x", n)) },
		func(a *arena.Arena, n int) {
			arena.MakeSlice[string](a, n/int(xunsafe.SizeOf[string]()), n/int(xunsafe.SizeOf[string]()))[0] = "x"
		},
	} {
		for _, idle := range []int{1000, 30000, 40000} {
			p, a := limited(1000, 1<<20, 100_000)
			one(a, idle)
			a.Reset()
			one(a, idle)
			a.Reset()
			if over := refused(t, func() { one(a, 99_200) }); over != nil {
				t.Errorf("%d bytes idle, %d wanted: %v", idle, 99_200, over)
			}
			checkQuota(t, p, a, 100_000)
			a.Reset()
			arena.New[textPair](a)
			a.AllocBytes(8)
			m := a.Mark()
			one(a, idle)
			a.Rewind(m)
			if over := refused(t, func() { one(a, 80_000) }); over != nil {
				t.Errorf("%d bytes taken back, %d wanted: %v", idle, 80_000, over)
			}
			checkQuota(t, p, a, 100_000)
			a.Rewind(m)
			if want := 8 + int(xunsafe.SizeOf[textPair]()); a.Stats().UsedBytes != want {
				t.Errorf("%d bytes in use after a rewind, want %d", a.Stats().UsedBytes, want)
			}
		}
	}
}

// A refusal changes nothing: a slice can still grow in place, values stay, and smaller requests succeed.
func TestLimitRefusalChangesNothing(t *testing.T) {
	a := arena.NewArena(4096, 0)
	a.SetLimit(64 << 10)
	s := arena.Append(a, []int64(nil), 1, 2, 3)
	p := arena.New[textPair](a)
	p.a = "kept"
	before := a.Stats()
	for name, f := range map[string]func(){
		"Append":    func() { arena.Append(a, s, make([]int64, 10_000)...) },
		"MakeSlice": func() { arena.MakeSlice[int64](a, 0, 10_000) },
		"bytes":     func() { a.AllocBytes(80_000) },
		"text":      func() { a.AllocString(strings.Repeat("x", 80_000)) },
		"traced":    func() { arena.MakeSlice[textPair](a, 6000, 6000) },
		"object":    func() { arena.New[[80_000]byte](a) },
	} {
		over := refused(t, f)
		if over == nil {
			t.Fatalf("%s: not refused", name)
		}
		for _, want := range []string{"limit", "65536", strconv.Itoa(over.Asked), strconv.Itoa(over.InUse)} {
			if !strings.Contains(over.Error(), want) {
				t.Errorf("%s: %q does not name %s", name, over.Error(), want)
			}
		}
		if after := a.Stats(); after != before {
			t.Errorf("%s: %+v, was %+v", name, after, before)
		}
	}
	grown := arena.Append(a, s, 4, 5, 6, 7, 8, 9)
	if &grown[0] != &s[0] || grown[8] != 9 || p.a != "kept" {
		t.Errorf("after refusals: %v at %p, was at %p; %q", grown, &grown[0], &s[0], p.a)
	}
}

// Requests far below their limit allocate nothing from the heap.
func TestLimitSteadyState(t *testing.T) {
	testkit.NeedsReuse(t)
	if check.Race || check.ASan {
		t.Skip("instrumentation allocates")
	}
	a := arena.NewArena(4096, 1<<20)
	manyKinds(a)
	a.SetLimit(10 * a.Stats().UsedBytes)
	p := arena.NewArenaPool(4096, 1<<20)
	p.SetLimit(10*a.Stats().UsedBytes, 1<<20)
	p.SetLeakSampling(1 << 30)
	for name, f := range map[string]func(){
		"arena": func() { manyKinds(a); a.Reset() },
		"pool":  func() { a := p.Get(); manyKinds(a); p.Put(a) },
	} {
		for range 2 * machine.Window {
			f()
		}
		if n := testing.AllocsPerRun(200, f); n >= 1 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// Random work near the limit, with marks: the counters stay exact, and a refusal changes no memory in use.
func TestLimitRandomWork(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		chunk, limit := 64<<r.IntN(8), 1000<<r.IntN(7)
		p, a := limited(chunk, 0, limit)
		type piece struct{ b []byte }
		var pieces []piece
		var objects []*textPair
		type mark struct {
			m               arena.Mark
			pieces, objects int
		}
		var marks []mark
		for step := range 3000 {
			size := 1 + r.IntN(1+limit>>r.IntN(10))
			switch op := r.IntN(20); {
			case op < 8:
				over := refused(t, func() {
					b := a.AllocBytes(size)
					for i := range b {
						b[i] = byte(len(pieces))
					}
					pieces = append(pieces, piece{b})
				})
				if over != nil && over.InUse+over.Asked <= limit {
					t.Fatalf("refused without need: %+v", over)
				}
			case op < 12:
				refused(t, func() {
					x := arena.New[textPair](a)
					x.a = strconv.Itoa(len(objects))
					objects = append(objects, x)
				})
			case op < 14:
				refused(t, func() { a.AllocString(strings.Repeat("y", size)) })
			case op < 15:
				refused(t, func() { arena.MakeSlice[any](a, size/16, size/16) })
			case op < 17:
				marks = append(marks, mark{a.Mark(), len(pieces), len(objects)})
			case op < 19 && len(marks) > 0:
				i := r.IntN(len(marks))
				a.Rewind(marks[i].m)
				pieces, objects = pieces[:marks[i].pieces], objects[:marks[i].objects]
				marks = marks[:i+1]
			case op == 19 && r.IntN(10) == 0:
				if r.IntN(3) == 0 {
					a.Release()
				} else {
					a.Reset()
				}
				pieces, objects, marks = nil, nil, nil
			}
			checkQuota(t, p, a, limit)
			if step%16 != 0 {
				continue
			}
			for i, p := range pieces {
				for _, c := range p.b {
					if c != byte(i) {
						t.Fatalf("seed %d, step %d: piece %d holds %d", seed, step, i, c)
					}
				}
			}
			for i, x := range objects {
				if x.a != strconv.Itoa(i) {
					t.Fatalf("seed %d, step %d: object %d holds %q", seed, step, i, x.a)
				}
			}
		}
	}
}

// Invalid limits, and limits set at the wrong time, are reported.
func TestLimitMisuse(t *testing.T) {
	testkit.WantPanic(t, func() { arena.NewArena(64, 0).SetLimit(-1) }, "Arena.SetLimit", "-1")
	testkit.WantPanic(t, func() { arena.NewArenaPool(64, 0).SetLimit(-5, 0) }, "ArenaPool.SetLimit", "-5")
	testkit.WantPanic(t, func() { arena.NewArenaPool(64, 0).SetLimit(0, -6) }, "ArenaPool.SetLimit", "-6")
	var none *arena.Arena
	none.SetLimit(1)
	none.AllocBytes(100)
	p, a := limited(64, 0, 0)
	a.AllocBytes(1000)
	arena.New[textPair](a)
	a.SetLimit(100) // less than it holds
	checkSum := a.Stats().RetainedBytes
	if over := refused(t, func() { a.AllocBytes(5000) }); over == nil || over.InUse != checkSum {
		t.Errorf("%+v, want a refusal with %d bytes in use", over, checkSum)
	}
	a.Reset()
	a.AllocBytes(60)
	checkQuota(t, p, a, 100)
}
