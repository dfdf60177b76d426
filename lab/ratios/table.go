package ratios

import (
	"cmp"
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

// Measured is what one processor's run says of the claims.
type Measured struct {
	Processor, Date string
	Results         []Result
}

// Read reads a file of raw rows, of one processor or several, and measures the
// claims on each.
func Read(file string, claims []Claim) ([]Measured, error) {
	kept, err := results.ReadFigures(file)
	if err != nil {
		return nil, err
	}
	var all []Measured
	for _, k := range kept {
		rows, err := FromTable(k.Table)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		measured, err := Measure(claims, rows)
		if err != nil {
			return nil, err
		}
		all = append(all, Measured{k.Processor, k.Date, measured})
	}
	return all, nil
}

// Newest is the run that was made last.
func Newest(all []Measured) []Result { return newest(all).Results }

func newest(all []Measured) Measured {
	return slices.MaxFunc(all, func(a, b Measured) int { return cmp.Compare(a.Date, b.Date) })
}

// lacks says that a run of a later day than m would have the claim c.
func (m Measured) lacks(c Claim) bool {
	base, _, _ := strings.Cut(strings.TrimPrefix(c.Num, Profiled), "/")
	return m.Date < since[base]
}

// Markdown writes the table, the processors side by side. A claim that does not hold
// says so: the table is for readers, not for us. One that nobody has measured yet has
// no row.
func Markdown(all []Measured) string {
	var b strings.Builder
	b.WriteString("| work | what the number is | target |")
	for _, m := range all {
		fmt.Fprintf(&b, " %s, %s: median (min–max) | |", m.Processor, m.Date)
	}
	b.WriteString("\n| --- | --- | --- |" + strings.Repeat(" ---: | --- |", len(all)) + "\n")
	for i := range all[0].Results {
		r := all[0].Results[i]
		if !slices.ContainsFunc(all, func(m Measured) bool { return m.Results[i].Rounds != 0 }) {
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | %s |", r.Work, r.Claim.Measure, r.Goal())
		for _, m := range all {
			fmt.Fprintf(&b, " %s | %s |", m.Results[i].measured(), m.Results[i].verdict())
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (r Result) measured() string {
	if r.Rounds == 0 {
		return "not measured"
	}
	return fmt.Sprintf("%s (%s–%s)", number(r.Median), number(r.Min), number(r.Max))
}

func (r Result) verdict() string {
	switch {
	case r.Rounds == 0:
		return "?"
	case r.Goal() == "":
		return ""
	case r.Holds():
		return "holds"
	}
	return "missed"
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
	t := results.Table{Head: []string{"work", "measured", "min", "max", "unit", "target", "verdict", "rounds"}}
	work := ""
	for _, r := range all {
		if r.Work != "" {
			work = strings.ReplaceAll(r.Work, "`", "")
		}
		median, low, high := number(r.Median), number(r.Min), number(r.Max)
		if r.Rounds == 0 {
			median, low, high = results.None, results.None, results.None
		}
		t.Rows = append(t.Rows, []string{
			work, median, low, high,
			strings.ReplaceAll(r.Claim.Measure, "`", ""),
			r.Goal(), r.verdict(), strconv.Itoa(r.Rounds),
		})
	}
	return t
}
