package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/urfave/cli/v3"

	"github.com/ebbpool/arena/lab/handlers"
	"github.com/ebbpool/arena/lab/matrix"
	"github.com/ebbpool/arena/lab/results"
	"github.com/ebbpool/arena/lab/stress"
)

// The live heaps of the curve, in objects.
var (
	quickLives = []int{0, 500_000, 1_000_000}
	fullLives  = []int{0, 1_000_000, 5_000_000, 20_000_000}
)

// openLoad is the part of the plain handler's throughput at which requests arrive
// in the open loop. While the collector marks a million objects, that serves little
// more than half of what it serves on average: at half, its queue would grow for as
// long as it marks, and show how long the run was.
const openLoad = 0.4

// lives are the live heaps that -stress names, or those of the run's size.
func lives(cmd *cli.Command, full bool) ([]int, error) {
	if !cmd.IsSet("stress") {
		if full {
			return fullLives, nil
		}
		return quickLives, nil
	}
	var all []int
	for _, text := range list(cmd.String("stress")) {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("-stress %s: %q is no number of live objects", cmd.String("stress"), text)
		}
		all = append(all, n)
	}
	return all, nil
}

// runStressCurve runs the stress test's handler over each live heap, and keeps
// its table of runs. A table that is there already is not made again.
func runStressCurve(ctx context.Context, cmd *cli.Command, folder *matrix.Folder, all []int) error {
	s := folder.Environment.Settings
	for _, live := range all {
		sz := quickCurve(live)
		if s.Full {
			sz = size{requests: 1_000_000, rounds: 5}
		}
		if cmd.IsSet("stress-requests") {
			sz.requests = cmd.Int("stress-requests")
		}
		dir := folder.Dir
		name := filepath.Join(dir, matrix.StressPrefix+strconv.Itoa(live)+".csv")
		if _, err := os.Stat(name); err == nil {
			continue
		}
		suite := stress.Suite{
			Modes: []string{stress.Handler}, Subjects: handlers.Names(), Rounds: sz.rounds, OpenLoad: openLoad, OpenMode: stress.Handler,
			Base: stress.Config{Requests: sz.requests, Live: live, Workers: 100, Seed: 1, Warmup: max(sz.requests/20, 2000)},
		}
		bar := newProgress(cmd.Root().ErrWriter, suite.Total())
		runs, err := suite.Run(ctx, runner, func(done int, what string) {
			bar.set(done, fmt.Sprintf("stress over %d live objects: %s", live, what))
		})
		bar.finish()
		if err != nil {
			return err
		}
		table, err := results.Runs(runs)
		if err != nil {
			return err
		}
		var course bytes.Buffer
		if err := results.WriteTimelines(&course, runs); err != nil {
			return err
		}
		// The table, which says that there is no more to do, is the last.
		timeline := filepath.Join(dir, matrix.TimelinePrefix+strconv.Itoa(live)+".csv")
		if err := os.WriteFile(timeline, course.Bytes(), 0o644); err != nil {
			return err
		}
		if err := table.Save(name); err != nil {
			return err
		}
	}
	return nil
}

// quickCurve is the size of a quick run over a live heap: so many requests
// that the heap's runs have two collections at least, for which a larger
// live heap needs more of them, and so few that all takes less than 100
// seconds on two processors that have nothing else to do.
func quickCurve(live int) size {
	return size{requests: 40_000 + live/100*5, rounds: 3}
}
