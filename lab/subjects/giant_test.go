package subjects_test

import (
	"runtime"
	"testing"

	"github.com/ebbpool/arena/lab/subjects"
	"github.com/ebbpool/arena/lab/workloads"
)

// The report shows where a giant request among small ones finds its memory: in the Arena, which may retain
// that much, for about 190 cycles, and in bytebump, but not in the ArenaPool, which may not retain it.
func TestGiantChunkIsGivenBack(t *testing.T) {
	w, err := workloads.Find("giant")
	if err != nil {
		t.Fatal(err)
	}
	const mb, ops = 8, 6
	for subject, again := range map[string]bool{subjects.Region: false, subjects.Pool: true, subjects.ByteBump: false} {
		a, err := subjects.FindAllocator(subject)
		if err != nil {
			t.Fatal(err)
		}
		run, _ := w.Bind(a.New())
		for range 3 { // a single cycle is no rule
			run(mb, &workloads.Watch{})
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range ops {
			run(mb, &workloads.Watch{})
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc-before.TotalAlloc >= mb<<20; got != again {
			t.Errorf("%s: allocates %d MB anew in %d operations after the first", subject, (after.TotalAlloc-before.TotalAlloc)>>20, ops)
		}
	}
}
