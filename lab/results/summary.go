package results

import (
	"fmt"
	"slices"
	"strconv"
)

// summarized are the rows of a summary: a column of a table of runs, and how its
// medians are shown.
var summarized = []struct {
	head, what string
	show       func(v float64) string
}{
	{"req/s", "requests per second", whole},
	{"p50 us", "half of them take at most", duration},
	{"p99 us", "99 %", duration},
	{"p99.9 us", "99.9 %", duration},
	{"max us", "the slowest one", duration},
	{"GCs", "collections", whole},
	{"pause us", "pauses for them, in sum", duration},
	{"CPU us/req", "processor time per request", duration},
	{"allocs/req", "allocations per request", func(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }},
	{"peak MB", "memory at most", func(v float64) string { return whole(v) + " MB" }},
}

// Summary turns the medians of a table of runs, those of one mode and loop, into a
// table with a column for each subject.
func Summary(runs Table, mode, loop string) (Table, error) {
	t := Table{Head: []string{mode + ", " + loop + " loop"}}
	var medians [][]string
	for _, row := range runs.Rows {
		if row[0] == mode && row[2] == "median" && row[3] == loop {
			medians = append(medians, row)
			t.Head = append(t.Head, row[1])
		}
	}
	if medians == nil {
		return Table{}, fmt.Errorf("results: no medians of mode %s, %s loop", mode, loop)
	}
	for _, s := range summarized {
		at := slices.Index(runs.Head, s.head)
		if at < 0 {
			return Table{}, fmt.Errorf("results: a table of runs without the column %q", s.head)
		}
		row := []string{s.what}
		for _, m := range medians {
			v, err := strconv.ParseFloat(m[at], 64)
			if err != nil {
				return Table{}, fmt.Errorf("results: the median of %s: %w", s.head, err)
			}
			row = append(row, s.show(v))
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// whole is a number without a fraction, with commas.
func whole(v float64) string {
	s := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// duration is a number of microseconds with the unit that suits it.
func duration(us float64) string {
	switch {
	case us == 0:
		return "0"
	case us < 1000:
		return strconv.FormatFloat(us, 'f', 1, 64) + " µs"
	case us < 1e6:
		return strconv.FormatFloat(us/1000, 'f', 1, 64) + " ms"
	}
	return strconv.FormatFloat(us/1e6, 'f', 1, 64) + " s"
}
