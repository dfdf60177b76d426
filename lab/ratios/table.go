package ratios

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ebbpool/arena/lab/results"
)

// Result is a claim and what was measured of it.
type Result struct {
	Claim
	Median, Min, Max float64
	Rounds           int // 0: not measured
}

// Holds tells whether the median meets the target, if there is one.
func (r Result) Holds() bool {
	return r.Rounds > 0 && (r.Goal() == "" || r.Sense.holds(r.Median, r.Target))
}

// Measure makes a result of each claim. A ratio is of two times of the same
// round, so that a round in which the machine was slow harms both.
func Measure(claims []Claim, rows []Row) ([]Result, error) {
	byRound := map[int]map[string]float64{}
	for _, r := range rows {
		if r.Unit != "ns/op" {
			continue
		}
		if byRound[r.Round] == nil {
			byRound[r.Round] = map[string]float64{}
		}
		byRound[r.Round][r.Name] = r.Value
	}
	rounds := slices.Sorted(maps.Keys(byRound))
	var out []Result
	for _, c := range claims {
		var values []float64
		for _, round := range rounds {
			num, ok := byRound[round][c.Num]
			den, okDen := byRound[round][c.Den]
			if c.Den == "" {
				den, okDen = 1, true
			}
			if ok && okDen && den > 0 {
				values = append(values, num/den)
			}
		}
		res := Result{Claim: c, Rounds: len(values)}
		if len(values) > 0 {
			var err error
			if res.Median, res.Min, res.Max, err = results.Spread(values); err != nil {
				return nil, err
			}
		}
		out = append(out, res)
	}
	return out, nil
}

// Markdown writes the table. A claim that does not hold says so: the table is
// for readers, not for us.
func Markdown(results []Result) string {
	var b strings.Builder
	b.WriteString("| work | measured: median (min–max) | | target | |\n")
	b.WriteString("| --- | ---: | --- | --- | --- |\n")
	for _, r := range results {
		measured, verdict := "not measured", "?"
		if r.Rounds > 0 {
			measured = fmt.Sprintf("%s (%s–%s)", number(r.Median), number(r.Min), number(r.Max))
			verdict = "missed"
			if r.Goal() == "" {
				verdict = ""
			} else if r.Holds() {
				verdict = "holds"
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n",
			r.Work, measured, r.Claim.Measure, r.Goal(), verdict)
	}
	return b.String()
}

// number has two digits after the point where they say something.
func number(v float64) string {
	switch {
	case v >= 1000:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 1, 64)
	default:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
}

// Profiled begins the names of benchmarks that ran in a binary built with a
// profile.
const Profiled = "PGO/"

// Pattern is the argument of -bench that runs what the claims need of a plain
// binary.
func Pattern(claims []Claim) string {
	return pattern(claims, func(name string) (string, bool) { return name, !strings.HasPrefix(name, Profiled) })
}

// ProfiledPattern is Pattern for a binary that is built with a profile.
func ProfiledPattern(claims []Claim) string {
	return pattern(claims, func(name string) (string, bool) { return strings.CutPrefix(name, Profiled) })
}

// pattern runs the benchmarks that are wanted, by their names in the binary.
func pattern(claims []Claim, wanted func(name string) (string, bool)) string {
	top := map[string]bool{}
	for _, c := range claims {
		for _, name := range []string{c.Num, c.Den} {
			if name, ok := wanted(name); ok && name != "" {
				base, _, _ := strings.Cut(name, "/")
				top[regexp.QuoteMeta(base)] = true
			}
		}
	}
	return "^Benchmark(" + strings.Join(slices.Sorted(maps.Keys(top)), "|") + ")$"
}

// Columns returns the results as a plain table for a terminal.
func Columns(all []Result) results.Table {
	t := results.Table{Head: []string{"work", "measured", "min", "max", "unit", "target", "holds", "rounds"}}
	work := ""
	for _, r := range all {
		if r.Work != "" {
			work = strings.ReplaceAll(r.Work, "`", "")
		}
		holds := "no"
		if r.Goal() == "" {
			holds = ""
		} else if r.Holds() {
			holds = "yes"
		}
		median, low, high := number(r.Median), number(r.Min), number(r.Max)
		if r.Rounds == 0 {
			median, low, high = "-", "-", "-"
		}
		t.Rows = append(t.Rows, []string{
			work, median, low, high,
			strings.ReplaceAll(r.Claim.Measure, "`", ""),
			r.Goal(), holds, strconv.Itoa(r.Rounds),
		})
	}
	return t
}
