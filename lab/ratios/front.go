package ratios

import (
	"fmt"
	"slices"
	"strings"
)

// front are the claims that the README's front shows: what most programs do.
// The others stand in docs/numbers.md, with the misses.
var front = []string{
	"`New`, 64 B, no pointers",
	"`New`, 64 B, two strings",
	"`AllocString`, 32 B",
	"`Append`, 0 to 1000 ints, one slice",
	"`ArenaPool`, one request, 1 core",
}

// FrontMarkdown writes the table of the README's front: how many times as fast
// as the Go heap, and nothing that needs more words.
func FrontMarkdown(results []Result) string {
	var b strings.Builder
	b.WriteString("| work | " + faster + ": median (min–max) |\n| --- | ---: |\n")
	for _, r := range results {
		if r.Claim.Measure != faster || !slices.Contains(front, r.Work) {
			continue
		}
		measured := "not measured"
		if r.Rounds > 0 {
			measured = fmt.Sprintf("%.1f (%.1f–%.1f)", r.Median, r.Min, r.Max)
		}
		fmt.Fprintf(&b, "| %s | %s |\n", r.Work, measured)
	}
	return b.String()
}
