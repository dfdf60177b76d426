// Package rounds runs benchmark binaries in turn, round by round, and stores their output in Go's benchmark
// format, for benchstat.
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
	Build string // its build or module, as in the configuration of the results; "" is a plain build
	Dir   string // working directory
	Path  string
	Args  []string
	Env   []string // added to this process's
}

// Compile compiles the test binary of a package to out, with flags for go build and environment variables.
func Compile(ctx context.Context, dir, out, pkg string, flags []string, env ...string) error {
	args := append([]string{"test", "-c", "-o", out}, flags...)
	_, err := run(ctx, Program{Dir: dir, Path: "go", Args: append(args, pkg), Env: env})
	return err
}

// Benchmarks returns the arguments of a test binary for the benchmarks that match pattern.
func Benchmarks(pattern, benchtime string) []string {
	return []string{"-test.run=^$", "-test.bench=" + pattern, "-test.benchtime=" + benchtime, "-test.timeout=30m"}
}

// Run runs each program once per round, in random order, and writes their output to w. It calls failed for a
// program that fails, and ends if that returns an error.
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

// run returns the output of a program.
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
