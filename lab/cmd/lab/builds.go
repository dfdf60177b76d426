package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/ebbpool/arena/lab/matrix"
)

// addBuilds puts the builds of -builds and -go into the settings: by default
// all there are if the run is one of everything, else none.
func addBuilds(ctx context.Context, cmd *cli.Command, s *matrix.Settings) error {
	known := matrix.Builds()
	var names []string
	for _, b := range known {
		names = append(names, b.Name)
	}
	wanted, goes := list(cmd.String("builds")), list(cmd.String("go"))
	if s.Everything() && !cmd.IsSet("builds") {
		wanted = names
	}
	if s.Everything() && !cmd.IsSet("go") {
		goes = []string{matrix.NewestGo}
	}
	for _, name := range wanted {
		i := slices.Index(names, name)
		if i < 0 {
			return fmt.Errorf("-builds %s is unknown: there are %s", name, strings.Join(names, ", "))
		}
		s.Builds = append(s.Builds, known[i])
		s.Misuse = true
	}
	for _, name := range goes {
		b, err := matrix.WithGo(ctx, name)
		if err != nil {
			return err
		}
		if name == matrix.NewestGo && b.Name == runtime.Version() {
			continue // the plain build has it
		}
		s.Builds = append(s.Builds, b)
	}
	return nil
}

// build makes the programs that the run needs, each once. What can't be built
// is left out, and the environment says why. Only the plain program has a
// substitute: this one, which starts more slowly.
func build(ctx context.Context, folder *matrix.Folder, tmp string, w io.Writer) (matrix.Programs, map[matrix.Program]bool, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	programs, leave := matrix.Programs{{}: exe}, map[matrix.Program]bool{}
	env := &folder.Environment
	env.Notes = nil
	byName := map[string]matrix.Build{}
	for _, b := range env.Settings.Builds {
		byName[b.Name] = b
	}
	needed, err := env.Settings.Programs()
	if err != nil {
		return nil, nil, err
	}
	bar := newProgress(w, len(needed))
	defer bar.finish()
	for i, p := range needed {
		if leave[matrix.Program{Build: p.Build}] {
			leave[p] = true // for the same reason, which is noted already
			continue
		}
		bar.set(i, "building the "+p.String())
		switch err := programs.Build(ctx, tmp, byName[p.Build], p.Experiment); {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case err == nil:
		case p == matrix.Program{}:
			fmt.Fprintln(w, "this program itself measures:", err)
		default:
			leave[p] = true
			env.Notes = append(env.Notes, note(p, byName[p.Build], err))
		}
	}
	return programs, leave, folder.SaveEnvironment()
}

// note says what is not measured because its program can't be built.
func note(p matrix.Program, b matrix.Build, err error) string {
	switch {
	case b.Go != "" || b.Toolchain != "":
		return fmt.Sprintf("not measured with %s: %v", p.Build, err)
	case p.Experiment == "":
		return fmt.Sprintf("the %s build is not measured: %v", p.Build, err)
	}
	// An experiment is one subject's.
	what := matrix.ExperimentOf(p.Experiment)
	if p.Build != "" {
		what += " in the " + p.Build + " build"
	}
	return fmt.Sprintf("%s is not measured: %v", what, err)
}

// runMisuse has every subject carry out the use-after-free program, if the run
// has it.
func runMisuse(ctx context.Context, folder *matrix.Folder, p matrix.Programs, leave map[matrix.Program]bool, w io.Writer) error {
	var bar *progress
	err := folder.RunMisuse(ctx, p, lanes(), leave, func(done, total int, what string) {
		if bar == nil {
			bar = newProgress(w, total)
		}
		bar.set(done, what)
	})
	if bar != nil {
		bar.finish()
	}
	return err
}
