package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/ebbpool/arena/lab/handlers"
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
			&cli.StringFlag{Name: "out", Value: "results/stress.txt", Usage: "write the results to `FILE`"},
			&cli.StringFlag{Name: "from", Usage: "take the results of `FILE` in place of measuring"},
			&cli.BoolFlag{Name: "publish", Usage: "keep the medians of a -full run in docs/figures.csv, and make the pages' tables anew"},
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
	if cmd.Bool("publish") && !cmd.Bool("full") && cmd.String("from") == "" {
		return bad(errors.New("-publish needs -full: of a smaller load nothing is claimed"))
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
	stdout := cmd.Root().Writer
	fmt.Fprintf(stdout, "%s %s/%s, %d processors; %d requests (http: %d), %d workers, %d live objects, seed %d\n\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0),
		sz.requests, sz.httpRequests, suite.Base.Workers, sz.live, suite.Base.Seed)
	return results(cmd, "stress", func(w io.Writer, _ int) error {
		runs, err := suite.Run(ctx, runner, says(cmd))
		fmt.Fprintf(w, "goos: %s\ngoarch: %s\ncpu: %s\n", runtime.GOOS, runtime.GOARCH, stress.Processor())
		for _, r := range runs {
			err = errors.Join(err, r.Write(w), r.Write(stdout))
		}
		return err
	})
}

// says is a progress that prints a line for each run.
func says(cmd *cli.Command) func(done int, what string) {
	last := ""
	return func(_ int, what string) {
		if what != last {
			fmt.Fprintln(cmd.Root().ErrWriter, what)
			last = what
		}
	}
}

func demoCommand() *cli.Command {
	return &cli.Command{
		Name:  "demo",
		Usage: "a loaded HTTP server, three ways, in six lines",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "requests", Value: 50_000, Usage: "of one run"},
			&cli.IntFlag{Name: "live", Value: 1_000_000, Usage: "objects that are alive in the background"},
			&cli.StringFlag{Name: "out", Value: "results/demo.txt", Usage: "write the results to `FILE`"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			const workers = 100
			suite := stress.Suite{
				Modes: []string{stress.HTTP}, Subjects: handlers.Names(), Rounds: 3,
				Base: stress.Config{Requests: cmd.Int("requests"), Live: cmd.Int("live"), Workers: workers, Seed: 1, Warmup: 20 * workers},
			}
			if err := suite.Check(); err != nil {
				return bad(err)
			}
			warnLoad(cmd.Root().ErrWriter)
			runs, err := suite.Run(ctx, runner, says(cmd))
			if err != nil {
				return err
			}
			file, err := create(cmd.String("out"))
			if err != nil {
				return err
			}
			defer file.Close()
			for _, r := range runs {
				if err := r.Write(file); err != nil {
					return err
				}
			}
			stdout := cmd.Root().Writer
			fmt.Fprintf(stdout, "%d orders in JSON, over HTTP from %d clients, to a server that keeps %d objects alive; medians of %d runs, all with the same answers.\n",
				suite.Base.Requests, workers, suite.Base.Live, suite.Rounds)
			if err := stress.WriteBars(stdout, runs); err != nil {
				return err
			}
			_, err = fmt.Fprintf(stdout, "All that was measured, for benchstat: %s\n", file.Name())
			return err
		},
	}
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
