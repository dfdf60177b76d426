// Command bench compares arenapb with package proto, vtprotobuf and hyperpb, and writes
// the table of docs/generated/protobuf.md. vtprotobuf's code is generated first: see the page.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// node keeps the collector as busy as a program with much in memory does.
type node struct {
	next *node
	pad  [6]uint64
}

func main() {
	rounds := flag.Int("rounds", 9, "measured rounds, of which the table has the median, the least and the greatest")
	bytes := flag.Int("bytes", 32<<20, "bytes of each document that a round reads, and writes: several collections' worth")
	page := flag.String("page", "", "the page whose table is replaced; none: it is printed")
	flag.Parse()
	var rows []row
	all := documents()
	for _, d := range all {
		rows = append(rows, measure(d, *rounds, *bytes, false))
	}
	live := make([]*node, 1_000_000)
	for i := range live {
		live[i] = &node{next: live[max(0, i-1)]}
	}
	for _, d := range all[:2] {
		rows = append(rows, measure(d, *rounds, *bytes, true))
	}
	runtime.KeepAlive(live)
	if *page == "" {
		fmt.Print(table(rows))
		return
	}
	text, err := os.ReadFile(*page)
	must(err)
	const begin, end = "<!-- bench:begin -->\n", "<!-- bench:end -->"
	from, to := strings.Index(string(text), begin), strings.Index(string(text), end)
	if from < 0 || to < from {
		panic(*page + " has no place for the table")
	}
	must(os.WriteFile(*page, []byte(string(text[:from])+begin+table(rows)+string(text[to:])), 0o644))
}
