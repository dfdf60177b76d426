package flow

import (
	"fmt"
	"slices"
	"testing"
)

// TestRemakeTogether checks that the objects of several instructions become older in one pass over the state.
func TestRemakeTogether(t *testing.T) {
	budget := 1000
	s, a, b, holder := newState(&budget), &Site{number: 2, hint: 1}, &Site{number: 4, hint: 2}, &Site{number: 6, hint: 4}
	s.remake(a, b)
	s.set(holder, "", []Atom{{Site: a}, {Site: b, Region: a}})
	s.set(a, "", []Atom{{Site: b}})
	before := budget
	s.remake(a, b)
	if took := before - budget; took > 20 {
		t.Errorf("it took %d", took)
	}
	if got, _ := s.at(holder, ""); !slices.Equal(got, []Atom{{Site: a.older}, {Site: b.older, Region: a.older}}) {
		t.Errorf("the holder leads to %v", got)
	}
	if got, _ := s.at(a.older, ""); len(s.parts(a)) != 0 || !slices.Equal(got, []Atom{{Site: b.older}}) {
		t.Errorf("the older object leads to %v", got)
	}
	if a.remade || b.remade {
		t.Error("they are still being remade")
	}
}

// TestSummaryAdds checks that a full summary adds something to an earlier one only if it has another source. Otherwise
// mutually recursive functions would name other flows in every round.
func TestSummaryAdds(t *testing.T) {
	list := func(n int, deeper string) (out []Flow) {
		for i := range n {
			out = append(out, Flow{fmt.Sprintf("t0;*;f%d;%s", i, deeper), Source{Kind: Memory, At: Place{Param: 1}}})
		}
		return out
	}
	other := []Flow{{"t0;*;f1;", Source{Kind: Memory, At: Place{Param: 2}}}}
	effect := []Effect{{Op: OpUse, At: Place{Param: 1}}}
	to := func(from []Flow, strong bool) []Write {
		return []Write{{To: Place{Path: "*;f0;"}, Strong: strong, From: from}}
	}
	full := list(maxSummary, "")
	for name, c := range map[string]struct {
		s, known Summary
		want     bool
	}{
		"deeper":                {Summary{Results: list(9, "*;f1;")}, Summary{Results: list(9, "")}, true},
		"deeper, full":          {Summary{Results: list(maxSummary, "*;f1;")}, Summary{Results: full}, false},
		"deeper, a write full":  {Summary{Writes: to(list(9, "*;f1;"), false)}, Summary{Writes: to(full, false)}, false},
		"a source":              {Summary{Results: append(list(9, ""), other...)}, Summary{Results: full}, true},
		"a source of a write":   {Summary{Writes: to(other, false)}, Summary{Writes: to(full, false)}, true},
		"a result":              {Summary{Results: []Flow{{"t1;", full[0].From}}}, Summary{Results: full}, true},
		"an effect":             {Summary{Results: full, Effects: effect}, Summary{Results: full}, true},
		"a use":                 {Summary{Results: full, Uses: []Access{{}}}, Summary{Results: full}, true},
		"a write":               {Summary{Results: full, Writes: to(nil, false)}, Summary{Results: full}, true},
		"a write on every path": {Summary{Writes: to(full, true)}, Summary{Writes: to(full, false)}, true},
		"a way back":            {Summary{Results: []Flow{{"t1;", Source{Kind: Again}}}}, Summary{Results: full}, false},
	} {
		if got := c.s.adds(&c.known); got != c.want {
			t.Errorf("%s: adds is %v, want %v", name, got, c.want)
		}
	}
}
