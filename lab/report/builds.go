package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ebbpool/arena/lab/matrix"
	"github.com/ebbpool/arena/lab/results"
	"github.com/ebbpool/arena/lab/subjects"
	"github.com/ebbpool/arena/lab/workloads"
)

// BuildLines are the lines of a build that is not the plain one.
type BuildLines struct {
	matrix.Build
	Lines []Line
}

// buildLines are those of the builds in the order of the run; a build without
// a row is left out.
func buildLines(folder *matrix.Folder) ([]BuildLines, error) {
	known := map[string]bool{"": true}
	var all []BuildLines
	for _, b := range folder.Environment.Settings.Builds {
		known[b.Name] = true
		ls, err := lines(folder.Rows, b.Name)
		if err != nil {
			return nil, err
		}
		if len(ls) > 0 {
			all = append(all, BuildLines{b, ls})
		}
	}
	for _, r := range folder.Rows {
		if !known[r.Build] {
			return nil, fmt.Errorf("%s has rows of a build %q that %s does not know", matrix.GoFile, r.Build, matrix.EnvironmentFile)
		}
	}
	return all, nil
}

// buildSections are a table for each build.
func buildSections(all []BuildLines, plain []Line) []Section {
	var sections []Section
	for _, b := range all {
		s := Section{Table: buildTable(b.Lines, plain)}
		const compared = " Subjects are compared with the heap in the same build, and each with itself in the plain one."
		switch {
		case b.Go != "" || b.Toolchain != "":
			s.Heading = "With another Go: " + b.Name
			s.Text = "The same program, built by that Go." + compared
		default:
			s.Heading = "The matrix, built with " + strings.Join(b.Flags, " ")
			s.Text = "What such a build costs: for tests, not for production." + compared
		}
		sections = append(sections, s)
	}
	return sections
}

func buildTable(all, plain []Line) results.Table {
	t := results.Table{Head: []string{"work", "subject", "time", "spread", "times as fast as the heap in this build (95 %)",
		"times its time in the plain build (95 %)", "allocs/op", "B/op", "rounds", "remark"}}
	for _, l := range all {
		row := []string{l.Title(), l.Subject}
		if l.Status != matrix.OK {
			t.Rows = append(t.Rows, append(row, "-", "-", "-", "-", "-", "-", strconv.Itoa(l.Rounds), l.Status+": "+l.Detail))
			continue
		}
		faster := "-"
		if l.Beside && l.Subject != subjects.Heap {
			faster = l.Faster.String()
		}
		t.Rows = append(t.Rows, append(row, duration(l.Ns)+unitOf(l), percent(l.Spread), faster, l.timesPlain(plain),
			count(l.Medians[matrix.AllocsPerOp]), bytesOf(l.Medians[matrix.BytesPerOp]), strconv.Itoa(l.Rounds), remark(l, all, nil)))
	}
	return t
}

// timesPlain is l's time in times of that in the plain build, "-" where one of them
// was not measured.
func (l Line) timesPlain(plain []Line) string {
	c := l.Cell
	c.Build = ""
	if i := slices.IndexFunc(plain, func(p Line) bool { return p.Cell == c }); i >= 0 {
		if ratios := paired(l.byRound, plain[i].byRound); len(ratios) > 0 {
			return interval(ratios).String()
		}
	}
	return "-"
}

func misuseSection(all []matrix.Finding) Section {
	return Section{"Use after free", "Something is kept from a life, the life ends, the next one of the same size writes, and then what was kept is used. What is still its own value is safe only where nothing was freed: elsewhere it is memory that nobody has taken yet. " +
		"Each is a process of its own, and the table shows what it did in this run, not what a build promises; under the race detector sync.Pool drops some of what it is given, so that there it differs from run to run.",
		misuseTable(all), nil}
}

// misuseTable has a column for each build, and a row for each subject and what
// it did: variants that did the same share one.
func misuseTable(all []matrix.Finding) results.Table {
	var builds []string
	for _, f := range all {
		if !slices.Contains(builds, f.Build) {
			builds = append(builds, f.Build)
		}
	}
	t := results.Table{Head: append([]string{"subject", "use"}, builds...)}
	for _, a := range subjects.Allocators() {
		from := len(t.Rows)
		for _, v := range workloads.Misuses() {
			row := []string{a.Name, v.Title}
			found := false
			for _, build := range builds {
				text := "-"
				for _, f := range all {
					if f.Subject == a.Name && f.Variant == v.Name && f.Build == build {
						text, found = f.Outcome, true
						if f.Detail != "" {
							text += ": " + f.Detail
						}
					}
				}
				row = append(row, text)
			}
			if !found {
				continue
			}
			same := slices.IndexFunc(t.Rows[from:], func(r []string) bool { return slices.Equal(r[2:], row[2:]) })
			if same >= 0 {
				t.Rows[from+same][1] += "; " + v.Title
				continue
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}
