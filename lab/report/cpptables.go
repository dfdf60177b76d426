package report

import (
	"fmt"
	"strconv"

	"github.com/ebbpool/arena/lab/results"
)

// cppTable has a row for each C++ subject at each kind of work.
func cppTable(all []CppLine) results.Table {
	t := results.Table{Head: []string{"work", "object", "capacity", "subject", "time of a call", "spread",
		"times as fast as glibc's malloc (95 %)", "rounds", "remark"}}
	for _, l := range all {
		faster := "-"
		if l.Beside && l.Subject != cppBase {
			faster = l.Faster.String()
		}
		work := l.Workload
		if l.Touched != "" {
			work += " (" + l.Touched + ")"
		}
		capacity := "-"
		if l.Count > 0 {
			capacity = thousands(l.Count)
		}
		t.Rows = append(t.Rows, []string{work, fmt.Sprintf("%d B", l.Size), capacity, l.Subject, duration(l.Ns),
			percent(l.Spread), faster, strconv.Itoa(l.Rounds), cppRemark(l, all)})
	}
	return t
}

func cppRemark(l CppLine, all []CppLine) string {
	text := ""
	if best, ok := fastestOther(all, l.CppKey); ok && l.Ours() {
		if slower, known := slowerThan(l, best); known && slower.Above(1) {
			text = fmt.Sprintf("slower than %s: %s times its time", best.Subject, slower)
		}
	}
	if l.Noisy() {
		if text != "" {
			text += "; "
		}
		text += "spread above " + percent(noisy)
	}
	return text
}

// slowerThan is how many times the other's time a line takes.
func slowerThan(l, other CppLine) (Interval, bool) {
	ratios := paired(l.byRound, other.byRound)
	if len(ratios) == 0 {
		return Interval{}, false
	}
	return bootstrap(ratios), true
}

// cppLosses lists where ours is slower than the fastest of the others, by more
// than the interval.
func cppLosses(all []CppLine) results.Table {
	t := results.Table{Head: []string{"work", "object", "capacity", "ours", "times the time (95 %)", "of"}}
	for _, l := range all {
		best, ok := fastestOther(all, l.CppKey)
		if !ok || !l.Ours() {
			continue
		}
		if slower, known := slowerThan(l, best); known && slower.Above(1) {
			t.Rows = append(t.Rows, []string{l.Workload, fmt.Sprintf("%d B", l.Size), thousands(l.Count),
				l.Subject, slower.String(), best.Subject})
		}
	}
	return t
}
