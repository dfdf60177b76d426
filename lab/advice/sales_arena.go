package advice

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ebbpool/arena"
)

func salesIn(a *arena.Arena, b []byte) uint64 {
	return sumOf(reportSalesIn(a, a.AllocBytesToString(b)))
}

func reportSalesIn(a *arena.Arena, text string) string {
	groups := arena.NewMap[string, *group](a, 0)
	for line := range strings.SplitSeq(text, "\n") {
		var fields []string
		for f := range strings.SplitSeq(line, ";") {
			fields = arena.Append(a, fields, f)
		}
		if len(fields) != 4 {
			continue
		}
		s := arena.NewOf(a, sale{region: a.ToLower(fields[0]), product: fields[1]})
		s.count, _ = strconv.Atoi(fields[2])
		s.cents, _ = strconv.Atoi(fields[3])
		key := a.Concat(s.region, "/", s.product)
		g, _ := groups.Get(key)
		if g == nil {
			g = arena.NewOf(a, group{key: key})
			groups.Set(key, g)
		}
		g.sales = arena.Append(a, g.sales, s)
		g.total += s.count * s.cents
	}
	var sorted []*group
	for _, g := range groups.All() {
		sorted = arena.Append(a, sorted, g)
	}
	slices.SortFunc(sorted, func(x, y *group) int { return strings.Compare(x.key, y.key) })
	out := arena.NewBuffer(a, 0)
	for _, g := range sorted {
		out.WriteString(a.Sprintf("%-20s %3d sales, %d.%02d\n", g.key, len(g.sales), g.total/100, g.total%100))
	}
	return out.String()
}
