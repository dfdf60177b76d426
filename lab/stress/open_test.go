package stress

import (
	"context"
	"errors"
	"fmt"
	"github.com/ebbpool/arena/lab/load"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// stalled is a server that stands still once: all of it, as for a collection
// or a lock.
type stalled struct {
	mu    sync.RWMutex
	seen  atomic.Int64
	at    int64 // the request at which
	stall time.Duration
}

func (s *stalled) Serve(dst, _ []byte) ([]byte, error) {
	if s.seen.Add(1) == s.at {
		s.mu.Lock()
		defer s.mu.Unlock()
		time.Sleep(s.stall)
		return dst, nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return dst, nil
}

// A server that stands still for 50 ms holds up the requests that arrive
// meanwhile: 200 of 8,000, with latencies from 50 ms down to nothing. In a
// closed loop none arrive: it holds up the four that are under way.
func TestStallShowsItsQueue(t *testing.T) {
	c := Config{Mode: Handler, Requests: 8000, Workers: 4, Seed: 1}
	stall := func(c Config) Result {
		t.Helper()
		r, err := runHandler(t.Context(), c, &stalled{at: 4000, stall: 50 * time.Millisecond}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Max < 40*time.Millisecond {
			t.Errorf("%s loop: the longest latency is %v, of a stall of 50 ms", r.Loop(), r.Max)
		}
		return r
	}
	undisturbed(t, func() (wrong []error) {
		if r := stall(c); r.P99 > 10*time.Millisecond {
			wrong = append(wrong, fmt.Errorf("closed loop: p99 %v, which the stall's 4 requests can't be", r.P99))
		}
		return wrong
	})
	c.Rate = 4000
	undisturbed(t, func() (wrong []error) {
		r := stall(c)
		if r.P99 < 20*time.Millisecond || r.P999 < 40*time.Millisecond {
			t.Errorf("open loop: p99 %v and p99.9 %v hide the queue of 200 requests", r.P99, r.P999)
		}
		// The half of the requests that came when there was no queue has none.
		if r.P50 > 5*time.Millisecond {
			wrong = append(wrong, fmt.Errorf("open loop: p50 %v", r.P50))
		}
		if r.Behind() {
			wrong = append(wrong, fmt.Errorf("%.0f requests per second, offered %.0f", r.Rate(), r.Offered))
		}
		if r.Rate() > 1.01*c.Rate || r.Offered != c.Rate {
			t.Errorf("%.0f requests per second, offered %.0f", r.Rate(), r.Offered)
		}
		if r.P50 > r.P90 || r.P90 > r.P99 || r.P99 > r.P999 || r.P999 > r.P9999 || r.P9999 > r.Max {
			t.Errorf("quantiles out of order: %v %v %v %v %v %v", r.P50, r.P90, r.P99, r.P999, r.P9999, r.Max)
		}
		return wrong
	})
}

type slow time.Duration

func (s slow) Serve(dst, _ []byte) ([]byte, error) {
	time.Sleep(time.Duration(s))
	return dst, nil
}

// A server that can't serve as fast as requests come falls behind: the row
// says so, and the last request has waited for nearly the whole run.
func TestBehindSchedule(t *testing.T) {
	c := Config{Mode: Handler, Requests: 300, Workers: 1, Seed: 1, Rate: 1000}
	r, err := runHandler(t.Context(), c, slow(2*time.Millisecond), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Behind() || r.Rate() > 500 {
		t.Errorf("%.0f requests per second are no delay", r.Rate())
	}
	if r.Max < 250*time.Millisecond {
		t.Errorf("the longest latency is %v: 300 requests of 2 ms, which came within 300 ms", r.Max)
	}
}

// At a rate so low that workers sleep between requests, they wake in time.
func TestSleepersAreInTime(t *testing.T) {
	undisturbed(t, func() (wrong []error) {
		r, err := runHandler(t.Context(), Config{Mode: Handler, Requests: 100, Workers: 4, Seed: 1, Rate: 100}, slow(0), nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.P50 > 500*time.Microsecond {
			wrong = append(wrong, fmt.Errorf("p50 %v of a server that does nothing", r.P50))
		}
		if r.Rate() > 110 {
			t.Errorf("%.0f requests per second, want 100", r.Rate())
		}
		return wrong
	})
}

// undisturbed repeats f until nothing is wrong: other programs may have the processors for
// seconds, and what they delay is none of ours.
func undisturbed(t *testing.T, f func() (wrong []error)) {
	t.Helper()
	var wrong []error
	for range 10 {
		if wrong = f(); len(wrong) == 0 {
			return
		}
	}
	if load := Load(); load > 2*float64(runtime.GOMAXPROCS(0)) {
		t.Skipf("SKIPPED: a load average of %.0f: %v", load, errors.Join(wrong...))
	}
	t.Error(errors.Join(wrong...))
}

// Arrivals are those of a Poisson process, and the same for every subject.
func TestArrivals(t *testing.T) {
	const n, rate = 100_000, 50_000.0
	at := load.Arrivals(7, n, rate)
	if !slices.Equal(at, load.Arrivals(7, n, rate)) || slices.Equal(at, load.Arrivals(8, n, rate)) {
		t.Error("the seed alone decides")
	}
	if !slices.IsSorted(at) || at[0] < 0 || at[n-1] > 2*time.Second || at[n-1] < 1990*time.Millisecond {
		t.Errorf("from %v to %v, want all of 2 s", at[0], at[n-1])
	}
	// Gaps of a Poisson process are exponential: as wide as they are long, and
	// one of e is longer than the mean.
	mean, squares, longer := float64(time.Second)/rate, 0.0, 0
	for i := 1; i < n; i++ {
		gap := float64(at[i] - at[i-1])
		squares += (gap - mean) * (gap - mean)
		if gap > mean {
			longer++
		}
	}
	if width := math.Sqrt(squares/n) / mean; width < 0.97 || width > 1.03 {
		t.Errorf("the gaps' standard deviation is %.3f of their mean", width)
	}
	if part := float64(longer) / n; math.Abs(part-1/math.E) > 0.01 {
		t.Errorf("%.3f of the gaps are longer than the mean", part)
	}
}

// A run that waits for its next request ends soon after it is cancelled.
func TestCancelOpenLoop(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	begin := time.Now()
	_, err := runHandler(ctx, Config{Mode: Handler, Requests: 10, Workers: 3, Seed: 1, Rate: 0.01}, slow(0), nil)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(begin); took > 30*time.Second {
		t.Errorf("it took %v to stop", took)
	}
}
