package subjects_test

import (
	"runtime"
	"testing"

	"github.com/ebbpool/arena/lab/subjects"
	"github.com/ebbpool/arena/lab/workloads"
)

// The report says why our arena is slow at giant requests among small ones: it
// gives the memory back, which bytebump does not.
func TestGiantChunkIsGivenBack(t *testing.T) {
	w, err := workloads.Find("giant")
	if err != nil {
		t.Fatal(err)
	}
	const mb, ops = 8, 6
	for subject, again := range map[string]bool{subjects.Region: true, subjects.ByteBump: false} {
		a, err := subjects.FindAllocator(subject)
		if err != nil {
			t.Fatal(err)
		}
		run, _ := w.Bind(a.New())
		run(mb, &workloads.Watch{})
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
