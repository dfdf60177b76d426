// Package turns compares measurements taken in turn in one process, or in processes that one process starts,
// so that other programs and the machine's temperature affect all of them alike. Benchmark binaries are
// compared by package rounds of the lab, whose results benchstat reads.
package turns

import (
	"fmt"
	"slices"
)

// Run calls each function once per round, in reverse order every other round, and returns the results by
// function and round.
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

// Of returns the spread of values, which must not be empty.
func Of(values []float64) Spread {
	v := slices.Sorted(slices.Values(values))
	n := len(v)
	return Spread{(v[(n-1)/2] + v[n/2]) / 2, v[0], v[n-1]}
}

// Ratio returns the spread of of[i]/unit[i]. A unit below 1, too short for the clock, counts as 1.
func Ratio(of, unit []float64) Spread {
	ratios := make([]float64, len(of))
	for i, x := range of {
		ratios[i] = x / max(unit[i], 1)
	}
	return Of(ratios)
}

// String formats s like "3.1 (2.9–3.4)".
func (s Spread) String() string {
	return fmt.Sprintf("%.1f (%.1f–%.1f)", s.Median, s.Least, s.Most)
}
