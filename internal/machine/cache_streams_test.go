package machine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/ebbpool/arena/internal/check"
)

// usual is the size of a usual request in the streams below, in bytes.
const usual = 6 << 10

// oneIn returns request sizes of which one in n, at random, is many times the usual size.
func oneIn(n, times int) func(r *rand.Rand) int {
	return func(r *rand.Rand) int {
		if r.IntN(n) == 0 {
			return usual * times
		}
		return usual
	}
}

func logNormal(sigma float64) func(r *rand.Rand) int {
	return func(r *rand.Rand) int { return int(usual * math.Exp(sigma*r.NormFloat64())) }
}

// streams are distributions of request sizes. most is the size of a large request in bytes, or 0 for any
// size.
var streams = []struct {
	name string
	size func(r *rand.Rand) int
	most int
}{
	{"alike", oneIn(1, 1), usual},
	{"one in 50 of 100 times", oneIn(50, 100), 100 * usual},
	{"one in 75", oneIn(75, 100), 100 * usual},
	{"one in 100", oneIn(100, 100), 100 * usual},
	{"one in 129", oneIn(129, 100), 100 * usual},
	{"one in 150", oneIn(150, 100), 100 * usual},
	{"one in 200", oneIn(200, 100), 100 * usual},
	{"one in 5 of 20 times", oneIn(5, 20), 20 * usual},
	{"one in 2 of 20 times", oneIn(2, 20), 20 * usual},
	{"log-normal, sigma 0.7", logNormal(0.7), 0},
	{"log-normal, sigma 2", logNormal(2), 0},
}

// kinds are ways in which requests use their bytes.
var kinds = []struct {
	name string
	most float64 // limit for heap allocations, as a fraction, for log-normal sizes
	idle float64 // limit for retained memory of an arena, in mean requests
	set  float64 // limit for the pool's memory per large request, as a fraction of its use
	use  func(r *Region, bytes int)
}{
	{"noscan", 0.1, 3.05, 1.5, func(r *Region, bytes int) {
		for ; bytes > 0; bytes -= 96 {
			New[[12]uint64](r)
		}
	}},
	{"typed", 0.1, 3.05, 1.5, func(r *Region, bytes int) {
		for ; bytes > 0; bytes -= 96 {
			New[[12]*int](r)
		}
	}},
	{"both", 0.1, 3.05, 1.5, func(r *Region, bytes int) {
		for ; bytes > 0; bytes -= 192 {
			New[[12]*int](r)
			New[[6]uint64](r)
			New[[3]string](r)
		}
	}},
	{"append", 0.2, 3.2, 2.5, func(r *Region, bytes int) {
		s := MakeSlice[byte](r, 512, 512)
		for len(s) < bytes {
			s = lengthened(r, s, len(s)+256)
		}
	}},
	{"whole", 0.12, 3.05, 1.5, func(r *Region, bytes int) { MakeSlice[byte](r, bytes, bytes) }},
}

// lengthened returns s with n elements, as Append makes it.
func lengthened[T any](r *Region, s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	return GrowSlice(r, s, n)
}

// simulation has arenas of one pool, all of which are always in use.
type simulation struct {
	stats   PoolStats
	regions []*Region
	sizes   []int // of their requests
	large   int   // maximum number of larger requests in progress at once
}

func newSimulation(n int, chunk, retained uintptr) *simulation {
	s := new(simulation)
	s.stats.Cache.Init(&s.stats, 128<<20)
	for range n {
		r := new(Region)
		r.Init(chunk, retained)
		r.Quota(func(Refusal) { panic("refused") }).Share(&s.stats, statsInUse())
		r.ShareCache(&s.stats.Cache)
		s.regions = append(s.regions, r)
	}
	s.sizes = make([]int, n)
	return s
}

// run ends the request of a random arena and begins the next one, repeatedly. It returns the mean size of
// requests, and the bytes allocated from the heap per request.
func (s *simulation) run(r *rand.Rand, lives int, size func(*rand.Rand) int, use func(*Region, int)) (mean, taken float64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	sum := 0
	for range lives {
		i := r.IntN(len(s.regions))
		s.regions[i].Empty()
		s.sizes[i] = size(r)
		sum += s.sizes[i]
		use(s.regions[i], s.sizes[i])
		large := 0
		for _, n := range s.sizes {
			if n > usual {
				large++
			}
		}
		s.large = max(s.large, large)
	}
	runtime.ReadMemStats(&after)
	return float64(sum) / float64(lives), float64(after.TotalAlloc-before.TotalAlloc) / float64(lives)
}

// retained ends all requests, and returns the mean number of bytes that idle arenas hold.
func (s *simulation) retained() float64 {
	n := uintptr(0)
	for _, x := range s.regions {
		x.Empty()
		n += x.Quota(nil).Held()
	}
	return float64(n) / float64(len(s.regions))
}

// The memory that a pool's arenas retain follows the need of most requests, and the need of the others is not
// allocated each time.
func TestStreams(t *testing.T) {
	if check.On || check.Race || check.ASan || !LayoutOK {
		t.Skip("no memory is used again, or what the build itself takes is counted, too")
	}
	const arenas = 16
	for _, kind := range kinds {
		for _, tt := range streams {
			t.Run(fmt.Sprintf("%s/%s", kind.name, tt.name), func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, 25))
				s := newSimulation(arenas, 4<<10, 32<<20)
				s.run(r, 400*arenas, tt.size, kind.use)
				mean, taken := s.run(r, 400*arenas, tt.size, kind.use)
				idle, spare := s.retained(), int(s.stats.Cache.Bytes())
				t.Logf("requests of %.0f bytes take %.3f of that from the heap; an idle arena retains %.2f times that, the pool %d bytes", mean, taken/mean, idle/mean, spare)
				most := 0.05
				if tt.most == 0 {
					most = kind.most
				}
				if taken > most*mean+50 { // lists of chunks
					t.Errorf("%.3f are from the heap, want %.3f", taken/mean, most)
				}
				if idle > kind.idle*mean {
					t.Errorf("an idle arena retains %.2f times what a request needs", idle/mean)
				}
				// Slices that grow have up to twice their length as capacity, other kinds a third more.
				if tt.most != 0 && float64(spare) > float64(s.large*tt.most)*kind.set {
					t.Errorf("the pool has %d bytes for %d requests of %d", spare, s.large, tt.most)
				}
			})
		}
	}
}
