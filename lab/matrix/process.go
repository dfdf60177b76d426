package matrix

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
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

// Measure is the Measurer that starts the program that the cell needs, with
// the arguments that have it call Child.
func (p Programs) Measure(ctx context.Context, c Cell, least time.Duration) (Result, error) {
	need, err := c.Program()
	if err != nil {
		return Result{}, err
	}
	program, ok := p[need]
	if !ok {
		return Result{}, fmt.Errorf("%s needs the %s", c.Subject, need)
	}
	child := start(ctx, program, c.arguments(least, true))
	switch {
	case ctx.Err() != nil:
		return Result{}, ctx.Err()
	case child.late:
		return Result{Status: TimedOut, Detail: "no result after " + patience.String()}, nil
	case child.err != nil:
		return Result{Status: Crashed, Detail: firstLine(child.stderr) + " (" + child.err.Error() + ")"}, nil
	}
	var o Outcome
	if err := json.Unmarshal(child.stdout, &o); err != nil {
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
