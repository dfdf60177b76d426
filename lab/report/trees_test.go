package report

import (
	"slices"
	"testing"

	"github.com/ebbpool/arena/lab/matrix"
	"github.com/ebbpool/arena/lab/workloads"
)

// Both languages stand in one table, by the time of a node, each beside the C++
// region of the faster compiler.
func TestTreeTable(t *testing.T) {
	const depth = 14
	op := float64(workloads.TreeNodes(depth))
	var rows []matrix.Row
	var cpp []matrix.CppRow
	for round := 1; round <= 7; round++ {
		for subject, ns := range map[string]float64{"heap": 12, "Slab": 3} {
			rows = append(rows, matrix.Row{
				Cell: matrix.Cell{Workload: "trees", N: depth, Subject: subject}, Round: round, Status: matrix.OK,
				Value: matrix.Value{Metric: matrix.NsPerOp, Value: ns * op}, Checksum: uint64(op),
			})
		}
		for compiler, ns := range map[string]float64{"gcc 12.2": 2, "clang 14.0": 2.5} {
			cell := matrix.CppCell{Compiler: compiler, Workload: "binary trees to depth 14", Size: 16, Subject: "std::pmr monotonic"}
			cpp = append(cpp, matrix.CppRow{CppCell: cell, Round: round, NsPerCall: ns})
		}
	}
	inGo, err := lines(rows, "")
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"14", "C++, gcc 12.2", "std::pmr monotonic", "2.00 ns", "0 %", "1.00 (1.00–1.00)", "7"},
		{"14", "C++, clang 14.0", "std::pmr monotonic", "2.50 ns", "0 %", "1.25 (1.25–1.25)", "7"},
		{"14", "Go", "Slab", "3.00 ns", "0 %", "1.50 (1.50–1.50)", "7"},
		{"14", "Go", "heap", "12.0 ns", "0 %", "6.00 (6.00–6.00)", "7"},
	}
	if got := treeTable(inGo, cppLines(cpp)).Rows; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for _, cpp := range [][]CppLine{nil, cppLines(cpp[:0])} {
		if got := treeTable(inGo, cpp).Rows; got != nil {
			t.Errorf("rows without anything to compare with: %q", got)
		}
	}
	shown := times(inGo, []string{"trees"})
	if got := shown.Rows[0][2]; got != "12.0 ns a node" {
		t.Errorf("the time of the heap is %q", got)
	}
}
