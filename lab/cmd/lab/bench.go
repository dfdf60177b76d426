package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/ebbpool/arena/lab/matrix"
	"github.com/ebbpool/arena/lab/page"
	"github.com/ebbpool/arena/lab/ratios"
	"github.com/ebbpool/arena/lab/results"
)

func benchCommand() *cli.Command {
	return &cli.Command{
		Name:  "bench",
		Usage: "run the arena package's benchmarks in rounds and make the table of claims",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "rounds", Value: 5, Usage: "times that all benchmarks run"},
			&cli.StringFlag{Name: "benchtime", Value: "200ms", Usage: "as of go test"},
			&cli.StringFlag{Name: "bench", Value: ratios.Pattern(ratios.Claims), Usage: "as of go test"},
			&cli.StringFlag{Name: "dir", Usage: "the arena package's `DIRECTORY`; found by go list if not given"},
			&cli.StringFlag{Name: "csv", Usage: "write raw rows to `FILE` (docs/bench.csv of the arena package if not given)"},
			&cli.StringFlag{Name: "from", Usage: "read raw rows from `FILE` instead of running benchmarks"},
			&cli.StringFlag{Name: "page", Usage: "put the table between the markers of `FILE`"},
			&cli.StringFlag{Name: "front", Usage: "put the few rows of a README's front between the markers of `FILE`"},
			&cli.BoolFlag{Name: "strict", Usage: "fail when a claim does not hold"},
		},
		Action: runBench,
	}
}

func runBench(ctx context.Context, cmd *cli.Command) error {
	file := cmd.String("from")
	if file == "" {
		var err error
		if file, err = measureBench(ctx, cmd); err != nil {
			return err
		}
	}
	all, err := ratios.Read(file, ratios.Claims)
	if err != nil {
		return bad(err)
	}
	measured := ratios.Newest(all)
	if err := ratios.Columns(measured).WriteText(cmd.Root().Writer); err != nil {
		return err
	}
	return errors.Join(update(cmd.String("page"), page.Bench, ratios.Markdown(all)),
		update(cmd.String("front"), page.Front, ratios.FrontMarkdown(measured)), verdict(cmd.Bool("strict"), measured))
}

// verdict is an error if it is wanted that all claims hold, and one doesn't.
func verdict(strict bool, measured []ratios.Result) error {
	missed := 0
	for _, r := range measured {
		if !r.Holds() {
			missed++
		}
	}
	if !strict || missed == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d claims do not hold", missed, len(measured))
}

// update writes a table into the file that a flag names, if it names one.
func update(file, section, table string) error {
	if file == "" {
		return nil
	}
	return page.Update(file, section, table)
}

// measureBench measures, and returns the file that then has the raw rows.
func measureBench(ctx context.Context, cmd *cli.Command) (string, error) {
	rounds := cmd.Int("rounds")
	if rounds < 1 {
		return "", bad(fmt.Errorf("-rounds %d: at least one is needed", rounds))
	}
	dir := cmd.String("dir")
	if dir == "" {
		out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/ebbpool/arena").Output()
		if err != nil {
			return "", fmt.Errorf("go list can't find the arena package from here; give -dir: %w", err)
		}
		dir = strings.TrimSpace(string(out))
	}
	warnLoad(cmd.Root().ErrWriter)
	// One binary of a kind serves all rounds: what is compared is built once.
	tmp, err := os.MkdirTemp("", "lab-bench-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	plain := benchBinary{file: filepath.Join(tmp, "arena.test"), pattern: cmd.String("bench")}
	if _, err := goRun(ctx, dir, "go", "test", "-c", "-o", plain.file, "./internal/bench"); err != nil {
		return "", err
	}
	binaries := []benchBinary{plain}
	if !cmd.IsSet("bench") {
		profiled, err := buildProfiled(ctx, dir, tmp, plain)
		if err != nil {
			return "", err
		}
		binaries = append(binaries, profiled)
	}
	bar := newProgress(cmd.Root().ErrWriter, rounds)
	var rows []ratios.Row
	for round := 1; round <= rounds; round++ {
		bar.set(round-1, fmt.Sprintf("benchmarks, round %d of %d", round, rounds))
		for _, b := range binaries {
			out, err := b.run(ctx, dir, "-test.benchtime="+cmd.String("benchtime"))
			if err != nil {
				return "", err
			}
			// As go test prints it, for benchstat.
			if _, err := cmd.Root().Writer.Write(out); err != nil {
				return "", err
			}
			part, err := ratios.ParseBench(bytes.NewReader(out), round)
			if err != nil {
				return "", err
			}
			for i := range part {
				part[i].Name = b.prefix + part[i].Name
			}
			rows = append(rows, part...)
		}
	}
	bar.set(rounds, "done")
	bar.finish()
	file := cmd.String("csv")
	if file == "" {
		file = filepath.Join(dir, "docs", "bench.csv")
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return "", err
	}
	return file, here(ratios.Table(rows)).Save(file)
}

// here is a table of what was measured on this machine, now.
func here(t results.Table) results.Figures {
	return results.Figures{Processor: matrix.Processor(), Date: time.Now().Format(time.DateOnly), Table: t}
}

// benchBinary is a test binary, and what is run of it.
type benchBinary struct {
	file, pattern string
	prefix        string // of the names that its rows have
}

func (b benchBinary) run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	return goRun(ctx, dir, b.file, append([]string{"-test.run=^$", "-test.bench=" + b.pattern, "-test.count=1", "-test.timeout=30m"}, args...)...)
}

// buildProfiled builds the benchmarks as a program is built whose owner has a
// profile of it: with one of the same benchmarks, made here and now. It is of the
// arena's alone, as that program's would be: beside the heap and its collector no
// call of an arena's would be among the 99 % that the compiler takes for hot.
func buildProfiled(ctx context.Context, dir, tmp string, plain benchBinary) (benchBinary, error) {
	b := benchBinary{file: filepath.Join(tmp, "arena-pgo.test"), pattern: ratios.ProfiledPattern(ratios.Claims), prefix: ratios.Profiled}
	profile := filepath.Join(tmp, "cpu.pprof")
	plain.pattern = b.pattern + "/./^alloc=arena$"
	if _, err := plain.run(ctx, dir, "-test.benchtime=1s", "-test.cpuprofile="+profile); err != nil {
		return benchBinary{}, err
	}
	_, err := goRun(ctx, dir, "go", "test", "-c", "-pgo="+profile, "-o", b.file, "./internal/bench")
	return b, err
}

// goRun runs a command in dir and returns what it prints.
func goRun(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, out, stderr.Bytes())
	}
	return out, nil
}
