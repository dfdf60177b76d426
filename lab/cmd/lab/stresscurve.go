package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/urfave/cli/v3"

	"github.com/ebbpool/arena/lab/matrix"
	"github.com/ebbpool/arena/lab/results"
	"github.com/ebbpool/arena/lab/stress"
	"github.com/ebbpool/arena/lab/subjects"
)

// The live heaps of the curve, in objects.
var (
	quickLives = []int{0, 1_000_000, 2_000_000}
	fullLives  = []int{0, 1_000_000, 5_000_000, 20_000_000}
)

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
	// So many that the heap's runs have some collections over each live heap:
	// a larger one needs more requests for that.
	sz := size{requests: 200_000, rounds: 3}
	if s.Full {
		sz = size{requests: 1_000_000, rounds: 5}
	}
	if cmd.IsSet("stress-requests") {
		sz.requests = cmd.Int("stress-requests")
	}
	for _, live := range all {
		name := filepath.Join(folder.Dir, matrix.StressPrefix+strconv.Itoa(live)+".csv")
		if _, err := os.Stat(name); err == nil {
			continue
		}
		suite := stress.Suite{
			Modes: []string{stress.Handler}, Subjects: subjects.Names(), Rounds: sz.rounds,
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
		// A run that is cut off leaves no half of a file.
		if err := errors.Join(writeCSV(name+".part", table), os.Rename(name+".part", name)); err != nil {
			return err
		}
	}
	return nil
}
