package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ebbpool/arena/lab/advice"
)

// bar is the gain that "arena advise" calls worth it.
const bar = 1.10

// page is the table of what was predicted and measured.
func page(rows, frozen []row) []byte {
	var b strings.Builder
	inside, right, firsts, near := 0, 0, 0, 0
	var off float64
	fmt.Fprintf(&b, `# What arena advise predicts

How many times the throughput a program has in an arena: what `+"`arena advise`"+` predicts from
profiles of its plain form, with the range that it prints, and what its conversion by hand
gains in processor time, the median of interleaved runs with the least and the greatest.
"First" is what was predicted before the program was converted: for sales, DNS, texts and the
grid by a model that did not yet know what an arena saves in copying, growing and maps. What
is predicted now is by one that was fitted to all but the template and the orders, and of the
modules of others to the expression machine alone: what Append adds to a stack. "Off" and the
verdict are of the first prediction, where there is one. The range is today's: it was widened
until four of five programs lay in it, these among them.

`+"`go run ./cmd/advice`"+`, in lab, repeats all of it, and keeps each value in [results.csv](../../lab/advice/results.csv). %s, %s.

| program | predicted | first | measured | off | verdict | GOGC=400, predicted | measured |
| --- | ---: | ---: | ---: | ---: | --- | ---: | ---: |
`, rows[0].goVersion, "on two busy cores")
	for _, r := range rows {
		what := r.name // a module of others
		if i := slices.IndexFunc(advice.Subjects(), func(s advice.Subject) bool { return s.Name == r.name }); i >= 0 {
			what = advice.Subjects()[i].What
		}
		p, first := r, "" // the first prediction counts
		if i := slices.IndexFunc(frozen, func(f row) bool { return f.name == r.name }); i >= 0 {
			p = frozen[i]
			first = fmt.Sprintf("%.2f (%.2f–%.2f)", p.gain, p.low, p.high)
			firsts++
			if math.Abs(p.gain/r.measured-1) <= 0.2 {
				near++
			}
		}
		verdict := "wrong"
		if (p.gain >= bar) == (r.measured >= bar) {
			right++
			verdict = map[bool]string{true: "yes", false: "no"}[p.gain >= bar]
		}
		if r.low <= r.measured && r.measured <= r.high {
			inside++
		}
		off += math.Abs(p.gain/r.measured - 1)
		fmt.Fprintf(&b, "| %s | %.2f (%.2f–%.2f) | %s | %.2f (%.2f–%.2f) | %+.0f %% | %s | %.2f | %.2f |\n",
			what, r.gain, r.low, r.high, first, r.measured, r.min, r.max, 100*(p.gain/r.measured-1), verdict, r.gogc, r.measuredGOGC)
	}
	fmt.Fprintf(&b, "\nMean error %.0f %%. %d of %d measured values lie in the predicted range, %d of %d verdicts are right, "+
		"%d of %d first predictions are within 20 %%.\n", 100*off/float64(len(rows)), inside, len(rows), right, len(rows), near, firsts)
	return []byte(b.String())
}
