package arena

import (
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// keepsArenas skips a test of idle arenas in builds that never reuse one.
func keepsArenas(t *testing.T) {
	if check.Race && check.On {
		t.Skip("under the race detector each arena serves one request")
	}
}

// burst runs request with n arenas in use at the same time.
func burst(p *ArenaPool, n int, request func(a *Arena)) {
	out := make([]*Arena, n)
	for i := range out {
		out[i] = p.Get()
		request(out[i])
	}
	for i, a := range out {
		p.Put(a)
		out[i] = nil
	}
}

type textPair struct{ a, b string }

func request3KB(a *Arena) {
	a.AllocBytes(2000)
	for range 30 {
		New[textPair](a).a = "x"
	}
}

// A pool must not keep the memory of the busiest hour forever, but it must keep memory that is needed every other
// minute.
func TestPoolLetsGo(t *testing.T) {
	keepsArenas(t)
	const many = 100
	p := NewArenaPool(1000, 0)
	now := time.Now()
	pass := func(d time.Duration) { // with a collection every 30 seconds
		for range int(d / (30 * time.Second)) {
			now = now.Add(30 * time.Second)
			testkit.Finalizers(t, 1)
			p.review(now)
		}
	}
	for range 3 {
		burst(p, many, request3KB)
		pass(lately)
		if s := p.Stats(); s.Arenas < many || s.Misses > many*5/4 {
			t.Fatalf("a load that comes back: %+v", s)
		}
	}
	burst(p, many, request3KB)
	for range 4 * int(lately/(30*time.Second)) {
		burst(p, 3, request3KB)
		pass(30 * time.Second)
	}
	testkit.Finalizers(t, 3)
	s := p.Stats()
	if s.Arenas > 10 || s.RetainedBytes > 10*6000 || p.stats.Counts().Held != uintptr(s.RetainedBytes) {
		t.Errorf("after 4 periods with 3 arenas out at a time: %+v", s)
	}
	misses := s.Misses
	for range 5 {
		burst(p, 3, request3KB)
		pass(lately)
	}
	if got := p.Stats().Misses - misses; got > 0 {
		t.Errorf("%d misses at the load that was there before", got)
	}
	pass(4 * lately)
	testkit.Finalizers(t, 4)
	if s := p.Stats(); s.Arenas != 0 || s.RetainedBytes != 0 || s.Leaked != 0 || s.Gets != s.Puts {
		t.Errorf("after 4 periods without any: %+v", s)
	}
	if p.Put(p.Get()); p.Stats().Arenas != 1 || !p.retained.watched {
		t.Errorf("and a Get: %+v, watched: %v", p.Stats(), p.retained.watched)
	}
}

// The number of arenas follows the maximum of two periods, and their memory stays available, over many changes of
// load.
func TestPoolFollowsTheLoad(t *testing.T) {
	if check.Race {
		t.Skip("its sync.Pool forgets at random")
	}
	testkit.NeedsReuse(t) // otherwise collections happen in the middle of a burst
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	p := NewArenaPool(1000, 0)
	r := rand.New(rand.NewPCG(1, 2))
	now := time.Now()
	rounds := 60
	if testing.Short() {
		rounds = 15
	}
	before, last := 0, 0 // maximum in use in the earlier periods
	for round := range rounds {
		n := 1 << r.IntN(9)
		n += r.IntN(n)
		misses := p.Stats().Misses
		for range 3 {
			now = now.Add(lately * 2 / 5)
			burst(p, 1+r.IntN(n), request3KB)
			burst(p, n, request3KB)
			testkit.Finalizers(t, 1)
			p.review(now)
		}
		most := max(before, last, n)
		before, last = last, n
		s := p.Stats()
		// Dropped arenas exist until they are collected, and the end of the last period is noticed one review
		// later.
		if exist := s.Arenas - p.leaving(); exist > most+most/4+2 {
			t.Errorf("round %d: %d arenas, of which %d were needed lately", round, exist, most)
		}
		if got := int(s.Misses - misses); got > max(0, n-max(before, 1))+n/4+2 {
			t.Errorf("round %d: %d misses at %d out at a time, after %d", round, got, n, before)
		}
	}
}

// Under a collector that runs all the time, no arena is used by two requests and none is lost.
func TestPoolKeepsUnderAFastCollector(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	p := NewArenaPool(512, 8192)
	p.SetMaxIdleBytes(20_000)
	stop := make(chan bool)
	var helpers, workers sync.WaitGroup
	helpers.Go(func() {
		now := time.Now()
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			runtime.GC()
			now = now.Add(lately / 3)
			p.review(now)
			p.SetMaxIdleBytes(i % 4 * 10_000)
			p.Stats()
		}
	})
	cycles := 3000
	if testing.Short() {
		cycles = 500
	}
	for w := range uint64(6) {
		workers.Go(func() {
			r := rand.New(rand.NewPCG(w, 3))
			for range cycles {
				a := p.Get()
				if a.Stats().UsedBytes != 0 {
					t.Error("not empty")
				}
				x, s := New[textPair](a), a.AllocBytes(100)
				if *x != (textPair{}) || !testkit.AllZero(s) {
					t.Error("not zero")
				}
				x.a, s[99] = testkit.HeapText(w), byte(w+1)
				if r.IntN(8) == 0 {
					time.Sleep(time.Duration(r.IntN(200)) * time.Microsecond)
				} else {
					runtime.Gosched()
				}
				if x.a != testkit.HeapText(w) || s[99] != byte(w+1) {
					t.Error("an arena of two requests")
				}
				p.Put(a)
			}
		})
	}
	workers.Wait()
	close(stop)
	helpers.Wait()
	s := p.Stats()
	if s.Gets != uint64(6*cycles) || s.Puts != s.Gets || s.Leaked != 0 || s.InUseBytes != 0 {
		t.Errorf("%+v", s)
	}
	sum := uintptr(0)
	for _, x := range p.retained.arenas {
		sum += x.bytes
	}
	if sum != p.retained.bytes {
		t.Errorf("%d bytes are kept, %d are counted", sum, p.retained.bytes)
	}
	p.SetMaxIdleBytes(0)
	for range 200 {
		if testkit.Finalizers(t, 1); p.Stats().Arenas == 0 {
			break
		}
	}
	if s := p.Stats(); s.Arenas != 0 || p.leaving() != 0 || p.stats.Counts().Held != 0 {
		t.Errorf("in the end %+v, %d leaving, %d bytes", s, p.leaving(), p.stats.Counts().Held)
	}
}

// Arenas in use for long count like arenas in use for a short time, and the pool's size is the sum of both.
func TestPoolKeepsBesideWhatIsOut(t *testing.T) {
	testkit.NeedsReuse(t)
	if check.Race {
		t.Skip("its sync.Pool forgets at random")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	p := NewArenaPool(1000, 0)
	now := time.Now()
	var long []*Arena
	for range 10 {
		long = append(long, p.Get())
	}
	burst(p, 20, request3KB)
	if most := p.retained.demand.most(); most != 30 {
		t.Errorf("30 arenas were made, and %d are said to be needed", most)
	}
	for range 10 {
		now = now.Add(lately / 2)
		burst(p, 5, request3KB)
		testkit.Finalizers(t, 4)
		p.review(now)
	}
	testkit.Finalizers(t, 2)
	if s := p.Stats(); s.Arenas != 15 || s.Misses != 30 {
		t.Errorf("10 are out, and 5 more now and then: %+v", s)
	}
	for _, a := range long {
		p.Put(a)
	}
}

// The review of idle arenas runs after every collection, not only after the first.
func TestPoolLooksAfterEachCollection(t *testing.T) {
	keepsArenas(t)
	p := NewArenaPool(1000, 0)
	p.Put(p.Get())
	for round := range 5 {
		p.Put(p.Get())
		for tries := 0; ; tries++ {
			testkit.Finalizers(t, 1)
			p.mu.Lock()
			seen := true
			for st := range p.allStats.all {
				seen = seen && uint64(st.seen) == st.Generation.Load()
			}
			p.mu.Unlock()
			if seen {
				break
			}
			if tries == 1000 {
				t.Fatalf("nobody looked after %d collections, round %d", tries, round)
			}
		}
	}
}

// An abandoned arena no longer belongs to the pool. Otherwise a burst of timeouts would count as demand and
// displace idle arenas.
func TestAbandonedAreNotThePools(t *testing.T) {
	p := NewArenaPool(1000, 0)
	a, b := p.Get(), p.Get()
	machine.Abandon(a)
	machine.Abandon(a) // once is enough
	if s := p.Stats(); p.leaving() != 1 || s.Abandoned != 1 || s.Gets != 2 || s.Puts != 0 {
		t.Errorf("%d are leaving, %+v", p.leaving(), s)
	}
	p.retained.demand = demand{}
	p.review(time.Now())
	if n := p.retained.demand.most(); n != 1 {
		t.Errorf("a demand of %d, want that of the one that is out", n)
	}
	p.Put(b)
	runtime.KeepAlive(a)
}

// The arenaBatch of isolated arenas fills a size class of the heap. With 16 arenas a ninth of it would be
// wasted, and collections would come that much sooner.
func TestHeadersFillASizeClass(t *testing.T) {
	if check.Tag || check.Race || check.ASan || xunsafe.SizeOf[uintptr]() == 4 {
		t.Skip("arenas are larger or smaller")
	}
	least := uint64(math.MaxUint64)
	for range 5 { // other allocations also count
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		someHeaders = new(arenaBatch)
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	if size := uint64(xunsafe.SizeOf[arenaBatch]()); least > size+size/32 {
		t.Errorf("%d bytes for arenaBatch of %d", least, size)
	}
}

var someHeaders *arenaBatch
