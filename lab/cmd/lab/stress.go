package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/ebbpool/arena/lab/handlers"
	"github.com/ebbpool/arena/lab/page"
	"github.com/ebbpool/arena/lab/results"
	"github.com/ebbpool/arena/lab/stress"
)

// The sizes of a run; flags override each number.
type size struct{ requests, httpRequests, openRequests, live, rounds int }

var (
	// usual takes some minutes on two processors.
	usual = size{300_000, 100_000, 100_000, 2_000_000, 3}
	// quick ends within 90 seconds on two processors.
	quick = size{100_000, 30_000, 30_000, 1_000_000, 3}
	// full is the load that the project's claims are about.
	full = size{1_000_000, 1_000_000, 200_000, 5_000_000, 5}
)

// claimed reports whether the run is as large as the claims are about.
func (s size) claimed() bool {
	return s.requests >= full.requests && s.httpRequests >= full.httpRequests && s.live >= full.live
}

func stressCommand() *cli.Command {
	return &cli.Command{
		Name:  "stress",
		Usage: "a loaded HTTP server and its handler: plain Go, sonic with sync.Pool, arenas",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "quick", Usage: "a small run, for a first look"},
			&cli.BoolFlag{Name: "full", Usage: "1,000,000 requests with 5,000,000 live objects"},
			&cli.IntFlag{Name: "requests", Usage: "measured requests of one run, in all modes", DefaultText: "by size"},
			&cli.IntFlag{Name: "live", Usage: "objects that are alive in the background", DefaultText: "by size"},
			&cli.IntFlag{Name: "workers", Value: 100, Usage: "goroutines that send requests"},
			&cli.Float64Flag{Name: "rate", Usage: "requests that arrive each second whether or not others are done (an open loop); 0: workers wait for their answers"},
			&cli.Float64Flag{Name: "open", Value: 0.6, Usage: "have the server's closed loop followed by an open one, at that part of what the plain handler served; 0: no"},
			&cli.IntFlag{Name: "rounds", Usage: "runs of each subject in each mode", DefaultText: "by size"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "of requests and live objects"},
			&cli.StringFlag{Name: "modes", Value: stress.Handler + "," + stress.HTTP, Usage: "which to run"},
			&cli.StringFlag{Name: "subjects", Value: strings.Join(handlers.Names(), ","), Usage: "which to compare"},
			&cli.StringFlag{Name: "csv", Usage: "write the table of runs to `FILE`, the ratios beside it; those of another maker's processor stay"},
			&cli.StringFlag{Name: "page", Usage: "write the ratios of -csv, of this processor and of others, into the page `FILE`, between its markers"},
			&cli.StringFlag{Name: "front", Usage: "write the medians of the handler into the page `FILE`, between its markers"},
		},
		Action: runStress,
	}
}

// runner carries out one run in a process of its own; a test has another.
var runner = stress.Process(childArgs)

func runStress(ctx context.Context, cmd *cli.Command) error {
	sz := usual
	switch {
	case cmd.Bool("quick") && cmd.Bool("full"):
		return bad(errors.New("-quick and -full exclude each other"))
	case cmd.Bool("quick"):
		sz = quick
	case cmd.Bool("full"):
		sz = full
	}
	if cmd.String("page") != "" && cmd.String("csv") == "" {
		return bad(errors.New("-page needs -csv: the page has what is kept there"))
	}
	if cmd.IsSet("requests") {
		sz.requests, sz.httpRequests, sz.openRequests = cmd.Int("requests"), cmd.Int("requests"), cmd.Int("requests")
	}
	if cmd.IsSet("live") {
		sz.live = cmd.Int("live")
	}
	if cmd.IsSet("rounds") {
		sz.rounds = cmd.Int("rounds")
	}
	suite := stress.Suite{
		Modes:        strings.Split(cmd.String("modes"), ","),
		Subjects:     strings.Split(cmd.String("subjects"), ","),
		Rounds:       sz.rounds,
		HTTPRequests: sz.httpRequests,
		Base: stress.Config{
			Requests: sz.requests, Live: sz.live, Workers: cmd.Int("workers"), Seed: cmd.Uint64("seed"),
			Rate: cmd.Float64("rate"),
			// Enough to fill every pool and buffer, for any number of workers.
			Warmup: max(sz.requests/20, 20*cmd.Int("workers")),
		},
	}
	if open := cmd.Float64("open"); cmd.IsSet("open") || suite.Base.Rate == 0 && slices.Contains(suite.Modes, stress.HTTP) && slices.Contains(suite.Subjects, handlers.Plain) {
		suite.OpenLoad, suite.OpenMode, suite.OpenRequests = open, stress.HTTP, sz.openRequests
	}
	if err := suite.Check(); err != nil {
		return bad(err)
	}
	stdout, stderr := cmd.Root().Writer, cmd.Root().ErrWriter
	warnLoad(stderr)
	fmt.Fprintf(stdout, "%s %s/%s, %d processors; %d requests (http: %d), %d workers, %d live objects, seed %d\n\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0),
		sz.requests, sz.httpRequests, suite.Base.Workers, sz.live, suite.Base.Seed)
	bar := newProgress(stderr, suite.Total())
	runs, err := suite.Run(ctx, runner, bar.set)
	bar.finish()
	if len(runs) == 0 {
		return err
	}
	// What was measured is shown even if the answers differ: it helps to see
	// which run is at fault. The exit code tells that it is no result.
	if err = errors.Join(err, writeRuns(stdout, runs, sz.claimed(), cmd)); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "\nAll %d runs gave the same answers (checksum of the first: %016x).\n",
		len(runs), runs[0].Checksum)
	return nil
}

// warnLoad tells when the machine has something else to do.
func warnLoad(w io.Writer) {
	if load := stress.Load(); load > 0.7 {
		fmt.Fprintf(w, "WARNING: this machine is busy (load average %.2f): times and ratios will be off\n", load)
	}
}

func writeRuns(w io.Writer, runs []results.Run, full bool, cmd *cli.Command) error {
	table, err := results.Runs(runs)
	if err != nil {
		return err
	}
	compared, err := results.Compare(runs, handlers.Arena)
	if err != nil {
		return err
	}
	ratios := results.Ratios(compared, full)
	if err := table.WriteText(w); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nAbove 1: the arena does better. Each round gives one ratio.")
	if err := ratios.WriteText(w); err != nil {
		return err
	}
	if file := cmd.String("front"); file != "" {
		medians, err := results.Summary(table, stress.Handler, results.Closed)
		if err != nil {
			return err
		}
		if err := page.Update(file, page.Load, medians.Markdown()); err != nil {
			return err
		}
	}
	csvFile := cmd.String("csv")
	if csvFile == "" {
		return nil
	}
	ext := filepath.Ext(csvFile)
	ratiosFile := strings.TrimSuffix(csvFile, ext) + "-ratios" + ext
	if err := errors.Join(here(table).Save(csvFile), here(ratios).Save(ratiosFile)); err != nil {
		return err
	}
	if file := cmd.String("page"); file != "" {
		kept, err := results.ReadFigures(ratiosFile)
		if err != nil {
			return err
		}
		beside, err := results.RatiosBeside(kept)
		if err != nil {
			return err
		}
		return page.Update(file, page.Stress, beside.Markdown())
	}
	return nil
}

// childCommand is how stress starts itself again, once for each run.
func childCommand() *cli.Command {
	return &cli.Command{
		Name:   "child",
		Hidden: true,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "mode", Required: true},
			&cli.StringFlag{Name: "subject", Required: true},
			&cli.IntFlag{Name: "requests", Required: true},
			&cli.IntFlag{Name: "warmup", Required: true},
			&cli.IntFlag{Name: "live", Required: true},
			&cli.IntFlag{Name: "workers", Required: true},
			&cli.Uint64Flag{Name: "seed", Required: true},
			&cli.Float64Flag{Name: "rate", Required: true},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			return stress.Child(ctx, stress.Config{
				Mode: cmd.String("mode"), Subject: cmd.String("subject"),
				Requests: cmd.Int("requests"), Warmup: cmd.Int("warmup"), Live: cmd.Int("live"),
				Workers: cmd.Int("workers"), Seed: cmd.Uint64("seed"), Rate: cmd.Float64("rate"),
			}, cmd.Root().Writer)
		},
	}
}

func childArgs(c stress.Config) []string {
	return []string{"child",
		"-mode", c.Mode, "-subject", c.Subject,
		"-requests", strconv.Itoa(c.Requests), "-warmup", strconv.Itoa(c.Warmup),
		"-live", strconv.Itoa(c.Live), "-workers", strconv.Itoa(c.Workers),
		"-seed", strconv.FormatUint(c.Seed, 10), "-rate", strconv.FormatFloat(c.Rate, 'g', -1, 64),
	}
}
