package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/ebbpool/arena/lab/matrix"
)

func runCommand() *cli.Command {
	return &cli.Command{
		Name:  "run",
		Usage: "measure every workload with every subject, in both languages, and keep all of it",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "quick", Usage: "the smaller sizes; what is done without a flag"},
			&cli.BoolFlag{Name: "full", Usage: "all sizes, longer measurements and more rounds"},
			&cli.BoolFlag{Name: "resume", Usage: "go on with the folder of -out, or the newest"},
			&cli.StringFlag{Name: "out", Usage: "keep the results in `FOLDER`", DefaultText: "results/<date>-<host kind>"},
			&cli.StringFlag{Name: "only", Usage: "`WORKLOADS` to run, with commas"},
			&cli.StringFlag{Name: "subjects", Usage: "`SUBJECTS` to run, with commas"},
			&cli.IntFlag{Name: "rounds", Value: matrix.LeastRounds, Usage: "times that all is measured"},
			&cli.DurationFlag{Name: "within", Value: quickWithin, Usage: "no further round is begun after `TIME`; 0 is no bound, as with -full"},
			&cli.DurationFlag{Name: "least", Value: 15 * time.Millisecond, Usage: "of one measurement, after its warm-up"},
			&cli.Uint64Flag{Name: "seed", Usage: "of the order", DefaultText: "the time"},
			&cli.StringFlag{Name: "builds", Usage: "`BUILDS` to measure in besides the plain one, with commas; empty leaves them and the use-after-free program out", DefaultText: "race,asan,cover, in a run of everything"},
			&cli.StringFlag{Name: "go", Usage: "`GO` commands or toolchains (go1.27.0, newest) to measure a few workloads with, with commas; empty leaves them out", DefaultText: "newest, in a run of everything"},
			&cli.StringFlag{Name: "cpp", Value: "../cpp", Usage: "`FOLDER` of the C++ half; empty leaves it out"},
			&cli.StringFlag{Name: "stress", Usage: "live `OBJECTS` of the stress test's runs, with commas; empty leaves them out", DefaultText: "by size"},
			&cli.IntFlag{Name: "stress-requests", Usage: "of one run of the stress test", DefaultText: "by size"},
			&cli.StringFlag{Name: "results", Value: "results", Usage: "`FOLDER` that has the results folders"},
		},
		Action: runMatrix,
	}
}

// quickWithin bounds a quick run's matrix: a machine on which it takes longer has
// fewer rounds.
const quickWithin = 6 * time.Minute

// measurer carries out the measurements; a test has others.
var (
	measurer = func(p matrix.Programs) matrix.Measurer { return p.Measure }
	lanes    = matrix.Lanes
)

func runMatrix(ctx context.Context, cmd *cli.Command) error {
	if cmd.IsSet("cpp") && cmd.String("cpp") != "" {
		// Asked for by name, it must be there; else it is measured where it can be.
		if _, _, err := matrix.CppBuilds(cmd.String("cpp")); err != nil {
			return bad(err)
		}
	}
	if _, err := lives(cmd, false); err != nil {
		return bad(err)
	}
	folder, err := resultsFolder(ctx, cmd)
	if err != nil {
		return bad(err)
	}
	stdout, stderr := cmd.Root().Writer, cmd.Root().ErrWriter
	fmt.Fprintf(stdout, "results go to %s\n", folder.Dir)
	warnLoad(stderr)
	if env := folder.Environment; env.Dirty() {
		fmt.Fprintf(stderr, "WARNING: there are uncommitted changes (%s): lab report will refuse these results\n", env.Commit)
	}
	tmp, err := os.MkdirTemp("", "lab-run-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	programs, leave, err := build(ctx, folder, tmp, stderr)
	if err != nil {
		return err
	}
	bar := newProgress(stderr, len(folder.Environment.Settings.Plan()))
	err = folder.Run(ctx, measurer(programs), lanes(), leave, bar.set)
	bar.finish()
	settings := folder.Environment.Settings
	if err == nil {
		err = runMisuse(ctx, folder, programs, leave, stderr)
	}
	everything := settings.Everything()
	if err == nil && cmd.String("cpp") != "" && (everything || cmd.IsSet("cpp")) {
		err = runCpp(ctx, folder, cmd.String("cpp"), stderr)
	}
	if err == nil && (everything || cmd.IsSet("stress")) {
		var all []int
		if all, err = lives(cmd, settings.Full); err == nil {
			err = runStressCurve(ctx, cmd, folder, all)
		}
	}
	if ctx.Err() != nil {
		return fmt.Errorf("stopped; what is done is kept, and this goes on with it: lab run -resume -out %s", folder.Dir)
	}
	if err != nil {
		return err
	}
	return failures(stdout, folder)
}

// resultsFolder makes the folder, or opens the one to go on with.
func resultsFolder(ctx context.Context, cmd *cli.Command) (*matrix.Folder, error) {
	settings := matrix.Settings{
		Seed: cmd.Uint64("seed"), Rounds: cmd.Int("rounds"), Least: cmd.Duration("least"), Full: cmd.Bool("full"), Within: cmd.Duration("within"),
		Workloads: list(cmd.String("only")), Subjects: list(cmd.String("subjects")),
	}
	if cmd.Bool("quick") && settings.Full {
		return nil, errors.New("-quick and -full exclude each other")
	}
	if settings.Full && !cmd.IsSet("least") {
		settings.Least = 200 * time.Millisecond
	}
	if settings.Full && !cmd.IsSet("within") {
		settings.Within = 0
	}
	if settings.Full && !cmd.IsSet("rounds") {
		settings.Rounds = 11
	}
	if !cmd.IsSet("seed") {
		settings.Seed = uint64(time.Now().UnixNano())
	}
	if err := addBuilds(ctx, cmd, &settings); err != nil {
		return nil, err
	}
	if err := settings.Check(); err != nil {
		return nil, err
	}
	here := matrix.Here(settings)
	if cmd.Bool("resume") {
		return resume(cmd, here)
	}
	dir := cmd.String("out")
	if dir == "" {
		dir = freeName(filepath.Join(cmd.String("results"), time.Now().Format(time.DateOnly)+"-"+here.Kind()))
	}
	return matrix.Create(dir, here)
}

// resume opens a folder to go on with: its settings are those of its run.
func resume(cmd *cli.Command, here matrix.Environment) (*matrix.Folder, error) {
	for _, flag := range []string{"seed", "rounds", "within", "least", "full", "only", "subjects", "builds", "go"} {
		if cmd.IsSet(flag) {
			return nil, fmt.Errorf("-%s and -resume exclude each other: a run goes on as it began", flag)
		}
	}
	dir := cmd.String("out")
	if dir == "" {
		newest, err := matrix.Newest(cmd.String("results"))
		if err != nil {
			return nil, err
		}
		dir = newest
	}
	env, err := matrix.ReadEnvironment(dir)
	if err != nil {
		return nil, err
	}
	if err := env.Same(here); err != nil {
		return nil, err
	}
	if err := matrix.Repair(dir); err != nil {
		return nil, err
	}
	return matrix.Open(dir)
}

// failures lists what is no result, and is an error if a subject did other
// work than the rest: then the lab or the subject is broken.
func failures(w io.Writer, folder *matrix.Folder) error {
	wrong := 0
	seen := map[string]bool{}
	for _, r := range matrix.Judge(folder.Rows) {
		if r.Status == matrix.OK {
			continue
		}
		if r.Status == matrix.Wrong {
			wrong++
		}
		line := fmt.Sprintf("%s: %s %s", r.Cell, r.Status, r.Detail)
		if !seen[line] {
			seen[line] = true
			fmt.Fprintln(w, line)
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d measurements gave another checksum than the rest", wrong)
	}
	fmt.Fprintln(w, "every subject did the same work; draw the report with: lab report")
	return nil
}

func list(flag string) []string {
	if flag == "" {
		return nil
	}
	return strings.Split(flag, ",")
}

// freeName is name, with a number behind it if that is taken.
func freeName(name string) string {
	free := name
	for i := 2; ; i++ {
		if _, err := os.Stat(free); errors.Is(err, os.ErrNotExist) {
			return free
		}
		free = fmt.Sprintf("%s-%d", name, i)
	}
}
