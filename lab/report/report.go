package report

import (
	"fmt"
	"slices"

	"github.com/ebbpool/arena/lab/matrix"
)

// Report is what a results folder says.
type Report struct {
	Environment matrix.Environment
	Go          []Line       // in the plain build
	Builds      []BuildLines // in the others
	Misuse      []matrix.Finding
	Cpp         []CppLine
	Latencies   []LatencyLine
	Stress      []StressLine
	Course      Course
}

// Load reads a results folder. An error says which file is at fault.
func Load(dir string) (*Report, error) {
	folder, err := matrix.Open(dir)
	if err != nil {
		return nil, err
	}
	r := &Report{Environment: folder.Environment}
	if r.Go, err = lines(folder.Rows, ""); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if r.Builds, err = buildLines(folder); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if r.Misuse, err = folder.Misuse(); err != nil {
		return nil, err
	}
	rows, err := folder.Cpp()
	if err != nil {
		return nil, err
	}
	r.Cpp = cppLines(rows)
	latencies, err := folder.Latencies()
	if err != nil {
		return nil, err
	}
	r.Latencies = latencyLines(latencies)
	if r.Stress, err = loadStress(dir); err != nil {
		return nil, err
	}
	if r.Course, err = loadCourse(dir); err != nil {
		return nil, err
	}
	if len(r.Go) == 0 && len(r.Cpp) == 0 {
		return nil, fmt.Errorf("%s has no measurement yet", dir)
	}
	return r, nil
}

// pictures are all that the results suffice for.
func (r *Report) pictures() []*picture {
	var all []*picture
	add := func(file string, p *picture) {
		if p != nil {
			p.file = file
			all = append(all, p)
		}
	}
	for i, g := range groups {
		add([]string{"objects", "matrix", "requests", "cold", "programs", "ends"}[i], speedup(r.Go, g.workloads, g.heading))
	}
	add("cpp-time", cppTime(r.Cpp))
	add("cpp-speedup", cppSpeedup(r.Cpp))
	add("cpp-heatmap", heatmap(r.Cpp, "ebb trap"))
	add("cpp-percentiles", cppPercentiles(r.Latencies))
	add("stress-percentiles", percentiles(r.Stress))
	add("stress-tail", tail(r.Stress))
	add("stress-frontier", frontier(r.Stress))
	add("stress-timeline", r.Course.picture())
	return all
}

// sections are the page's tables, in their order; those without a row are left
// out.
func (r *Report) sections() []Section {
	all := []Section{{"Where ours is slower, in Go", "Every row of ours that is slower than the fastest of the others by more than chance (Mann-Whitney, 5 %).", lossTable(r.Go)}}
	all = append(all, Section{"Where ours is slower, in C++", "Every row of ours that is slower than the fastest of the others, its whole interval above 1. The floor is an unchecked list of free slots: nothing that notices misuse.", cppLosses(r.Cpp)})
	for _, g := range groups {
		all = append(all, Section{g.heading, g.text, times(r.Go, g.workloads)})
	}
	all = append(all, buildSections(r.Builds, r.Go)...)
	all = append(all,
		Section{"Binary trees, in both languages", treeText, treeTable(r.Go, r.Cpp)},
		misuseSection(r.Misuse),
		Section{"One giant request, and what stays", "Memory of the process after a request of that size and 100 small ones, when the runtime has given back what it can.", residentTable(r.Go)},
		Section{"Corruption", "Objects that alone hold strings of the Go heap, after five collections with churn: how many read back wrong. Each subject in a process of its own; one that crashes is shown so.", corruptionTable(r.Go)},
		Section{"What the collector has to do", "The runtime's own statistics, each phase in a process of its own.", collectorTable(r.Go)},
		Section{"C++", "One thread's pools and, without a capacity, those that threads share. Times are of one call: an allocation or a free.", cppTable(r.Cpp)},
		Section{"C++: percentiles", batchesAbout, latencyTable(r.Latencies)},
		Section{"Under load", stressText, stressTable(r.Stress)},
		Section{"The subjects", "In Go.", subjectTable()},
		Section{"Not measured, and why", "", unmeasured(slices.Concat(r.Environment.Notes, r.Environment.CppNotes))},
	)
	var some []Section
	for _, s := range all {
		if len(s.Table.Rows) > 0 {
			some = append(some, s)
		}
	}
	return some
}
