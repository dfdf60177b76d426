package figures

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/montanaflynn/stats"

	"github.com/ebbpool/arena/lab/rounds"
)

// Claim is a number that the project publishes: the time of benchmark Num divided by the time of benchmark
// Den in the same round, or in ns if Den is empty. A Num that ends in @unit uses that unit instead of ns/op.
// A Num with a * is the geometric mean over all matching benchmarks, each compared with the one whose last
// part is Den; with the prefix worst:, the largest of their medians.
type Claim struct {
	Work     string // the operation that was measured; empty: as in the row above
	Measure  string // the meaning of the number
	Num, Den string // names of benchmarks, without "Benchmark" and "-GOMAXPROCS"
}

// Measure returns a figure for each claim that was measured.
func Measure(table string, claims []Claim, m rounds.Measured) []Figure {
	var all []Figure
	work := ""
	for _, c := range claims {
		if c.Work != "" {
			work = c.Work
		}
		num, unit, ok := strings.Cut(c.Num, "@")
		if !ok {
			unit = rounds.Time
		}
		g := Figure{Table: table, Work: work, Measure: c.Measure}
		if g, ok = g.Of(mean(m, num, c.Den, unit)); ok {
			all = append(all, g)
		}
	}
	return all
}

// claimed lists the tables whose runs measure every claim.
var claimed = map[string][]Claim{"bench": Go, "cpp": Cpp, "json": JSON, "protobuf": Protobuf, "adapters": Adapters}

// complete returns an error that lists the claims without a figure; their benchmarks may have been renamed. A
// peer without any figure is not on the machine and is ignored.
func complete(fresh []Figure) error {
	var missing []string
	for _, table := range slices.Sorted(maps.Keys(claimed)) {
		measured := map[string]map[[2]string]bool{} // by run
		for _, g := range Only(fresh, table) {
			if measured[g.Run] == nil {
				measured[g.Run] = map[[2]string]bool{}
			}
			measured[g.Run][[2]string{g.Work, g.Measure}] = true
			measured[g.Run][[2]string{"", g.Measure}] = true
		}
		for _, run := range slices.Sorted(maps.Keys(measured)) {
			work := ""
			for _, c := range claimed[table] {
				work = cmp.Or(c.Work, work)
				absent := slices.Contains(peers, c.Den[strings.LastIndexByte(c.Den, '/')+1:]) && !measured[run][[2]string{"", c.Measure}]
				if !measured[run][[2]string{work, c.Measure}] && !absent {
					missing = append(missing, fmt.Sprintf("%s: %s, %s (%s)", run, work, c.Measure, c.Num))
				}
			}
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%w:\n%s", ErrUnmeasured, strings.Join(missing, "\n"))
	}
	return nil
}

// mean returns the ratio of each round, for one benchmark or for all that num matches.
func mean(m rounds.Measured, num, den, unit string) []float64 {
	num, worst := strings.CutPrefix(num, "worst:")
	if !strings.Contains(num, "*") {
		return Ratios(m.Values(num, unit), m.Values(den, unit), den == "")
	}
	each := cells(m, num, den, unit)
	if worst && len(each) > 0 {
		return slices.MaxFunc(each, func(a, b []float64) int { return cmp.Compare(median(a), median(b)) })
	}
	return GeometricMeans(each)
}

// cells returns the ratios of all benchmarks that num matches, each to the one whose last part is den.
func cells(m rounds.Measured, num, den, unit string) (each [][]float64) {
	for _, name := range m.Names {
		if ok, _ := path.Match(num, name); !ok {
			continue
		}
		if r := Ratios(m.Values(name, unit), m.Values(path.Dir(name)+"/"+den, unit), false); r != nil {
			each = append(each, r)
		}
	}
	return each
}

func median(values []float64) float64 {
	m, _ := stats.Median(values) // NaN if empty
	return m
}

// Ratios returns num/den for each round that both have, so that a slow round affects both. If alone is set,
// it returns num.
func Ratios(num, den []float64, alone bool) (all []float64) {
	for i, v := range num {
		switch {
		case alone:
			all = append(all, v)
		case i < len(den) && v > 0 && den[i] > 0:
			all = append(all, v/den[i])
		}
	}
	return all
}

// GeometricMeans returns the geometric mean of the lists for each round.
func GeometricMeans(each [][]float64) (all []float64) {
	for i := 0; len(each) > 0; i++ {
		var round []float64
		for _, r := range each {
			if i < len(r) {
				round = append(round, r[i])
			}
		}
		if len(round) < len(each) {
			break
		}
		mean, err := stats.GeometricMean(round)
		if err != nil {
			break
		}
		all = append(all, mean)
	}
	return all
}

// Of returns g with the median, minimum and maximum of values, and false if there are none.
func (g Figure) Of(values []float64) (Figure, bool) {
	if len(values) == 0 {
		return g, false
	}
	g.Median, g.Low, g.High = median(values), slices.Min(values), slices.Max(values)
	return g, true
}

// Single is Of with only the median.
func (g Figure) Single(values []float64) (Figure, bool) {
	g, ok := g.Of(values)
	g.Low, g.High = g.Median, g.Median
	return g, ok
}

// Pattern returns the argument of -bench for the claims of internal/bench, with a plain binary or one built
// with a profile.
func Pattern(profiled bool) string {
	top := map[string]bool{}
	for _, c := range Go {
		for _, name := range []string{c.Num, c.Den} {
			name, ok := strings.CutPrefix(name, Profiled+"/")
			if base, _, _ := strings.Cut(name, "/"); ok == profiled && base != "" {
				top[base] = true
			}
		}
	}
	return "^Benchmark(" + strings.Join(slices.Sorted(maps.Keys(top)), "|") + ")$"
}
