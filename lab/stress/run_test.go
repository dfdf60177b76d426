package stress_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/ebbpool/arena/lab/handlers"
	"github.com/ebbpool/arena/lab/stress"
)

var small = stress.Config{Requests: 600, Warmup: 50, Live: 1000, Workers: 8, Seed: 9}

var modes = []string{stress.Handler, stress.HTTP}

func TestRun(t *testing.T) {
	var checksum uint64
	for _, mode := range modes {
		for _, subject := range handlers.Names() {
			t.Run(mode+"/"+subject, func(t *testing.T) {
				c := small
				c.Mode, c.Subject = mode, subject
				r, err := stress.Run(t.Context(), c, nil)
				if err != nil {
					t.Fatal(err)
				}
				if checksum == 0 {
					checksum = r.Checksum
				}
				if r.Checksum != checksum || r.Checksum == 0 {
					t.Errorf("checksum %x, want %x as the others", r.Checksum, checksum)
				}
				if r.Errors != 0 || r.Requests != c.Requests || r.Seconds <= 0 {
					t.Errorf("%d errors, %d requests, %f s", r.Errors, r.Requests, r.Seconds)
				}
				if r.P50 <= 0 || r.P50 > r.P90 || r.P90 > r.P99 || r.P99 > r.P999 || r.P999 > r.P9999 || r.P9999 > r.Max {
					t.Errorf("quantiles out of order: %v %v %v %v %v %v", r.P50, r.P90, r.P99, r.P999, r.P9999, r.Max)
				}
				if r.PauseMax > r.PauseTotal || r.GCShare < 0 || r.GCShare > 1 {
					t.Errorf("collector: worst pause %v of %v, share %f", r.PauseMax, r.PauseTotal, r.GCShare)
				}
			})
		}
	}
}

// TestHarnessDoesNotAllocate: what the harness itself allocates per request
// would be measured as the subject's. The arena's requests allocate nothing on
// the Go heap, so that they show the harness's share.
func TestHarnessDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("under the race detector a sync.Pool drops objects at random")
	}
	for _, c := range []stress.Config{{Mode: stress.Handler}, {Mode: stress.HTTP}, {Mode: stress.Handler, Rate: 20_000}} {
		c.Subject, c.Requests, c.Warmup, c.Workers, c.Seed = handlers.Arena, 10_000, 5000, 4, 1
		r, err := stress.Run(t.Context(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if per := float64(r.Mallocs) / float64(r.Requests); per > 0.2 {
			t.Errorf("%s, %s loop: %.2f allocations per request", c.Mode, r.Loop(), per)
		}
		if r.GCCycles != 0 {
			t.Errorf("%s, %s loop: %d collections", c.Mode, r.Loop(), r.GCCycles)
		}
	}
}

func TestSeedsAndRequestsChangeTheChecksum(t *testing.T) {
	seen := map[uint64]string{}
	check := func(what string, c stress.Config) {
		t.Helper()
		c.Mode, c.Subject = stress.Handler, handlers.Plain
		r, err := stress.Run(t.Context(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[r.Checksum]; ok {
			t.Errorf("%s has the checksum of %s", what, other)
		}
		seen[r.Checksum] = what
	}
	check("the small run", small)
	other := small
	other.Seed++
	check("another seed", other)
	other = small
	other.Requests--
	check("one request less", other)
	again, err := stress.Run(t.Context(), stress.Config{
		Mode: stress.Handler, Subject: handlers.Plain,
		Requests: small.Requests, Workers: 3, Seed: small.Seed,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if seen[again.Checksum] != "the small run" {
		t.Error("workers, warm-up or live objects change the checksum")
	}
	for _, mode := range modes {
		open := small
		open.Mode, open.Subject, open.Rate = mode, handlers.Arena, 5000
		if again, err = stress.Run(t.Context(), open, nil); err != nil {
			t.Fatal(err)
		}
		if seen[again.Checksum] != "the small run" {
			t.Errorf("an open loop of mode %s changes the checksum", mode)
		}
	}
}

func TestBadConfigs(t *testing.T) {
	good := small
	good.Mode, good.Subject = stress.Handler, handlers.Plain
	for what, spoil := range map[string]func(*stress.Config){
		"mode":     func(c *stress.Config) { c.Mode = "udp" },
		"subject":  func(c *stress.Config) { c.Subject = "none" },
		"requests": func(c *stress.Config) { c.Requests = 0 },
		"warmup":   func(c *stress.Config) { c.Warmup = -1 },
		"live":     func(c *stress.Config) { c.Live = -1 },
		"workers":  func(c *stress.Config) { c.Workers = 0 },
		"rate":     func(c *stress.Config) { c.Rate = -1 },
		"low rate": func(c *stress.Config) { c.Rate = 1e-9 },
		"no rate":  func(c *stress.Config) { c.Rate = math.NaN() },
	} {
		c := good
		spoil(&c)
		if _, err := stress.Run(t.Context(), c, nil); err == nil {
			t.Errorf("bad %s: no error", what)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := small
	c.Mode, c.Subject = stress.HTTP, handlers.Plain
	if _, err := stress.Run(ctx, c, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// fake is a Runner that measures nothing.
func fake(spoil func(*stress.Result)) stress.Runner {
	return func(_ context.Context, c stress.Config, progress func(int)) (stress.Result, error) {
		progress(c.Requests / 2)
		r := stress.Result{
			Mode: c.Mode, Subject: c.Subject, Requests: c.Requests,
			Seconds: 1, Checksum: uint64(c.Requests) * 31,
		}
		spoil(&r)
		return r, nil
	}
}

func suite() stress.Suite {
	return stress.Suite{
		Modes: modes, Subjects: handlers.Names(), Rounds: 2, Base: small, HTTPRequests: 300,
	}
}

func TestSuiteOrderAndProgress(t *testing.T) {
	s := suite()
	last := 0
	runs, err := s.Run(t.Context(), fake(func(*stress.Result) {}), func(done int, _ string) {
		if done < last || done > s.Total() {
			t.Errorf("progress went from %d to %d of %d", last, done, s.Total())
		}
		last = done
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := 2 * 3 * (600 + 300); s.Total() != want || last != want {
		t.Errorf("total %d, last %d, want %d", s.Total(), last, want)
	}
	for i, r := range runs {
		if r.Subject != handlers.Names()[i%3] || r.Round != i/3%2+1 || r.Mode != modes[i/6] {
			t.Errorf("run %d is %s, %s, round %d", i, r.Mode, r.Subject, r.Round)
		}
	}
}

// The open loop comes after the closed one, for all at half of what the plain handler
// served in it: the median of 500, 900 and 300.
func TestSuiteOpenLoop(t *testing.T) {
	s := suite()
	s.Modes, s.Rounds, s.OpenLoad, s.OpenMode = []string{stress.Handler}, 3, 0.5, stress.Handler
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	plain := []float64{500, 900, 300}
	run := func(ctx context.Context, c stress.Config, p func(int)) (stress.Result, error) {
		return fake(func(r *stress.Result) {
			r.Offered = c.Rate
			r.Seconds = float64(c.Requests) / 2000
			if c.Subject == handlers.Plain && c.Rate == 0 {
				r.Seconds, plain = float64(c.Requests)/plain[0], plain[1:]
			}
		})(ctx, c, p)
	}
	last := 0
	runs, err := s.Run(t.Context(), run, func(done int, _ string) { last = done })
	if err != nil {
		t.Fatal(err)
	}
	if len(runs) != 18 || last != s.Total() || last != 18*600 {
		t.Fatalf("%d runs, %d of %d requests", len(runs), last, s.Total())
	}
	for i, r := range runs {
		want := 0.0
		if i >= 9 {
			want = 250
		}
		if r.Offered != want || r.Subject != handlers.Names()[i%3] || r.Round != i/3%3+1 {
			t.Errorf("run %d is %s, round %d, at %.0f per second, want %.0f", i, r.Subject, r.Round, r.Offered, want)
		}
	}
	for want, spoil := range map[string]func(*stress.Suite){
		"not among the subjects": func(s *stress.Suite) { s.Subjects = []string{handlers.Arena} },
		"above 0":                func(s *stress.Suite) { s.OpenLoad = -1 },
		"not both":               func(s *stress.Suite) { s.Base.Rate = 5 },
		"not among the modes":    func(s *stress.Suite) { s.OpenMode = stress.HTTP },
	} {
		bad := s
		spoil(&bad)
		if err := bad.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestSuiteDetectsWrongAnswers(t *testing.T) {
	runs, err := suite().Run(t.Context(), fake(func(r *stress.Result) {
		if r.Subject == handlers.Arena && r.Mode == stress.HTTP {
			r.Checksum++
		}
	}), func(int, string) {})
	if !errors.Is(err, stress.ErrMismatch) {
		t.Errorf("got %v, want ErrMismatch", err)
	}
	if len(runs) != 12 {
		t.Errorf("%d runs are shown, want all 12", len(runs))
	}
}

func TestSuiteStopsAtAFailingRun(t *testing.T) {
	broken := errors.New("no memory left")
	calls := 0
	run := func(ctx context.Context, c stress.Config, p func(int)) (stress.Result, error) {
		if calls++; calls == 3 {
			return stress.Result{}, broken
		}
		return fake(func(*stress.Result) {})(ctx, c, p)
	}
	runs, err := suite().Run(t.Context(), run, func(int, string) {})
	if !errors.Is(err, broken) || len(runs) != 2 || calls != 3 {
		t.Errorf("got %v after %d calls and %d runs", err, calls, len(runs))
	}
}
