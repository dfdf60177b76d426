package report

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ebbpool/arena/lab/results"
)

// cppTable has a row for each C++ subject at each kind of work, the compilers
// side by side.
func cppTable(all []CppLine) results.Table {
	t := results.Table{Head: []string{"work", "object", "capacity", "subject"}}
	names := compilers(all)
	for _, c := range names {
		t.Head = append(t.Head, c+": time of a call", "spread", "times as fast as glibc's malloc (95 %)")
	}
	t.Head = append(t.Head, "rounds", "remark")
	type id struct {
		CppKey
		subject string
	}
	var order []id
	byID := map[id]map[string]CppLine{}
	for _, l := range all {
		k := id{l.CppKey, l.Subject}
		if byID[k] == nil {
			byID[k] = map[string]CppLine{}
			order = append(order, k)
		}
		byID[k][l.Compiler] = l
	}
	for _, k := range order {
		row := []string{k.Work(), fmt.Sprintf("%d B", k.Size), k.Capacity(), k.subject}
		rounds, remark := 0, ""
		for _, c := range names {
			l, ok := byID[k][c]
			if !ok {
				row = append(row, "-", "-", "-")
				continue
			}
			faster := "-"
			if l.Beside && l.Subject != cppBase {
				faster = l.Faster.String()
			}
			row = append(row, duration(l.Ns), percent(l.Spread), faster)
			rounds = max(rounds, l.Rounds)
			if said := cppRemark(l, all); said != "" {
				if remark != "" {
					remark += "; "
				}
				remark += c + ": " + said
			}
		}
		t.Rows = append(t.Rows, append(row, strconv.Itoa(rounds), remark))
	}
	return t
}

func cppRemark(l CppLine, all []CppLine) string {
	text := ""
	if best, ok := fastestOther(all, l); ok && l.Ours() {
		if slower, known := slowerThan(l, best); known && slower.Above(1) {
			text = fmt.Sprintf("slower than %s: %s times its time", best.Subject, slower)
		}
	}
	if l.Noisy() {
		if text != "" {
			text += ", "
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
// than the interval: first all of one compiler, then those of the other.
func cppLosses(all []CppLine) results.Table {
	t := results.Table{Head: []string{"compiler", "work", "object", "capacity", "ours", "times the time (95 %)", "of"}}
	for _, l := range all {
		best, ok := fastestOther(all, l)
		if !ok || !l.Ours() {
			continue
		}
		if slower, known := slowerThan(l, best); known && slower.Above(1) {
			t.Rows = append(t.Rows, []string{l.Compiler, l.Work(), fmt.Sprintf("%d B", l.Size), l.Capacity(),
				l.Subject, slower.String(), best.Subject})
		}
	}
	return t
}

// latencyTable has the percentiles of each subject, a row for each compiler.
func latencyTable(all []LatencyLine) results.Table {
	t := results.Table{Head: []string{"work", "object", "capacity", "subject", "compiler"}}
	var shown []float64
	for _, l := range all {
		for p := range l.Ns {
			if p < 100 && !slices.Contains(shown, p) {
				shown = append(shown, p)
			}
		}
	}
	slices.Sort(shown)
	for _, p := range shown {
		t.Head = append(t.Head, percentileName(p))
	}
	t.Head = append(t.Head, "rounds")
	for _, l := range all {
		row := []string{l.Work(), fmt.Sprintf("%d B", l.Size), l.Capacity(), l.Subject, l.Compiler}
		for _, p := range shown {
			text := "-"
			if ns, ok := l.Ns[p]; ok {
				text = duration(ns)
			}
			row = append(row, text)
		}
		t.Rows = append(t.Rows, append(row, strconv.Itoa(l.Rounds)))
	}
	return t
}

func percentileName(p float64) string { return "p" + strconv.FormatFloat(p, 'f', -1, 64) }
