package report

import (
	"math/rand/v2"
	"slices"

	"golang.org/x/perf/benchmath"
)

// confidence of every interval that the report shows.
const confidence = 0.95

// noisy is the spread from which on a row is flagged.
const noisy = 0.10

// Interval is a median and how far it can be trusted.
type Interval struct{ Center, Lo, Hi float64 }

// Below and Above say that the whole interval is on one side of a value.
func (i Interval) Below(v float64) bool { return i.Hi < v }

// Above is the other side.
func (i Interval) Above(v float64) bool { return i.Lo > v }

// interval is the median of values with benchmath's confidence interval, which
// assumes nothing of their distribution. From fewer than six rounds there is
// none at this confidence: it is then all that was seen.
func interval(values []float64) Interval {
	sorted := slices.Sorted(slices.Values(values))
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(sorted), &benchmath.DefaultThresholds), confidence)
	return Interval{s.Center, max(s.Lo, sorted[0]), min(s.Hi, sorted[len(sorted)-1])}
}

// differ reports whether two samples differ by more than chance: the test that
// benchstat uses.
func differ(a, b []float64) bool {
	sample := func(v []float64) *benchmath.Sample {
		return benchmath.NewSample(slices.Clone(v), &benchmath.DefaultThresholds)
	}
	c := benchmath.AssumeNothing.Compare(sample(a), sample(b))
	return c.P < c.Alpha
}

// resamples is enough that the interval's ends don't move in their second
// digit.
const resamples = 2000

// bootstrap is the median of values, with the percentile interval of medians
// of samples drawn from them. The same values give the same interval.
func bootstrap(values []float64) Interval {
	rng := rand.New(rand.NewPCG(1, 2))
	medians := make([]float64, resamples)
	drawn := make([]float64, len(values))
	for i := range medians {
		for k := range drawn {
			drawn[k] = values[rng.IntN(len(values))]
		}
		medians[i] = median(drawn)
	}
	slices.Sort(medians)
	tail := int((1 - confidence) / 2 * resamples)
	return Interval{median(values), medians[tail], medians[resamples-1-tail]}
}

func median(values []float64) float64 { return quantile(values, 0.5) }

// spread is the distance of the quartiles, as a part of the median.
func spread(values []float64) float64 {
	m := median(values)
	if m == 0 {
		return 0
	}
	return (quantile(values, 0.75) - quantile(values, 0.25)) / m
}

// quantile interpolates between the two values next to it.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	at := q * float64(len(sorted)-1)
	below := int(at)
	if below+1 == len(sorted) {
		return sorted[below]
	}
	part := at - float64(below)
	return sorted[below]*(1-part) + sorted[below+1]*part
}
