// Package rounds is the one harness: benchmark binaries take turns, round by round, and
// what they print is kept as it is, in Go's benchmark format, which benchstat reads.
package rounds

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// Program is a benchmark binary.
type Program struct {
	Build string // how it was built, or of which module it is, as the results' configuration says; "" is as users build it
	Dir   string // to run it in
	Path  string
	Args  []string
	Env   []string // beside this process's
}

// Compile builds the test binary of a package into out, with flags of go build and
// variables of the environment.
func Compile(ctx context.Context, dir, out, pkg string, flags []string, env ...string) error {
	args := append([]string{"test", "-c", "-o", out}, flags...)
	_, err := run(ctx, Program{Dir: dir, Path: "go", Args: append(args, pkg), Env: env})
	return err
}

// Benchmarks are the arguments that have a test binary run the benchmarks that match a
// pattern, for so long each.
func Benchmarks(pattern, benchtime string) []string {
	return []string{"-test.run=^$", "-test.bench=" + pattern, "-test.benchtime=" + benchtime, "-test.timeout=30m"}
}

// Run has each program run once in each round, in an order that chance gives, and writes
// what they print to w. failed is told of a program that fails; it ends the run where it
// returns an error.
func Run(ctx context.Context, w io.Writer, rounds int, programs []Program, failed func(Program, error) error) error {
	for round := range rounds {
		for _, i := range rand.Perm(len(programs)) {
			p := programs[i]
			out, err := run(ctx, p)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				if err := failed(p, err); err != nil {
					return err
				}
				continue
			}
			if _, err := fmt.Fprintf(w, "round: %d\nbuild: %s\ntoolchain: %s\n%s", round+1, p.Build, runtime.Version(), out); err != nil {
				return err
			}
		}
	}
	return nil
}

// run returns what a program prints.
func run(ctx context.Context, p Program) ([]byte, error) {
	cmd := exec.CommandContext(ctx, p.Path, p.Args...)
	cmd.Dir, cmd.Env = p.Dir, append(os.Environ(), p.Env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s%s", p.Path, strings.Join(p.Args, " "), err, out, stderr.Bytes())
	}
	return out, nil
}
