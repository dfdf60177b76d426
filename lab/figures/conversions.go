package figures

import (
	"strings"

	"github.com/ebbpool/arena/lab/advice"
	"github.com/ebbpool/arena/lab/rounds"
)

// conversions has what each program of package advice gained by an arena: of its processor
// time beside the plain form's, and of that with GOGC=400.
func conversions(m rounds.Measured) (all []Figure, _ error) {
	for _, s := range advice.Subjects() {
		of := func(live, side, unit string) []float64 {
			return m.Values("Conversion/program="+s.Name+"/live="+live+"/form="+strings.Replace(side, "+", "/GOGC=", 1), unit)
		}
		add := func(measure string, values []float64, single bool) {
			g, ok := Figure{Table: "conversions", Work: s.What, Measure: measure}.Of(values)
			if single {
				g, ok = g.Single(values)
			}
			if ok {
				all = append(all, g)
			}
		}
		add("lines changed", m.Values("Conversion/program="+s.Name, "lines"), true)
		add("allocations", of("0", "plain+100", "allocs/op"), true)
		add("in an arena", of("0", "arena+100", "allocs/op"), true)
		for _, c := range []struct{ live, about string }{{"0", "none live"}, {"1000000", "1,000,000 live"}} {
			plain := of(c.live, "plain+100", "cpu-ns/op")
			add("times as fast, "+c.about, Ratios(plain, of(c.live, "arena+100", "cpu-ns/op"), false), false)
			add("`GOGC=400` alone, "+c.about, Ratios(plain, of(c.live, "plain+400", "cpu-ns/op"), false), false)
		}
	}
	return all, nil
}
