package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"github.com/ebbpool/arena/lab/handlers"
	"github.com/ebbpool/arena/lab/results"
	"github.com/ebbpool/arena/lab/stress"
)

// demoTable is where the demo's whole table goes.
const demoTable = "results/demo.csv"

func demoCommand() *cli.Command {
	return &cli.Command{
		Name:  "demo",
		Usage: "a loaded HTTP server, three ways, in six lines",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "requests", Value: 50_000, Usage: "of one run"},
			&cli.IntFlag{Name: "live", Value: 1_000_000, Usage: "objects that are alive in the background"},
			&cli.StringFlag{Name: "csv", Value: demoTable, Usage: "write the whole table to `FILE`"},
		},
		Action: runDemo,
	}
}

func runDemo(ctx context.Context, cmd *cli.Command) error {
	const workers = 100
	suite := stress.Suite{
		Modes: []string{stress.HTTP}, Subjects: handlers.Names(), Rounds: 3,
		Base: stress.Config{Requests: cmd.Int("requests"), Live: cmd.Int("live"), Workers: workers, Seed: 1, Warmup: 20 * workers},
	}
	if err := suite.Check(); err != nil {
		return bad(err)
	}
	stdout, stderr := cmd.Root().Writer, cmd.Root().ErrWriter
	warnLoad(stderr)
	bar := newProgress(stderr, suite.Total())
	runs, err := suite.Run(ctx, runner, bar.set)
	bar.finish()
	if err != nil {
		return err
	}
	table, err := results.Runs(runs)
	if err != nil {
		return err
	}
	file := cmd.String("csv")
	if err := table.Save(file); err != nil {
		return err
	}
	if full, err := filepath.Abs(file); err == nil {
		file = full
	}
	fmt.Fprintf(stdout, "%d orders in JSON, over HTTP from %d clients, to a server that keeps %d objects alive; medians of %d runs, all with the same answers.\n",
		suite.Base.Requests, workers, suite.Base.Live, suite.Rounds)
	return results.WriteBars(stdout, runs, file)
}
