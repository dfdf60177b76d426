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

// pictures of the sections: those that the results suffice for.
func some(all ...*picture) (there []*picture) {
	for _, p := range all {
		if p != nil {
			there = append(there, p)
		}
	}
	return there
}

// losses are the sections that stand first.
func (r *Report) losses() []Section {
	return filled([]Section{
		{"Where ours is slower, in Go", "Every row of ours that is slower than the fastest of the others by more than chance (Mann-Whitney, 5 %).", lossTable(r.Go), nil},
		{"Where ours is slower, in C++", "Every row of ours that is slower than the fastest of the others, its whole interval above 1. The floor is an unchecked list of free slots: nothing that notices misuse.", cppLosses(r.Cpp), nil},
	})
}

// filled are the sections that have a row.
func filled(all []Section) []Section {
	return slices.DeleteFunc(all, func(s Section) bool { return len(s.Table.Rows) == 0 })
}

// sections are the page's tables with their pictures, in their order; those without
// a row are left out.
func (r *Report) sections() []Section {
	var all []Section
	for _, g := range groups {
		all = append(all, Section{g.heading, g.text, times(r.Go, g.workloads), some(speedup(r.Go, g.workloads, g.heading))})
	}
	all = append(all, buildSections(r.Builds, r.Go)...)
	all = append(all,
		Section{"Binary trees, in both languages", treeText, treeTable(r.Go, r.Cpp), nil},
		misuseSection(r.Misuse),
		Section{"One giant request, and what stays", "Memory of the process after a request of that size and 100 small ones, when the runtime has given back what it can.", residentTable(r.Go), nil},
		Section{"Corruption", "Objects that alone hold strings of the Go heap, after five collections with churn: how many read back wrong. Each subject in a process of its own; one that crashes is shown so.", corruptionTable(r.Go), nil},
		Section{"What the collector has to do", "The runtime's own statistics, each phase in a process of its own.", collectorTable(r.Go), nil},
		Section{"C++", "One thread's pools and, without a capacity, those that threads share. Times are of one call: an allocation or a free.", cppTable(r.Cpp), some(cppTime(r.Cpp), cppSpeedup(r.Cpp), heatmap(r.Cpp, "ebb trap"))},
		Section{"C++: percentiles", batchesAbout, latencyTable(r.Latencies), some(cppPercentiles(r.Latencies))},
		Section{"Under load", stressText, stressTable(r.Stress), some(tail(r.Stress), frontier(r.Stress))},
		Section{"The subjects", "In Go.", subjectTable(), nil},
		Section{"Not measured, and why", "", unmeasured(slices.Concat(r.Environment.Notes, r.Environment.CppNotes)), nil},
	)
	return filled(all)
}
