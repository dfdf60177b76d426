package load

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// stalled is a server that takes some time for each request, and stalls once, as for a collection or a lock.
type stalled struct {
	seen  atomic.Int64
	takes time.Duration
	at    int64 // the request at which it stalls
	stall time.Duration
	until atomic.Int64 // the end of the stall
}

func (s *stalled) Prepare(int) {}

func (s *stalled) Send(int) ([]byte, error) {
	now := time.Now().UnixNano()
	if s.seen.Add(1) == s.at {
		s.until.Store(now + int64(s.stall))
		time.Sleep(s.stall)
		return nil, nil
	}
	time.Sleep(time.Duration(max(s.until.Load()-now, 0)) + s.takes)
	return nil, nil
}

// run sends a loop's requests to s, and returns the throughput per second and a function for quantiles.
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

// Requests that arrive while a server is stopped for 200 ms have latencies from 200 ms down to nothing: 200 of 2,000 in
// an open loop. A closed loop hides them, because only the workers' own requests wait.
func TestStallShowsItsQueue(t *testing.T) {
	const n = 2000
	t.Run("closed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, at := run(t, 4, n, Closed(0, n), &stalled{at: n / 2, stall: 200 * time.Millisecond, takes: time.Millisecond})
			if at(99) > 2*time.Millisecond || at(100) < 199*time.Millisecond {
				t.Errorf("p99 %v, max %v, want 1 ms and 200 ms", at(99), at(100))
			}
		})
	})
	t.Run("open", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			rate, at := run(t, 16, n, Open(Arrivals(1, n, 1000)), &stalled{at: n / 2, stall: 200 * time.Millisecond})
			if at(99) < 150*time.Millisecond || at(50) > time.Millisecond || rate < 990 || rate > 1010 {
				t.Errorf("p50 %v, p99 %v, %.0f requests/s, want nothing, 180 ms and 1000", at(50), at(99), rate)
			}
		})
	})
}

// If a server is slower than its requests arrive, the last request waits for nearly the whole run.
func TestBehindSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rate, at := run(t, 1, 300, Open(Arrivals(1, 300, 1000)), &stalled{takes: 2 * time.Millisecond})
		if rate < 490 || rate > 500 || at(100) < 290*time.Millisecond {
			t.Errorf("%.0f requests/s, max %v, want 500 and 300 ms", rate, at(100))
		}
	})
}

// Arrivals form a Poisson process, and are the same for every side.
func TestArrivals(t *testing.T) {
	const n, rate = 100_000, 50_000.0
	at := Arrivals(7, n, rate)
	if !slices.Equal(at, Arrivals(7, n, rate)) || slices.Equal(at, Arrivals(8, n, rate)) {
		t.Error("the seed alone decides")
	}
	if !slices.IsSorted(at) || at[0] < 0 || at[n-1] > 2*time.Second || at[n-1] < 1990*time.Millisecond {
		t.Errorf("from %v to %v, want all of 2 s", at[0], at[n-1])
	}
	// Gaps of a Poisson process are exponential: their standard deviation equals their mean, and 1/e of them
	// exceed the mean.
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

// A run that waits for its next request ends soon after it is canceled.
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		begin := time.Now()
		err := New(slices.Repeat([]Sender{&stalled{}}, 3)).Run(ctx, Open(Arrivals(1, 10, 0.01)))
		if took := time.Since(begin); !errors.Is(err, context.DeadlineExceeded) || took > 200*time.Millisecond {
			t.Errorf("%v after %v", err, took)
		}
	})
}
