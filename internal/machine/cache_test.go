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

// After any operations, each chunk belongs to one arena or one cache, for one type forever; memory is zeroed
// when allocated; and the counters are exact. A chunk in two arenas would show one request's data to another,
// and one that changed its type would forge pointers. In odd worlds each arena has its own cache.
func TestCacheAgainstTheModel(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() || check.On {
		seeds = 15
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 26))
		w := &cacheWorld{simulation: newSimulation(1+r.IntN(6), 256<<r.IntN(6), 1<<(12+r.IntN(9))), t: t, types: map[uintptr]any{}, cached: map[uintptr]bool{}}
		w.stats.Cache.Bound(uintptr(r.IntN(3)) << 20)
		if seed%2 == 1 {
			for i := range w.regions {
				w.regions[i] = new(Region)
				w.regions[i].Init(256<<r.IntN(6), 1<<(12+r.IntN(9)))
				w.regions[i].Quota(func(Refusal) { panic("refused") })
			}
		}
		var detached Detached
		detached.Init(1024, 1<<16)
		for step := range 1500 {
			x := w.regions[r.IntN(len(w.regions))]
			n := 1 + r.IntN(64)<<r.IntN(10)
			switch op := r.IntN(200); {
			case op < 8:
				x.Release()
			case op < 10:
				x.Empty()
				x.Isolate([]*Detached{nil, &detached}[r.IntN(2)])
			case op < 12:
				w.stats.Cache.Bound(uintptr(r.IntN(3)) << uint(12+r.IntN(9)))
			case op < 14:
				w.stats.Cache.Age(time.Now().Add(time.Duration(step)*time.Minute), uintptr(n)<<10)
			case op < 16:
				x.Quota(nil).SetLimit(uintptr(r.IntN(2) * n * 500))
			case op < 18:
				w.stats.Total.Store(uintptr(r.IntN(2) * n * 2000))
			case op < 20:
				m := x.Mark()
				w.use(x, op, n)
				x.Rewind(m)
			case op < 80:
				cached := w.stats.Cache.Bytes()
				x.Empty()
				if cached = w.stats.Cache.Bytes() - cached; int(cached) > 0 && cached+x.Quota(nil).Held() > x.MaxRetained {
					t.Fatalf("seed %d, step %d: %d bytes are kept and %d the pool's of an arena that may keep %d", seed, step, x.Quota(nil).Held(), cached, x.MaxRetained)
				}
				if held := x.Stats().Held; !x.Isolates() && held > x.MaxRetained {
					t.Fatalf("seed %d, step %d: %d bytes are kept of %d", seed, step, held, x.MaxRetained)
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

// cacheWorld is the memory of some arenas and the type of each chunk.
type cacheWorld struct {
	*simulation
	t      *testing.T
	types  map[uintptr]any  // by address
	cached map[uintptr]bool // chunks that were in a cache
	keep   []xunsafe.Pointer
}

// use allocates n bytes and writes them.
func (w *cacheWorld) use(x *Region, op, n int) {
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

func (w *cacheWorld) mustBeZero(isZero bool) {
	if !isZero {
		w.t.Fatal("memory was handed out that is not zero")
	}
}

// check checks every chunk.
func (w *cacheWorld) check() error {
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
			w.keep = append(w.keep, c.Base) // so that its address is not reused
		}
		seen[at], w.types[at] = true, t
		held += c.size()
		return nil
	}
	cache := func(c *Cache) error {
		before, n := held, 0
		list := func(list cachedChunks, t reflect.Type) error {
			for class, stack := range list {
				for i := range stack {
					c := &stack[i].chunk
					if err := one(c, t); err != nil {
						return err
					}
					n++
					w.cached[xunsafe.Number(c.Base)] = true
					if c.check(); c.used() != 0 || cacheClass(c.cap) != class || i > 0 && stack[i-1].generation > stack[i].generation {
						return fmt.Errorf("a cached chunk of %d bytes in class %d: %d bytes are used, and the order is %v", c.cap, class, c.used(), stack)
					}
					c.checkFree(t != nil)
				}
			}
			return nil
		}
		err := list(c.noscan, nil)
		for t, x := range c.scan {
			err = errors.Join(err, list(*x, t))
		}
		if err == nil && (c.Bytes() != held-before || c.count() != n) {
			err = fmt.Errorf("a cache has %d bytes in %d chunks, and counts %d in %d", held-before, n, c.Bytes(), c.count())
		}
		return err
	}
	pooled := false
	for _, x := range w.regions {
		before := held
		for _, al := range append([]*Allocator{&x.Noscan}, x.Types.allocators...) {
			if int(al.ops.index) < x.Types.activeLen {
				al.check()
			}
			for _, list := range [][]chunk{{al.chunk}, al.full, al.free} {
				for i := range list {
					if list[i].Base == nil {
						continue
					}
					if err := one(&list[i], al.ops.typ()); err != nil {
						return err
					}
					if x.Isolates() && w.cached[xunsafe.Number(list[i].Base)] {
						return errors.New("an arena that isolates its requests has a chunk that was another's")
					}
				}
			}
		}
		q, n := x.Quota(nil), held-before
		pooled = pooled || q.pool != nil
		if c := x.ownCache(); c != nil {
			if err := cache(c); err != nil {
				return err
			}
		}
		if q.Held() != n || q.arena.Held() != held-before || len(x.released) != 0 || x.Stats().Held != held-before {
			return fmt.Errorf("an arena has %d bytes beside %d, counts %d, its account %d, its statistics %d, and has left %d chunks", n, held-before-n, q.Held(), q.arena.Held(), x.Stats().Held, len(x.released))
		}
	}
	if !pooled {
		return nil
	}
	before := held
	s := &w.stats
	if err := cache(&s.Cache); err != nil {
		return err
	}
	if s.held.Load() != held || s.Cache.Bytes() > s.Cache.limit.Load() {
		return fmt.Errorf("the pool has %d bytes, %d for its arenas; it counts %d and %d, and may have %d", held, held-before, s.held.Load(), s.Cache.Bytes(), s.Cache.limit.Load())
	}
	return nil
}

// The kept chunk follows the load, up within some cycles and down within some hundred. Otherwise each request
// would use the cache, or an arena would hold its peak memory all night.
func TestKeptChunkFollowsTheLoad(t *testing.T) {
	if check.On || check.Race {
		t.Skip("no chunk is kept")
	}
	s := newSimulation(1, 1024, 1<<20)
	x := s.regions[0]
	for i, size := range []int{3000, 100_000, 3000, 200_000, 20_000} {
		for range 500 {
			for range size / 100 {
				MakeSlice[byte](x, 100, 100)
			}
			x.Empty()
		}
		if held := int(x.Quota(nil).Held()); held < size || held > max(2*size, 2*smallKept) {
			t.Errorf("phase %d: an arena has %d bytes for requests of %d", i, held, size)
		}
	}
}

// A guarded cycle's memory becomes unusable, isolated memory is used once, and a bound of 0 turns a pool's
// cache off.
func TestAllocatorsWithoutCache(t *testing.T) {
	s := newSimulation(2, 1024, 1<<20)
	al := &s.regions[0].Noscan
	if al.caches() != !(check.On || check.Race) {
		t.Error("allocators of pools cache their chunks in plain builds")
	}
	if s.stats.Cache.Bound(0); al.caches() {
		t.Error("it caches although nothing may be kept")
	}
	s.stats.Cache.Bound(1 << 20)
	if s.regions[0].Guard(new(Guarded)); al.caches() {
		t.Error("a guarded arena caches")
	}
	var detached Detached
	detached.Init(1024, 1<<16)
	if s.regions[1].Isolate(&detached); s.regions[1].Noscan.caches() {
		t.Error("an isolated arena caches")
	}
}

// Unused chunks leave the cache after some cycles or, without requests, after some time.
func TestCacheAges(t *testing.T) {
	if check.On || check.Race {
		t.Skip("no chunk is kept")
	}
	for _, pooled := range []bool{true, false} {
		generation := cacheTick
		if pooled {
			generation *= poolTicks
		}
		large := func() (*Region, *Cache) {
			s := newSimulation(1, 1024, 1<<20)
			x := s.regions[0]
			if !pooled {
				x = new(Region)
				x.Init(1024, 1<<20)
			}
			for i := range 200 {
				MakeSlice[byte](x, 3000+90_000*(i/199), 3000+90_000*(i/199))
				x.Empty()
			}
			if n := x.cache.Bytes(); n < 93_000 {
				t.Fatalf("the cache has %d bytes", n)
			}
			return x, x.cache
		}
		x, c := large()
		for n := 1; c.Bytes() != 0; n++ {
			MakeSlice[byte](x, 3000, 3000)
			if x.Empty(); n > (maxAge+1)*generation {
				t.Fatal("it stays")
			} else if c.Bytes() == 0 && n < maxAge*generation {
				t.Errorf("it is gone after %d requests", n)
			}
		}
		_, c = large()
		now := time.Now()
		for i := range maxAge + 2 {
			if c.Age(now.Add(time.Duration(i)*generationPeriod), 1<<30); (c.Bytes() != 0) != (i <= maxAge) {
				t.Errorf("after period %d there are %d bytes", i, c.Bytes())
			}
		}
		_, c = large()
		if c.Age(now, 92_000); c.Bytes() != 0 {
			t.Error("it is more than there may be")
		}
	}
}

// An arena and its forks share one budget and one cache.
func TestForksShareACache(t *testing.T) {
	if check.On || check.Race {
		t.Skip("no chunk is kept")
	}
	var a, f Region
	a.Init(1024, 1<<20)
	f.InitFork(&a, a.Quota(func(Refusal) { panic("refused") }), nil)
	for range 3 {
		MakeSlice[byte](&f, 3000, 3000)
		MakeSlice[byte](&a, 3000, 3000)
		f.Empty()
		a.Empty()
	}
	MakeSlice[byte](&f, 90_000, 90_000)
	f.Empty()
	if a.cache != f.cache || a.ownCache().Bytes() < 90_000 || a.Stats().Held < 90_000 || f.Stats().Held >= 90_000 {
		t.Fatalf("the fork left %d bytes; the arena has %+v, the fork %+v", a.ownCache().Bytes(), a.Stats(), f.Stats())
	}
	cached := a.ownCache().Bytes()
	MakeSlice[byte](&a, 90_000, 90_000)
	if a.ownCache().Bytes() > cached-90_000 {
		t.Error("the arena does not take what its fork left")
	}
	if held := a.Stats().Held + f.Stats().Held; a.Quota(nil).arena.Held() != held {
		t.Errorf("the account has %d bytes, the arena and its fork %d", a.Quota(nil).arena.Held(), held)
	}
}

// statsInUse returns the statistics of an arena that is in use.
func statsInUse() *ArenaStats {
	s := new(ArenaStats)
	s.Generation.Store(1)
	return s
}
