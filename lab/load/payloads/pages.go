package payloads

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Pages returns n pages of Markdown, of 1 to 4 KB.
func Pages(seed uint64, n int) [][]byte {
	pages := make([][]byte, n)
	for i := range pages {
		pages[i] = []byte(markdownDocument(rand.New(rand.NewPCG(seed, uint64(i)))))
	}
	return pages
}

func sentence(rng *rand.Rand) string {
	var words []string
	for range 4 + rng.IntN(10) {
		w := pick(rng, titles)
		switch rng.IntN(8) {
		case 0:
			w = "**" + w + "**"
		case 1:
			w = "*" + pick(rng, tags) + "*"
		case 2:
			w = "`" + pick(rng, attrKeys) + "`"
		case 3:
			w = "[" + w + "](" + pick(rng, paths) + ")"
		case 4:
			w = "[the *" + pick(rng, tags) + "*][Ref " + fmt.Sprint(rng.IntN(4)) + "]"
		default:
			w = pick(rng, attrValues)
		}
		words = append(words, w)
	}
	return strings.Join(words, " ") + "."
}

func markdownDocument(rng *rand.Rand) string {
	var b strings.Builder
	for b.Len() < 1200 {
		fmt.Fprintf(&b, "%s %s\n\n%s\n%s\n\n", strings.Repeat("#", 1+rng.IntN(3)), pick(rng, titles), sentence(rng), sentence(rng))
		switch rng.IntN(3) {
		case 0:
			for range 2 + rng.IntN(4) {
				fmt.Fprintf(&b, "- %s\n", sentence(rng))
				if rng.IntN(3) == 0 {
					fmt.Fprintf(&b, "  - %s\n  - %s\n", pick(rng, titles), sentence(rng))
				}
			}
		case 1:
			fmt.Fprintf(&b, "> %s\n> %s\n", sentence(rng), sentence(rng))
		default:
			fmt.Fprintf(&b, "```go\nif x := %q; x < y && ok {\n\treturn\n}\n```\n", pick(rng, attrKeys))
		}
		b.WriteByte('\n')
	}
	for i := range 4 {
		fmt.Fprintf(&b, "[ref %d]: https://www.example.com%s\n", i, pick(rng, paths))
	}
	return b.String()
}
