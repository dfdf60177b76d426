package report

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ebbpool/arena/lab/matrix"
	"github.com/ebbpool/arena/lab/results"
)

// treeBase is what both languages' trees are compared with: the region that C++
// programs take for them.
const treeBase = "std::pmr monotonic"

// treeWork is the C++ benchmark's name for the Go workload of that depth.
func treeWork(depth int) string { return fmt.Sprintf("binary trees to depth %d", depth) }

const treeText = "The work of the public benchmark of that name, on one thread, in both languages. Each ratio is of one round's time to the median of " + treeBase +
	"'s, built by the compiler that makes it faster: the two languages are not measured in turns, so that what slows the machine for a while is in it."

// treeTable has both languages side by side, the fastest first. Without the C++
// program to compare with it has no row: the Go subjects stand in another table.
func treeTable(inGo []Line, inCpp []CppLine) results.Table {
	t := results.Table{Head: []string{"depth", "language", "subject", "time for each node", "spread", "times the time of " + treeBase + " (95 %)", "rounds"}}
	for _, depth := range treeDepths(inGo) {
		base := 0.0
		for _, l := range inCpp {
			if l.Workload == treeWork(depth) && l.Subject == treeBase && (base == 0 || l.Ns < base) {
				base = l.Ns
			}
		}
		if base == 0 {
			continue
		}
		type timed struct {
			language, subject string
			ns                float64
			byRound           map[int]float64 // of a node
		}
		var all []timed
		for _, l := range inGo {
			if l.Workload == "trees" && l.N == depth && l.Status == matrix.OK && l.Ns > 0 {
				nodes := map[int]float64{}
				for round, ns := range l.byRound {
					nodes[round] = ns / l.Work.Per(depth)
				}
				all = append(all, timed{"Go", l.Subject, l.Ns, nodes})
			}
		}
		for _, l := range inCpp {
			if l.Workload == treeWork(depth) {
				all = append(all, timed{"C++, " + l.Compiler, l.Subject, l.Ns, l.byRound})
			}
		}
		slices.SortStableFunc(all, func(a, b timed) int {
			switch {
			case a.ns < b.ns:
				return -1
			case a.ns > b.ns:
				return 1
			}
			return 0
		})
		for _, x := range all {
			var ns, ratios []float64
			for _, v := range x.byRound {
				ns, ratios = append(ns, v), append(ratios, v/base)
			}
			t.Rows = append(t.Rows, []string{strconv.Itoa(depth), x.language, x.subject, duration(x.ns), percent(spread(ns)),
				interval(ratios).String(), strconv.Itoa(len(ns))})
		}
	}
	return t
}

func treeDepths(all []Line) (depths []int) {
	for _, l := range all {
		if l.Workload == "trees" && !slices.Contains(depths, l.N) {
			depths = append(depths, l.N)
		}
	}
	return depths
}
