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

// Claim is one number the project stands for: the time of benchmark Num in units of
// benchmark Den's time of the same round; without Den, in ns. A Num that ends in @unit
// is about that unit in place of ns/op. A Num with a * is the geometric mean over all
// benchmarks that it matches, each beside the one whose last part is Den; with worst: in
// front, the one of them with the greatest median.
type Claim struct {
	Work     string // what is done; empty: as above
	Measure  string // what the number is
	Num, Den string // benchmarks, without "Benchmark" and "-GOMAXPROCS"
}

// Measure makes a figure of each claim. One that was not measured has none.
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

// claimed has the tables of which a run measures every claim.
var claimed = map[string][]Claim{"bench": Go, "cpp": Cpp, "json": JSON, "protobuf": Protobuf, "adapters": Adapters}

// complete reports claims of which a run has no figure: their benchmarks may have another
// name by now. A peer that the run has in no claim is not on the machine.
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

// mean is a ratio for each round: of a benchmark, or of all that num matches.
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

// cells are the ratios of all benchmarks that num matches, each to the one whose last
// part is den.
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
	m, _ := stats.Median(values) // NaN for none
	return m
}

// Ratios is a ratio of each round that both have, so that a round in which the machine
// was slow harms both. Alone, num is measured in what it is.
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

// GeometricMeans is the mean of each round over all of the lists.
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

// Of is g with the median, the least and the most of values; false if there are none.
func (g Figure) Of(values []float64) (Figure, bool) {
	if len(values) == 0 {
		return g, false
	}
	g.Median, g.Low, g.High = median(values), slices.Min(values), slices.Max(values)
	return g, true
}

// Single is Of with the median alone.
func (g Figure) Single(values []float64) (Figure, bool) {
	g, ok := g.Of(values)
	g.Low, g.High = g.Median, g.Median
	return g, ok
}

// Pattern is the argument of -bench that runs what the claims of internal/bench need of a
// plain binary, or of one that is built with a profile.
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
