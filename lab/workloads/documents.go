package workloads

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Inputs are what the programs of package advice read: documents of a seed, the same on
// every machine.
type Inputs struct {
	Queries, Markdown []string
	Scrapes, Orders   [][]byte
}

// NewInputs makes n documents of each kind: GraphQL queries and Markdown pages of
// 1 to 4 KB, metrics of 3 to 9 KB, orders of about 1 KB.
func NewInputs(seed uint64, n int) *Inputs {
	in := &Inputs{}
	for i := range n {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		in.Queries = append(in.Queries, queryDocument(rng))
		in.Markdown = append(in.Markdown, markdownDocument(rng))
		in.Scrapes = append(in.Scrapes, scrape(rng))
		in.Orders = append(in.Orders, document(rng))
	}
	return in
}

var fieldNames = []string{
	"id", "name", "title", "price", "currency", "createdAt", "updatedAt", "edges", "node", "cursor",
	"totalCount", "address", "customer", "lineItems", "shippingMethod", "inventoryQuantity",
}

func queryDocument(rng *rand.Rand) string {
	var b strings.Builder
	var set func(depth int)
	arguments := func() {
		switch rng.IntN(4) {
		case 0:
			fmt.Fprintf(&b, "(first: %d, after: $cursor)", 1+rng.IntN(100))
		case 1:
			fmt.Fprintf(&b, `(where: {status: OPEN, tags: ["%s", "%s"], note: "say \"%s\""})`, pick(rng, tags), pick(rng, tags), pick(rng, attrValues))
		}
	}
	set = func(depth int) {
		b.WriteString(" {\n")
		for range 2 + rng.IntN(5) {
			b.WriteString(strings.Repeat("  ", depth))
			switch k := rng.IntN(12); {
			case k == 0:
				b.WriteString("...orderFields")
			case k == 1 && depth < 5:
				b.WriteString("... on Product")
				set(depth + 1)
			default:
				if k == 2 {
					fmt.Fprintf(&b, "a%d: ", rng.IntN(100))
				}
				b.WriteString(pick(rng, fieldNames))
				if k < 6 {
					arguments()
				}
				if k == 3 {
					b.WriteString(" @include(if: $full)")
				}
				if k > 6 && depth < 5 {
					set(depth + 1)
				}
			}
			b.WriteByte('\n')
		}
		b.WriteString(strings.Repeat("  ", depth-1) + "}")
	}
	for i := 0; b.Len() < 800; i++ {
		fmt.Fprintf(&b, "query Orders%d($cursor: String, $full: Boolean! = true, $ids: [ID!]!)", i)
		set(1)
		b.WriteString("\n# what every order has\n")
	}
	b.WriteString("fragment orderFields on Order")
	set(3)
	return b.String()
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

func scrape(rng *rand.Rand) []byte {
	var b strings.Builder
	for range 4 + rng.IntN(5) {
		name := "shop_" + pick(rng, fieldNames) + "_total"
		fmt.Fprintf(&b, "# HELP %s How many there were of %s.\n# TYPE %s COUNTER\n", name, pick(rng, titles), name)
		for range 4 + rng.IntN(16) {
			fmt.Fprintf(&b, `%s{method="%s",code="%d",path="%s",instance="%s"`, name, pick(rng, methods), pick(rng, statuses), pick(rng, paths), address(rng))
			if rng.IntN(8) == 0 {
				fmt.Fprintf(&b, `,title=%q`, pick(rng, titles))
			}
			fmt.Fprintf(&b, "} %d", rng.IntN(1_000_000))
			if rng.IntN(2) == 0 {
				fmt.Fprintf(&b, " %d", 1_704_067_200_000+rng.Int64N(366*24*3600*1000))
			}
			b.WriteByte('\n')
		}
	}
	return []byte(b.String())
}
