package results

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/montanaflynn/stats"
)

// Ratio is how one subject does beside another in one mode. Each round gives
// one ratio, of runs that followed each other, so that a machine that is slow
// for a while slows both.
type Ratio struct {
	Mode, What       string
	Median, Min, Max float64
	Rounds           int
}

// Compare makes the ratios of subject ours to each of the other subjects: how
// many times as many requests per second, how many times less of processors' time,
// shorter p99 and p99.9, and smaller peak memory. Above 1 is in favour of ours. Runs
// of an open loop are a mode of their own; there the requests per second are given,
// and have no ratio.
func Compare(runs []Run, ours string) ([]Ratio, error) {
	var modes, others []string
	byRound := map[string]Run{}
	rounds := 0
	key := func(mode, subject string, round int) string {
		return fmt.Sprintf("%s/%s/%d", mode, subject, round)
	}
	for _, r := range runs {
		if r.Loop() == Open {
			r.Mode += openMode
		}
		byRound[key(r.Mode, r.Subject, r.Round)] = r
		modes = AppendNew(modes, r.Mode)
		if r.Subject != ours {
			others = AppendNew(others, r.Subject)
		}
		rounds = max(rounds, r.Round)
	}
	measures := []struct {
		what   string
		closed bool // only there
		ratio  func(ours, other Run) float64
	}{
		{"req/s, %s / %s", true, func(a, b Run) float64 { return a.Rate() / b.Rate() }},
		{"CPU per request, %[2]s / %[1]s", false, func(a, b Run) float64 { return known(float64(b.CPU), float64(a.CPU)) }},
		{"p99, %[2]s / %[1]s", false, func(a, b Run) float64 { return float64(b.P99) / float64(a.P99) }},
		{"p99.9, %[2]s / %[1]s", false, func(a, b Run) float64 { return float64(b.P999) / float64(a.P999) }},
		{"peak memory, %[2]s / %[1]s", false, func(a, b Run) float64 { return known(float64(b.PeakRSS), float64(a.PeakRSS)) }},
	}
	var out []Ratio
	for _, mode := range modes {
		for _, other := range others {
			for _, m := range measures {
				if m.closed && strings.HasSuffix(mode, openMode) {
					continue
				}
				var values []float64
				for round := 1; round <= rounds; round++ {
					a, okA := byRound[key(mode, ours, round)]
					b, okB := byRound[key(mode, other, round)]
					if !okA || !okB {
						continue
					}
					if v := m.ratio(a, b); !math.IsNaN(v) { // what the system doesn't tell
						values = append(values, v)
					}
				}
				if len(values) == 0 {
					continue
				}
				r := Ratio{Mode: mode, What: fmt.Sprintf(m.what, ours, other), Rounds: len(values)}
				var err error
				if r.Median, r.Min, r.Max, err = Spread(values); err != nil {
					return nil, err
				}
				out = append(out, r)
			}
		}
	}
	return out, nil
}

// known is a / b, NaN where the system did not tell one of them, or counts in steps
// that the run was too short for.
func known(a, b float64) float64 {
	if a == 0 || b == 0 {
		return math.NaN()
	}
	return a / b
}

// openMode follows the mode of an open loop's ratios.
const openMode = ", open loop"

// Spread returns the median of values, the smallest and the largest.
func Spread(values []float64) (median, lowest, highest float64, err error) {
	if median, err = stats.Median(values); err != nil {
		return 0, 0, 0, err
	}
	if lowest, err = stats.Min(values); err != nil {
		return 0, 0, 0, err
	}
	highest, err = stats.Max(values)
	return median, lowest, highest, err
}

// targets are what the project claims at the full size, by mode and ratio.
var targets = map[[2]string]float64{
	{"handler", "req/s, arena / plain"}:                  5,
	{"handler", "req/s, arena / sonic+sync.Pool"}:        1.8,
	{"handler", "p99, plain / arena"}:                    8,
	{"handler", "p99.9, plain / arena"}:                  20,
	{"handler", "peak memory, plain / arena"}:            1,
	{"http", "CPU per request, plain / arena"}:           2,
	{"http", "CPU per request, sonic+sync.Pool / arena"}: 1.2,
	{"http" + openMode, "p99.9, plain / arena"}:          4,
}

// Ratios makes a table of ratios, at the full size with the target where there
// is one and whether the median reaches it.
func Ratios(ratios []Ratio, full bool) Table {
	t := Table{Head: []string{"mode", "ratio", "median", "min", "max", "rounds", "at least", "verdict"}}
	for _, r := range ratios {
		row := []string{r.Mode, r.What}
		for _, v := range []float64{r.Median, r.Min, r.Max} {
			row = append(row, strconv.FormatFloat(v, 'f', 2, 64))
		}
		row = append(row, strconv.Itoa(r.Rounds))
		target, verdict := "", ""
		if want, ok := targets[[2]string{r.Mode, r.What}]; ok {
			target, verdict = strconv.FormatFloat(want, 'f', -1, 64), "missed"
			if r.Median >= want {
				verdict = "holds"
			}
		}
		t.Rows = append(t.Rows, append(row, target, verdict))
	}
	if !full {
		// A smaller live heap gives the collector less to do: nothing is
		// claimed of it.
		t.Head = t.Head[:6]
		for i := range t.Rows {
			t.Rows[i] = t.Rows[i][:6]
		}
	}
	return t
}

// AppendNew appends s if it is not in the list yet.
func AppendNew(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}
