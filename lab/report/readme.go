package report

import (
	"slices"
	"strings"

	"github.com/ebbpool/arena/lab/matrix"
	"github.com/ebbpool/arena/lab/results"
	"github.com/ebbpool/arena/lab/subjects"
)

// Name is the processor that was measured, and the day.
func (r *Report) Name() string {
	day, _, _ := strings.Cut(r.Environment.Begun, "T")
	return r.Environment.CPU + ", " + day
}

// Markdown is what stands in docs/numbers.md of the reports, one of each processor:
// their summaries side by side, and what another Go makes of the same work where
// that was measured.
func Markdown(all []*Report) string {
	var names []string
	var tables []results.Table
	others := ""
	for _, r := range all {
		names, tables = append(names, r.Name()), append(tables, r.Summary())
		for _, b := range r.Builds {
			if b.Go != "" || b.Toolchain != "" {
				others += "\nThe times with " + b.Name + ", in times of those with " + r.Environment.Go + ", on the " + r.Name() +
					". Where 1 lies in the range, no difference was found.\n\n" + b.beside(r.Go).Markdown()
			}
		}
	}
	return results.Beside(1, names, tables).Markdown() + others
}

// LoadEach loads the newest results folder of each maker's processors.
func LoadEach(dir string) ([]*Report, error) {
	dirs, err := matrix.NewestOfEach(dir)
	if err != nil {
		return nil, err
	}
	var all []*Report
	for _, d := range dirs {
		r, err := Load(d)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// beside compares the heap, and the fastest of ours, with themselves in the plain
// build.
func (b BuildLines) beside(plain []Line) results.Table {
	t := results.Table{Head: []string{"work", "heap (95 %)", "ours", "ours (95 %)"}}
	for _, l := range b.Lines {
		work := matrix.Cell{Workload: l.Workload, N: l.N}
		ours, ok := fastest(b.Lines, work, true)
		if l.Subject != subjects.Heap || !ok {
			continue
		}
		t.Rows = append(t.Rows, []string{l.Title(), l.timesPlain(plain), ours.Subject, ours.timesPlain(plain)})
	}
	return t
}

// Summary is the table for docs/numbers.md: for each kind of work the fastest of
// ours beside the heap and beside the fastest of the others. A row where ours
// is slower says so.
func (r *Report) Summary() results.Table {
	t := results.Table{Head: []string{"work", "ours", "times as fast as the heap (95 %)", "fastest other", "ours in times of its time", "remark"}}
	var seen []matrix.Cell
	for _, l := range r.Go {
		work := matrix.Cell{Workload: l.Workload, N: l.N}
		if l.Ns == 0 || slices.Contains(seen, work) {
			continue
		}
		seen = append(seen, work)
		ours, ok := fastest(r.Go, work, true)
		if !ok {
			continue
		}
		row := []string{ours.Title(), ours.Subject, "-", "-", "-", ""}
		if ours.Beside {
			row[2] = ours.Faster.String()
		}
		if other, ok := fastest(r.Go, work, false); ok {
			if ratios := paired(ours.byRound, other.byRound); len(ratios) > 0 {
				times := interval(ratios)
				row[3], row[4] = other.Subject, times.String()
				if times.Above(1) {
					row[5] = "slower"
				}
			}
			if wrong, _ := corrupted(r.Go, other.Subject); wrong > 0 {
				row[3] += " (unsafe)"
			}
		}
		if ours.Noisy() {
			if row[5] != "" {
				row[5] += "; "
			}
			row[5] += "spread above " + percent(noisy)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// fastest returns the line with the least time at some work, of ours or of the
// others. The heap is among the others.
func fastest(all []Line, work matrix.Cell, ours bool) (best Line, ok bool) {
	for _, l := range all {
		if l.Workload == work.Workload && l.N == work.N && l.Ns > 0 && Ours(l.Subject) == ours && (!ok || l.Ns < best.Ns) {
			best, ok = l, true
		}
	}
	return best, ok
}
