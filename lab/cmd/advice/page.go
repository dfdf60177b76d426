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
func page(rows []row) []byte {
	var b strings.Builder
	inside, right := 0, 0
	var off float64
	fmt.Fprintf(&b, `# What arena advise predicts

How many times the throughput a program has in an arena: what `+"`arena advise`"+` predicts from
profiles of its plain form, with the range that it prints, and what its conversion by hand
gains in processor time, the median of interleaved runs with the least and the greatest.
"First" is what was predicted before the program was converted: for sales, DNS, texts and the
grid by a model that did not yet know what an arena saves in copying, growing and maps. The
others, and what is predicted now, are by one that was fitted to these programs. "Off" is of
the first prediction, where there is one. `+"`go run ./cmd/advice`"+`, in lab, repeats all of it,
and keeps each value in [results.csv](../../lab/advice/results.csv). %s, %s.

| program | predicted | first | measured | off | verdict | GOGC=400, predicted | measured |
| --- | ---: | ---: | ---: | ---: | --- | ---: | ---: |
`, rows[0].goVersion, "on two busy cores")
	for _, s := range advice.Subjects() {
		i := slices.IndexFunc(rows, func(r row) bool { return r.name == s.Name })
		if i < 0 {
			continue
		}
		r := rows[i]
		predicted, first := r.gain, ""
		if r.first > 0 {
			predicted, first = r.first, fmt.Sprintf("%.2f", r.first)
		}
		verdict := "wrong"
		if (predicted >= bar) == (r.measured >= bar) {
			right++
			verdict = map[bool]string{true: "yes", false: "no"}[predicted >= bar]
		}
		if r.low <= r.measured && r.measured <= r.high {
			inside++
		}
		off += math.Abs(predicted/r.measured - 1)
		fmt.Fprintf(&b, "| %s | %.2f (%.2f–%.2f) | %s | %.2f (%.2f–%.2f) | %+.0f %% | %s | %.2f | %.2f |\n",
			s.What, r.gain, r.low, r.high, first, r.measured, r.min, r.max, 100*(predicted/r.measured-1), verdict, r.gogc, r.measuredGOGC)
	}
	fmt.Fprintf(&b, "\nMean error %.0f %%. %d of %d measured values lie in the predicted range, %d of %d verdicts are right.\n",
		100*off/float64(len(rows)), inside, len(rows), right, len(rows))
	return []byte(b.String())
}
