// Package turns compares what is measured by turns in one process, or by programs that one
// process starts: other programs, and the machine's heat, then weigh on all alike. Benchmark
// binaries are compared by package rounds of the lab, whose results benchstat reads.
package turns

import (
	"fmt"
	"slices"
)

// Run calls each of measure once a round, every other round in reverse, and returns what
// each has measured, round by round.
func Run(rounds int, measure ...func() float64) [][]float64 {
	values := make([][]float64, len(measure))
	for round := range rounds {
		for i := range measure {
			if round%2 == 1 {
				i = len(measure) - 1 - i
			}
			values[i] = append(values[i], measure[i]())
		}
	}
	return values
}

// Spread summarizes values.
type Spread struct{ Median, Least, Most float64 }

// Of returns the spread of values, of which there is at least one. Between two middle ones
// the median is half way.
func Of(values []float64) Spread {
	v := slices.Sorted(slices.Values(values))
	n := len(v)
	return Spread{(v[(n-1)/2] + v[n/2]) / 2, v[0], v[n-1]}
}

// Ratio returns the spread of how many times as much as unit of is, round by round. A unit
// that is too short for the clock counts as 1.
func Ratio(of, unit []float64) Spread {
	ratios := make([]float64, len(of))
	for i, x := range of {
		ratios[i] = x / max(unit[i], 1)
	}
	return Of(ratios)
}

// String is as in "3.1 (2.9–3.4)".
func (s Spread) String() string {
	return fmt.Sprintf("%.1f (%.1f–%.1f)", s.Median, s.Least, s.Most)
}
