package workloads_test

import (
	"testing"

	"github.com/ebbpool/arena/lab/subjects"
	"github.com/ebbpool/arena/lab/workloads"
)

// The checksum is the number of nodes, which the C++ half also checks, so both languages do the same work.
// The expected values are computed by hand.
func TestTreesCountEveryNode(t *testing.T) {
	// 4: 63 stretch, 31 long-lived, 16 of 31. 5: the same with 127 and 63, 32 of 31. 6: 255, 127, 64 of 31,
	// 16 of 127.
	for depth, want := range map[int]int{4: 63 + 31 + 16*31, 5: 127 + 63 + 32*31, 6: 255 + 127 + 64*31 + 16*127} {
		if got := workloads.TreeNodes(depth); got != want {
			t.Errorf("TreeNodes(%d) is %d, want %d", depth, got, want)
		}
		w, err := workloads.Find("trees")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{subjects.Heap, subjects.Region, subjects.ByteBump} {
			a, err := subjects.FindAllocator(name)
			if err != nil {
				t.Fatal(err)
			}
			run, ok := w.Bind(a.New())
			if !ok {
				t.Fatalf("%s has no trees", name)
			}
			if got := run(depth, &workloads.Watch{}); got != uint64(want) {
				t.Errorf("%s: %d nodes of depth %d, want %d", name, got, depth, want)
			}
		}
	}
}
