// Package matrix measures every workload with every subject that is made for it, as
// benchmarks, so that each build of them is one of go test. A cell has a process of its
// own: no subject meets a heap that another has shaped, and one that crashes stops no
// other.
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

// Package is where the benchmarks are.
const Package = "github.com/ebbpool/arena/lab/matrix"

// Options choose what is measured. The zero value is all sizes of a quick run in the
// build that users make.
type Options struct {
	Build     string   // "", race, asan, cover
	Full      bool     // the large sizes, too
	Workloads []string // none: all of them
	Subjects  []string // none: all of them
	Benchtime string   // as of go test
}

// Builds are the flags of go test for each build. With -cover all of the project's
// packages count, the arena's too: the most that a user can ask for.
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
		return nil, fmt.Errorf("there is no build %q", o.Build)
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
