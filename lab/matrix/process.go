package matrix

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ebbpool/arena/lab/subjects"
)

// Status of a measurement.
const (
	OK       = "ok"
	Crashed  = "crashed"
	TimedOut = "timed out"
	Wrong    = "wrong checksum"
	Corrupt  = "corrupt" // objects read back wrong
)

// Result is a measurement as the parent sees it: one that crashed has no
// values, but a Detail.
type Result struct {
	Status   string
	Checksum uint64
	Values   []Value
	Detail   string
}

// A Measurer carries out one measurement. An error means that the lab itself
// could not; a subject's failure is a Result.
type Measurer func(ctx context.Context, c Cell, least time.Duration) (Result, error)

// patience is the longest that one measurement may take.
const patience = 3 * time.Minute

// Programs are the lab's own executables, by the GOEXPERIMENT that they are
// built with; "" is this program.
type Programs map[string]string

// Build builds the program that a subject's experiment needs, into dir.
func (p Programs) Build(ctx context.Context, dir, experiment string) error {
	out := filepath.Join(dir, "lab-"+experiment)
	cmd := exec.CommandContext(ctx, "go", "build", "-o", out, "github.com/ebbpool/arena/lab/cmd/lab")
	cmd.Env = append(os.Environ(), "GOEXPERIMENT="+experiment)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("GOEXPERIMENT=%s go build: %w: %s", experiment, err, firstLine(string(text)))
	}
	p[experiment] = out
	return nil
}

// Measure is the Measurer that starts the program that the subject needs, with
// the arguments that have it call Child.
func (p Programs) Measure(ctx context.Context, c Cell, least time.Duration) (Result, error) {
	a, err := subjects.FindAllocator(c.Subject)
	if err != nil {
		return Result{}, err
	}
	program, ok := p[a.Experiment]
	if !ok {
		return Result{}, fmt.Errorf("%s needs a program with GOEXPERIMENT=%s", c.Subject, a.Experiment)
	}
	ctxChild, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctxChild, program, "measure", "-workload", c.Workload,
		"-n", strconv.Itoa(c.N), "-subject", c.Subject, "-least", least.String())
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return Result{}, ctx.Err()
	case ctxChild.Err() != nil:
		return Result{Status: TimedOut, Detail: "no result after " + patience.String()}, nil
	case err != nil:
		return Result{Status: Crashed, Detail: firstLine(stderr.String()) + " (" + err.Error() + ")"}, nil
	}
	var o Outcome
	if err := json.Unmarshal(stdout.Bytes(), &o); err != nil {
		return Result{Status: Crashed, Detail: "ended without a result"}, nil
	}
	return o.result(), nil
}

func (o Outcome) result() Result {
	r := Result{Status: OK, Checksum: o.Checksum, Values: o.Values}
	if o.Problem != "" {
		return Result{Status: Wrong, Checksum: o.Checksum, Detail: o.Problem}
	}
	for _, v := range o.Values {
		if v.Metric == WrongReads && v.Value > 0 {
			r.Status = Corrupt
		}
	}
	return r
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if len(line) > 200 {
		line = line[:200]
	}
	return line
}
