package load

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// stalled is a server that takes some time for each request, and stands still once: all of
// it, as for a collection or a lock.
type stalled struct {
	mu    sync.RWMutex
	seen  atomic.Int64
	takes time.Duration
	at    int64 // the request at which
	stall time.Duration
}

func (s *stalled) Prepare(int) {}

func (s *stalled) Send(int) ([]byte, error) {
	if s.seen.Add(1) == s.at {
		s.mu.Lock()
		defer s.mu.Unlock()
		time.Sleep(s.stall)
		return nil, nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	time.Sleep(s.takes)
	return nil, nil
}

// run has workers send a loop's requests to s, and returns how many it did in a second, and a quantile.
func run(t *testing.T, workers, requests int, loop Loop, s *stalled) (perSecond float64, at func(q float64) time.Duration) {
	t.Helper()
	l, from := New(slices.Repeat([]Sender{s}, workers)), time.Now()
	if err := l.Run(t.Context(), loop); err != nil {
		t.Fatal(err)
	}
	took := time.Since(from)
	h, _, _, err := l.Total()
	if err != nil || h.TotalCount() != int64(requests) {
		t.Fatalf("%d requests: %v", h.TotalCount(), err)
	}
	return float64(requests) / took.Seconds(), func(q float64) time.Duration { return time.Duration(h.ValueAtQuantile(q)) }
}

// A server that stands still for 200 ms holds up the requests that arrive meanwhile: 200 of
// 2,000, with latencies from 200 ms down to nothing. In a closed loop none arrive: it holds
// up the four that are under way.
func TestStallShowsItsQueue(t *testing.T) {
	const n = 2000
	undisturbed(t, func() (wrong []error) {
		_, at := run(t, 4, n, Closed(0, n), &stalled{at: n / 2, stall: 200 * time.Millisecond})
		if at(99) > 20*time.Millisecond || at(100) < 190*time.Millisecond {
			wrong = append(wrong, fmt.Errorf("closed loop: p99 %v, max %v", at(99), at(100)))
		}
		return wrong
	})
	undisturbed(t, func() (wrong []error) {
		rate, at := run(t, 16, n, Open(Arrivals(1, n, 1000)), &stalled{at: n / 2, stall: 200 * time.Millisecond})
		if at(99) < 120*time.Millisecond || at(50) > 20*time.Millisecond || rate < 950 || rate > 1010 {
			wrong = append(wrong, fmt.Errorf("open loop: p50 %v, p99 %v hides the queue of 200, %.0f/s", at(50), at(99), rate))
		}
		return wrong
	})
}

// At a server that can't serve as fast as requests come the last one has waited for nearly
// the whole run.
func TestBehindSchedule(t *testing.T) {
	if rate, at := run(t, 1, 300, Open(Arrivals(1, 300, 1000)), &stalled{takes: 2 * time.Millisecond}); rate > 500 || at(100) < 250*time.Millisecond {
		t.Errorf("%.0f/s, the longest latency is %v: 300 requests of 2 ms, which came within 300 ms", rate, at(100))
	}
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
	if load := Busy(); load > 2*float64(runtime.GOMAXPROCS(0)) {
		t.Skipf("SKIPPED: a load average of %.0f: %v", load, errors.Join(wrong...))
	}
	t.Error(errors.Join(wrong...))
}

// Arrivals are those of a Poisson process, and the same for every side.
func TestArrivals(t *testing.T) {
	const n, rate = 100_000, 50_000.0
	at := Arrivals(7, n, rate)
	if !slices.Equal(at, Arrivals(7, n, rate)) || slices.Equal(at, Arrivals(8, n, rate)) {
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
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	begin := time.Now()
	err := New(slices.Repeat([]Sender{&stalled{}}, 3)).Run(ctx, Open(Arrivals(1, 10, 0.01)))
	if took := time.Since(begin); !errors.Is(err, context.DeadlineExceeded) || took > 30*time.Second {
		t.Errorf("%v after %v", err, took)
	}
}
