package results

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/montanaflynn/stats"
)

// bars are what a newcomer wants to know of a load test.
var bars = []struct {
	what, format string
	value        func(Run) float64
}{
	{"requests/s, more is better", "%.0f", Run.Rate},
	{"1 in 1,000 takes longer than", "%.1f ms", func(r Run) float64 { return float64(r.P999) / 1e6 }},
	{"processors' time for collection", "%.1f %%", func(r Run) float64 { return 100 * r.GCShare }},
	{"memory at most", "%.0f MB", func(r Run) float64 { return float64(r.PeakRSS) / 1e6 }},
}

// barWidth is a bar's longest, in characters.
const barWidth = 12

// WriteBars writes a line for each of bars, with each subject's median and a bar of
// it, and where the whole table is.
func WriteBars(w io.Writer, runs []Run, table string) error {
	var subjects []string
	for _, r := range runs {
		subjects = AppendNew(subjects, r.Subject)
	}
	for _, b := range bars {
		values, most := make([]float64, len(subjects)), 0.0
		for i, s := range subjects {
			var all []float64
			for _, r := range runs {
				if r.Subject == s {
					all = append(all, b.value(r))
				}
			}
			var err error
			if values[i], err = stats.Median(all); err != nil {
				return err
			}
			most = max(most, values[i])
		}
		line := fmt.Sprintf("%-34s", b.what)
		for i, v := range values {
			length := 0
			if most > 0 {
				length = int(math.Round(v / most * barWidth))
			}
			line += fmt.Sprintf("%s %-8s%-*s  ", subjects[i], fmt.Sprintf(b.format, v), barWidth, strings.Repeat("█", length))
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "The whole table: %s\n", table)
	return err
}
