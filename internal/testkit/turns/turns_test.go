package turns

import (
	"slices"
	"testing"
)

// Each round calls every function, and every other round begins with the last one. Otherwise the first
// function would always find the caches that the last has left.
func TestRunTakesTurns(t *testing.T) {
	order := ""
	say := func(name string) func() float64 {
		return func() float64 { order += name; return float64(len(order)) }
	}
	values := Run(3, say("a"), say("b"))
	if order != "abbaab" || !slices.Equal(values[0], []float64{1, 4, 5}) || !slices.Equal(values[1], []float64{2, 3, 6}) {
		t.Errorf("%s: %v", order, values)
	}
}

func TestSpread(t *testing.T) {
	values := []float64{3, 1, 9}
	if s := Of(values); s != (Spread{3, 1, 9}) || values[0] != 3 {
		t.Errorf("%v of %v", s, values)
	}
	if s := Of([]float64{4, 1, 2, 9}); s != (Spread{3, 1, 9}) || s.String() != "3.0 (1.0–9.0)" {
		t.Errorf("of an even number: %v", s)
	}
	if s := Ratio([]float64{6, 8, 10}, []float64{2, 4, 0}); s != (Spread{3, 2, 10}) {
		t.Errorf("ratios: %v", s)
	}
}
