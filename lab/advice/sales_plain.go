package advice

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/ebbpool/arena"
)

// sale is one line: region, product, quantity, and the price in cents.
type sale struct {
	region, product string
	count, cents    int
}

type group struct {
	key   string
	sales []*sale
	total int
}

// reportSales groups the lines of a text and prints the total of each group.
func reportSales(text string) string {
	groups := map[string]*group{}
	for _, line := range strings.Split(text, "\n") {
		fields := strings.Split(line, ";")
		if len(fields) != 4 {
			continue
		}
		s := &sale{region: strings.ToLower(fields[0]), product: fields[1]}
		s.count, _ = strconv.Atoi(fields[2])
		s.cents, _ = strconv.Atoi(fields[3])
		key := s.region + "/" + s.product
		g := groups[key]
		if g == nil {
			g = &group{key: key}
			groups[key] = g
		}
		g.sales = append(g.sales, s)
		g.total += s.count * s.cents
	}
	var sorted []*group
	for _, g := range groups {
		sorted = append(sorted, g)
	}
	slices.SortFunc(sorted, func(x, y *group) int { return strings.Compare(x.key, y.key) })
	var out strings.Builder
	for _, g := range sorted {
		out.WriteString(fmt.Sprintf("%-20s %3d sales, %d.%02d\n", g.key, len(g.sales), g.total/100, g.total%100))
	}
	return out.String()
}

func newSales() (inputs [][]byte, plain Serve, inArena func(*arena.Arena, []byte) uint64) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 30 {
		var b strings.Builder
		for range 60 {
			fmt.Fprintf(&b, "%s;%s;%d;%d\n", []string{"North", "South", "East", "West"}[rng.IntN(4)],
				[]string{"tent", "stove", "rope", "lamp", "boots"}[rng.IntN(5)], 1+rng.IntN(9), rng.IntN(20000))
		}
		inputs = append(inputs, []byte(b.String()))
	}
	return inputs, func(b []byte) uint64 { return sumOf(reportSales(string(b))) }, salesIn
}
