// Package matrix measures every workload with every subject that supports it, as benchmarks, so that the
// build flags of go test apply. Each cell runs in its own process, so that no subject uses a heap that
// another has shaped, and a crash stops only its own cell.
package matrix

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ebbpool/arena/lab/rounds"
	"github.com/ebbpool/arena/lab/subjects"
	"github.com/ebbpool/arena/lab/workloads"
)

// Package is the import path of the benchmarks.
const Package = "github.com/ebbpool/arena/lab/matrix"

// Options select the measurements. The zero value selects all sizes of a quick run in a plain build.
type Options struct {
	Build     string   // "", race, asan, cover
	Full      bool     // also the large sizes
	Workloads []string // none: all of them
	Subjects  []string // none: all of them
	Benchtime string   // as of go test
}

// Builds are the flags of go test for each build. -cover instruments all packages of the project, including
// the arena's.
var Builds = map[string][]string{
	"":      nil,
	"race":  {"-race"},
	"asan":  {"-asan"},
	"cover": {"-cover", "-coverpkg=github.com/ebbpool/arena/..."},
}

// Programs builds the benchmarks into dir and returns one program for each cell.
func Programs(ctx context.Context, dir string, o Options) ([]rounds.Program, error) {
	flags, ok := Builds[o.Build]
	if !ok {
		return nil, fmt.Errorf("unknown build %q", o.Build)
	}
	for _, name := range o.Workloads {
		if _, err := workloads.Find(name); err != nil {
			return nil, err
		}
	}
	for _, name := range o.Subjects {
		if _, err := subjects.FindAllocator(name); err != nil {
			return nil, err
		}
	}
	built := map[string]string{}
	var all []rounds.Program
	for _, a := range subjects.Allocators() {
		for _, w := range workloads.Catalog() {
			if len(o.Workloads) > 0 && !slices.Contains(o.Workloads, w.Name) || len(o.Subjects) > 0 && !slices.Contains(o.Subjects, a.Name) || a.Lacks[w.Need] != "" {
				continue
			}
			if built[a.Experiment] == "" {
				built[a.Experiment] = filepath.Join(dir, "matrix"+a.Experiment+".test")
				if err := rounds.Compile(ctx, "", built[a.Experiment], Package, flags, "GOEXPERIMENT="+a.Experiment); err != nil {
					return nil, err
				}
			}
			sizes := w.Sizes
			if o.Full {
				sizes = slices.Concat(w.Sizes, w.Full)
			}
			for _, n := range sizes {
				pattern := "^BenchmarkMatrix$"
				for _, part := range strings.Split(Name(w.Name, n, a.Name), "/")[1:] {
					pattern += "/^" + regexp.QuoteMeta(part) + "$"
				}
				all = append(all, rounds.Program{Build: o.Build, Path: built[a.Experiment], Args: rounds.Benchmarks(pattern, o.Benchtime)})
			}
		}
	}
	return all, nil
}

// Name returns the name of a cell's benchmark.
func Name(workload string, n int, subject string) string {
	return fmt.Sprintf("Matrix/work=%s/n=%d/subject=%s", workload, n, strings.ReplaceAll(subject, " ", "_"))
}
