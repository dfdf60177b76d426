package stress

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/montanaflynn/stats"

	"github.com/ebbpool/arena/lab/handlers"
)

// Suite is a comparison: every subject in every mode, several rounds.
type Suite struct {
	Modes    []string
	Subjects []string
	Rounds   int
	// Base has what the runs have in common: all but mode and subject.
	Base Config
	// HTTPRequests is the number of requests of the HTTP mode; 0 means
	// Base.Requests.
	HTTPRequests int
	// OpenLoad, if not 0, has the rounds of mode OpenMode followed by as many of an
	// open loop. It is the rate at which all subjects' requests arrive there, as a
	// part of what the plain handler served in the closed loop: the median of its
	// rounds. More than 1 is more than that can serve.
	OpenLoad float64
	OpenMode string
	// OpenRequests is the number of requests of the open loop; 0 means as many as in
	// the closed one.
	OpenRequests int
}

// A Runner carries out one run. The lab's is [Process]; tests have others.
type Runner func(ctx context.Context, c Config, progress func(done int)) (Result, error)

// planned is a run of a suite.
type planned struct {
	Config
	round int
	open  bool // its rate comes from the closed loop's runs
}

// plan lists the runs in their order. Subjects alternate within a round, so
// that a disturbance of the machine doesn't hit all rounds of one of them.
func (s Suite) plan() (all []planned) {
	for _, mode := range s.Modes {
		loops := []bool{false}
		if s.OpenLoad != 0 && mode == s.OpenMode {
			loops = append(loops, true)
		}
		for _, open := range loops {
			for round := range s.Rounds {
				for _, subject := range s.Subjects {
					c := s.Base
					c.Mode, c.Subject = mode, subject
					if mode == HTTP && s.HTTPRequests > 0 {
						c.Requests = s.HTTPRequests
					}
					if open && s.OpenRequests > 0 {
						c.Requests = s.OpenRequests
					}
					all = append(all, planned{c, round + 1, open})
				}
			}
		}
	}
	return all
}

// rate returns the rate at which the open loop's requests of a mode arrive, after the closed
// loop's runs.
func (s Suite) rate(runs []Result, mode string) (float64, error) {
	var plain []float64
	for _, r := range runs {
		if r.Mode == mode && r.Subject == handlers.Plain && r.Loop() == Closed {
			plain = append(plain, r.Rate())
		}
	}
	median, err := stats.Median(plain)
	return math.Ceil(s.OpenLoad * median), err
}

// Check refuses a suite that has a run which can't be: an unknown mode or
// subject, a number that is too small.
func (s Suite) Check() error {
	if s.Rounds < 1 {
		return fmt.Errorf("-rounds %d: at least one is needed", s.Rounds)
	}
	if s.OpenLoad != 0 && s.Base.Rate != 0 {
		return fmt.Errorf("a suite has a rate, or one that follows from the throughput of %s, not both", handlers.Plain)
	}
	if s.OpenLoad != 0 && !slices.Contains(s.Subjects, handlers.Plain) {
		return fmt.Errorf("the open loop's rate is a part of the throughput of %s, which is not among the subjects", handlers.Plain)
	}
	if s.OpenLoad < 0 || math.IsNaN(s.OpenLoad) || math.IsInf(s.OpenLoad, 0) {
		return fmt.Errorf("an open loop at %g times the throughput of %s: it must be above 0", s.OpenLoad, handlers.Plain)
	}
	if s.OpenLoad != 0 && !slices.Contains(s.Modes, s.OpenMode) {
		return fmt.Errorf("an open loop in mode %q, which is not among the modes", s.OpenMode)
	}
	for _, c := range s.plan() {
		if c.open {
			c.Rate = 1 // any: the real one is not known yet
		}
		if err := c.check(); err != nil {
			return err
		}
		if !slices.Contains(handlers.Names(), c.Subject) {
			return fmt.Errorf("unknown subject %q; there are %q", c.Subject, handlers.Names())
		}
	}
	return nil
}

// Total is the number of measured requests of all runs.
func (s Suite) Total() int {
	total := 0
	for _, c := range s.plan() {
		total += c.Requests
	}
	return total
}

// Run carries out all runs, one at a time, and verifies that they gave the
// same answers. With an error of Verify the runs are returned too. progress
// is told the number of requests done of Total and what runs now.
func (s Suite) Run(ctx context.Context, run Runner, progress func(done int, what string)) ([]Result, error) {
	var runs []Result
	done := 0
	for _, c := range s.plan() {
		if c.open {
			rate, err := s.rate(runs, c.Mode)
			if err != nil {
				return runs, err
			}
			c.Rate = rate
		}
		what := fmt.Sprintf("%s, %s, round %d of %d", c.Mode, c.Subject, c.round, s.Rounds)
		if c.Rate > 0 {
			what = fmt.Sprintf("%s, open loop at %.0f/s, %s, round %d of %d", c.Mode, c.Rate, c.Subject, c.round, s.Rounds)
		}
		progress(done, what)
		r, err := run(ctx, c.Config, func(n int) { progress(done+n, what) })
		if err != nil {
			return runs, fmt.Errorf("%s: %w", what, err)
		}
		r.Round = c.round
		runs = append(runs, r)
		done += c.Requests
	}
	progress(done, "done")
	return runs, Verify(runs)
}

// message is one line that a child process prints.
type message struct {
	Done   int     `json:",omitempty"`
	Result *Result `json:",omitempty"`
}

// Child is the other side of Process: it runs c in this process and writes
// how it goes and what came of it to w.
func Child(ctx context.Context, c Config, w io.Writer) error {
	enc := json.NewEncoder(w)
	r, err := Run(ctx, c, func(done int) {
		_ = enc.Encode(message{Done: done}) // a parent that is gone shows at the end
	})
	if err != nil {
		return err
	}
	return enc.Encode(message{Result: &r})
}

// Process returns a Runner that runs each configuration in a process of its
// own, of this program: no subject meets a heap that another has shaped.
// argv makes the arguments that have the program call Child.
func Process(argv func(Config) []string) Runner {
	return func(ctx context.Context, c Config, progress func(int)) (Result, error) {
		exe, err := os.Executable()
		if err != nil {
			return Result{}, err
		}
		var stderr bytes.Buffer
		cmd := exec.CommandContext(ctx, exe, argv(c)...)
		cmd.Stderr = &stderr
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			return Result{}, err
		}
		if err := cmd.Start(); err != nil {
			return Result{}, err
		}
		var last *Result
		lines := bufio.NewScanner(stdout)
		var bad error
		for lines.Scan() {
			var m message
			if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
				bad = fmt.Errorf("the child printed %q: %w", lines.Text(), err)
				continue
			}
			if m.Result != nil {
				last = m.Result
			} else {
				progress(m.Done)
			}
		}
		err = errors.Join(bad, lines.Err(), cmd.Wait())
		if err == nil && last == nil {
			err = errors.New("the child ended without a result")
		}
		if err != nil {
			return Result{}, fmt.Errorf("%w\n%s", err, strings.TrimSpace(stderr.String()))
		}
		return *last, nil
	}
}
