package machine

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Whatever arenas of a pool do, each chunk belongs to one of them or to the pool, for one
// type for ever; what is handed out is zero; and what is counted is there. Chunks that
// two arenas had would show one request's data to another, and one that changed its type
// would forge pointers.
func TestSparesAgainstTheModel(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() || check.On {
		seeds = 15
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 26))
		w := &spareWorld{simulation: newSimulation(1+r.IntN(6), 256<<r.IntN(6), 1<<(12+r.IntN(9))), t: t, types: map[uintptr]any{}, spare: map[uintptr]bool{}}
		w.stats.Bound(uintptr(r.IntN(3)) << 20)
		var retired Retired
		retired.Init(1024, 1<<16)
		for step := range 1500 {
			x := w.regions[r.IntN(len(w.regions))]
			n := 1 + r.IntN(64)<<r.IntN(10)
			switch op := r.IntN(200); {
			case op < 8:
				x.Release()
			case op < 10:
				x.Empty()
				x.Isolate([]*Retired{nil, &retired}[r.IntN(2)])
			case op < 12:
				w.stats.Bound(uintptr(r.IntN(3)) << uint(12+r.IntN(9)))
			case op < 14:
				w.stats.Age(time.Now().Add(time.Duration(step)*time.Minute), uintptr(n)<<10)
			case op < 16:
				x.Quota(nil).SetLimit(uintptr(r.IntN(2) * n * 500))
			case op < 18:
				w.stats.Limit(uintptr(r.IntN(2) * n * 2000))
			case op < 20:
				m := x.Mark()
				w.use(x, op, n)
				x.Rewind(m)
			case op < 80:
				spare := w.stats.Spares.Bytes()
				x.Empty()
				if spare = w.stats.Spares.Bytes() - spare; int(spare) > 0 && spare+x.Quota(nil).Held() > x.MaxRetained {
					t.Fatalf("seed %d, step %d: %d bytes are kept and %d the pool's of an arena that may keep %d", seed, step, x.Quota(nil).Held(), spare, x.MaxRetained)
				}
			default:
				w.use(x, op, n)
			}
			if err := w.check(); err != nil {
				t.Fatalf("seed %d, step %d: %v", seed, step, err)
			}
		}
	}
}

// spareWorld is a pool's memory and the type of each of its chunks.
type spareWorld struct {
	*simulation
	t     *testing.T
	types map[uintptr]any  // by their addresses
	spare map[uintptr]bool // those that were the pool's
	keep  []xunsafe.Pointer
}

// use takes n bytes, and writes them.
func (w *spareWorld) use(x *Region, op, n int) {
	defer func() {
		if v := recover(); v != nil && v != "refused" {
			panic(v)
		}
	}()
	switch op % 5 {
	case 0:
		for i, v := range MakeSlice[uint64](x, 1+n/8, 1+n/8) {
			w.mustBeZero(v == 0 && i >= 0)
		}
		fillWith(MakeSlice[uint64](x, 1+n/8, 1+n/8), 7)
	case 1:
		for range 1 + n/64 {
			p := New[[8]string](x)
			w.mustBeZero(*p == [8]string{})
			p[n%8] = "x"
		}
	case 2:
		s := MakeSlice[*int](x, 1+n/8, 1+n/8)
		for _, p := range s {
			w.mustBeZero(p == nil)
		}
		fillWith(s, new(int))
	case 3:
		var s []any
		for range 4 {
			m := len(s)
			s = lengthened(x, s, m+1+n/64)
			for _, v := range s[m:] {
				w.mustBeZero(v == nil)
			}
			fillWith(s, any(n))
		}
	case 4:
		for range 1 + n/48 {
			p := New[[6]uint64](x)
			w.mustBeZero(*p == [6]uint64{})
			p[n%6] = 1
		}
	}
}

func fillWith[T any](s []T, v T) {
	for i := range s {
		s[i] = v
	}
}

func (w *spareWorld) mustBeZero(isZero bool) {
	if !isZero {
		w.t.Fatal("memory was handed out that is not zero")
	}
}

// check looks at every chunk.
func (w *spareWorld) check() error {
	seen := map[uintptr]bool{}
	held := uintptr(0)
	one := func(c *chunk, t reflect.Type) error {
		at := xunsafe.Number(c.Base)
		if seen[at] {
			return fmt.Errorf("two have the chunk at %#x", at)
		}
		if was, ok := w.types[at]; ok && was != t {
			return fmt.Errorf("the chunk at %#x was of %v, and is of %v", at, was, t)
		}
		if _, ok := w.types[at]; !ok {
			w.keep = append(w.keep, c.Base) // or another one comes to lie there
		}
		seen[at], w.types[at] = true, t
		held += c.size()
		return nil
	}
	for _, x := range w.regions {
		before := held
		for _, l := range append([]*Lane{x.FlatLane()}, x.Types.lanes...) {
			if x.Types.parked == nil || int(l.ops.index) < x.Types.parked.first {
				l.check()
			}
			for _, list := range [][]chunk{{l.chunk}, l.older, l.free} {
				for i := range list {
					if list[i].Base == nil {
						continue
					}
					if err := one(&list[i], l.ops.typ()); err != nil {
						return err
					}
					if x.Isolates() && w.spare[xunsafe.Number(list[i].Base)] {
						return errors.New("an arena that isolates its requests has a chunk that was another's")
					}
				}
			}
		}
		q := x.Quota(nil)
		if n := held - before; q.Held() != n || q.account.Held() != n || len(q.leftovers) != 0 {
			return fmt.Errorf("an arena has %d bytes, counts %d, its account %d, and has left %d chunks", n, q.Held(), q.account.Held(), len(q.leftovers))
		}
	}
	before := held
	for t, stacks := range w.stats.Spares.of {
		for class, stack := range *stacks {
			for i := range stack {
				c := &stack[i].chunk
				if err := one(c, t); err != nil {
					return err
				}
				w.spare[xunsafe.Number(c.Base)] = true
				if c.check(); c.used() != 0 || sizeClass(c.cap) != class || i > 0 && stack[i-1].since > stack[i].since {
					return fmt.Errorf("a spare chunk of %d bytes in class %d: %d bytes are used, and the order is %v", c.cap, class, c.used(), stack)
				}
				c.checkFree(t != nil)
			}
		}
	}
	s := &w.stats
	if s.Spares.Bytes() != held-before || s.held.Load() != held || s.Spares.Bytes() > s.Spares.limit.Load() {
		return fmt.Errorf("the pool has %d bytes, %d for its arenas; it counts %d and %d, and may have %d", held, held-before, s.held.Load(), s.Spares.Bytes(), s.Spares.limit.Load())
	}
	return nil
}

// Where the usual size changes, a lane follows within a few windows: else each request
// would take from the pool and give back, or an arena would have what the day needed all night.
func TestLanesFollowTheLoad(t *testing.T) {
	if check.On || check.Race {
		t.Skip("no chunk is kept")
	}
	s := newSimulation(1, 1024, 1<<20)
	x := s.regions[0]
	for i, size := range []int{3000, 100_000, 3000, 500_000, 20_000} {
		for range 5*Window + 1 {
			for range size / 100 {
				MakeSlice[byte](x, 100, 100)
			}
			x.Empty()
		}
		if held := int(x.Quota(nil).Held()); held < size || held > max(2*size, 2*spareLeast) {
			t.Errorf("phase %d: an arena has %d bytes for requests of %d", i, held, size)
		}
	}
}

// A guarded epoch's memory is made unusable; and 0 turns sharing off.
func TestWhoSharesNothing(t *testing.T) {
	s := newSimulation(2, 1024, 1<<20)
	l := s.regions[0].FlatLane()
	if l.shares() != !(check.On || check.Race) {
		t.Error("lanes of pools share their chunks in plain builds")
	}
	if s.stats.Bound(0); l.shares() {
		t.Error("it shares where nothing may be kept")
	}
	s.stats.Bound(1 << 20)
	s.regions[0].Guard(new(Guarded))
	var alone Region
	if alone.Init(1024, 1<<20); l.shares() || alone.FlatLane().shares() {
		t.Error("a guarded arena shares, or one of no pool")
	}
}

// What nobody takes goes: after so many windows of epochs, or where there are no
// requests after two periods of time.
func TestSparesAge(t *testing.T) {
	if check.On || check.Race {
		t.Skip("no chunk is kept")
	}
	large := func() *simulation {
		s := newSimulation(1, 1024, 1<<20)
		for i := range 200 {
			MakeSlice[byte](s.regions[0], 3000+90_000*(i/199), 3000+90_000*(i/199))
			s.regions[0].Empty()
		}
		if n := s.stats.Spares.Bytes(); n < 93_000 {
			t.Fatalf("the pool has %d bytes", n)
		}
		return s
	}
	s := large()
	for n := 1; s.stats.Spares.Bytes() != 0; n++ {
		MakeSlice[byte](s.regions[0], 3000, 3000)
		if s.regions[0].Empty(); n > (spareAge+5)*Window {
			t.Fatal("it stays")
		} else if s.stats.Spares.Bytes() == 0 && n < spareAge*Window {
			t.Errorf("it is gone after %d requests", n)
		}
	}
	s = large()
	now := time.Now()
	for i, want := range []bool{true, true, false} {
		if s.stats.Age(now.Add(time.Duration(i)*sparePeriod), 1<<30); (s.stats.Spares.Bytes() != 0) != want {
			t.Errorf("after period %d there are %d bytes", i, s.stats.Spares.Bytes())
		}
	}
	s = large()
	if s.stats.Age(now, 92_000); s.stats.Spares.Bytes() != 0 {
		t.Error("it is more than there may be")
	}
}
