package figures

import (
	"strings"

	"github.com/ebbpool/arena/lab/advice"
	"github.com/ebbpool/arena/lab/advice/others"
	"github.com/ebbpool/arena/lab/rounds"
)

// conversions returns the gain of each program of package advice.
func conversions(m rounds.Measured) (all []Figure, _ error) {
	for _, s := range advice.Subjects() {
		all = append(all, gains("conversions", s.Name, s.What, m)...)
	}
	return all, nil
}

// ofOthers returns the gain of each module of package others.
func ofOthers(m rounds.Measured) (all []Figure, _ error) {
	modules, err := others.Modules()
	for _, o := range modules {
		all = append(all, gains("others", o.Name, o.What+": "+strings.TrimPrefix(o.Path, "github.com/"), m)...)
	}
	return all, err
}

// gains returns the gain of a program: its processor time compared with the plain form's, and with the plain
// form's with GOGC=400.
func gains(table, name, work string, m rounds.Measured) (all []Figure) {
	of := func(live, side, unit string) []float64 {
		return m.Values("Conversion/program="+name+"/live="+live+"/form="+strings.Replace(side, "+", "/GOGC=", 1), unit)
	}
	add := func(measure string, values []float64, single bool) {
		g, ok := Figure{Table: table, Work: work, Measure: measure}.Of(values)
		if single {
			g, ok = g.Single(values)
		}
		if ok {
			all = append(all, g)
		}
	}
	add("lines changed", m.Values("Conversion/program="+name, "lines"), true)
	add("allocations", of("0", "plain+100", "allocs/op"), true)
	add("in an arena", of("0", "arena+100", "allocs/op"), true)
	for _, c := range []struct{ live, about string }{{"0", "none live"}, {"1000000", "1,000,000 live"}} {
		plain := of(c.live, "plain+100", "cpu-ns/op")
		add("times as fast, "+c.about, Ratios(plain, of(c.live, "arena+100", "cpu-ns/op"), false), false)
		add("`GOGC=400` alone, "+c.about, Ratios(plain, of(c.live, "plain+400", "cpu-ns/op"), false), false)
	}
	return all
}

// automatic compares the results of "arena convert" with the conversions by hand.
func automatic(m rounds.Measured) (all []Figure, _ error) {
	modules, err := others.Modules()
	for _, o := range modules {
		name := "Automatic/program=" + o.Name
		if len(m.Values(name, "sites")) == 0 {
			continue
		}
		of := func(form string) float64 { return median(m.Values(name+"/form="+form, "allocs/op")) }
		timesAsFast := func(form string) float64 { // by round, because the clock rate changes between rounds
			return median(Ratios(m.Values(name+"/form=plain", "cpu-ns/op"), m.Values(name+"/form="+form, "cpu-ns/op"), false))
		}
		add := func(measure string, values ...float64) {
			if g, ok := (Figure{Table: "automatic", Work: strings.TrimPrefix(o.Path, "github.com/") + ", " + o.Root(), Measure: measure}).Single(values); ok {
				all = append(all, g)
			}
		}
		add("seconds", m.Values(name, "seconds")...)
		add("sites moved", m.Values(name, "moved")...)
		add("of", m.Values(name, "sites")...)
		plain, byHand, automatic := of("plain"), of("arena"), of("automatic")
		add("allocations", plain)
		add("by hand", byHand)
		add("automatic", automatic)
		add("% of those removed by hand", 100*(plain-automatic)/(plain-byHand))
		fastByHand, fast := timesAsFast("arena"), timesAsFast("automatic")
		add("times as fast by hand", fastByHand)
		add("times as fast, automatic", fast)
		if fastByHand > 1 {
			add("% of that gain", 100*(1-1/fast)/(1-1/fastByHand))
		}
	}
	return all, err
}
