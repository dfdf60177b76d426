package matrix

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/procfs"

	"github.com/ebbpool/arena/lab/rounds"
	"github.com/ebbpool/arena/lab/subjects"
	"github.com/ebbpool/arena/lab/workloads"
)

// warmCycles is the number of operations before those measured. Allocators that adapt their chunks have
// settled by the third.
const warmCycles = 3

// longWarmUp is the time after which no further warm-up is started: such a long operation contains many
// cycles and settles within the first one.
const longWarmUp = time.Second

// BenchmarkMatrix has a benchmark for each workload, size and subject. The metric checksum is an operation's
// result, of which a float64 keeps 53 bits.
func BenchmarkMatrix(b *testing.B) {
	for _, w := range workloads.Catalog() {
		for _, n := range slices.Concat(w.Sizes, w.Full) {
			for _, a := range subjects.Allocators() {
				if a.Lacks[w.Need] != "" || a.New() == nil { // nil: an experiment that this build does not have
					continue
				}
				b.Run(strings.TrimPrefix(Name(w.Name, n, a.Name), "Matrix/"), func(b *testing.B) { measure(b, w, n, a) })
			}
		}
	}
}

func measure(b *testing.B, w workloads.Workload, n int, a subjects.Allocator) {
	if w.Procs != nil {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(w.Procs(n)))
	}
	op, ok := w.Bind(a.New())
	if !ok {
		b.Fatalf("%s is not made for it", a.Name)
	}
	watch := new(workloads.Watch) // shared, so that its memory does not count
	switch w.Kind {
	case workloads.Reads: // subjects may differ
		b.ReportMetric(float64(op(n, watch)), "wrong")
		return
	case workloads.Collect:
		collect(b, op, n)
		return
	}
	begun := time.Now()
	sum := op(n, watch)
	for i := 1; i < warmCycles && time.Since(begun) < longWarmUp; i++ {
		op(n, watch)
	}
	b.ReportAllocs()
	var spent time.Duration
	ops := 0
	for b.Loop() {
		*watch = workloads.Watch{}
		start := time.Now()
		got := op(n, watch)
		spent += time.Since(start) - watch.Paused()
		ops++
		if got != sum {
			b.Fatalf("operation %d gave the checksum %x, the first %x", ops, got, sum)
		}
	}
	b.ReportMetric(float64(spent.Nanoseconds())/float64(ops), "ns/op")
	b.ReportMetric(float64(sum&(1<<53-1)), "checksum")
	if w.Kind == workloads.Resident {
		// Return all other memory to the system, to measure the subject's retained memory.
		debug.FreeOSMemory()
		if p, err := procfs.Self(); err == nil {
			if status, err := p.NewStatus(); err == nil {
				b.ReportMetric(float64(status.VmRSS), "resident-B")
			}
		}
		runtime.KeepAlive(op)
	}
}

// collect reads the runtime's statistics of one operation: live and system memory at its end, bytes allocated
// and collections during it.
func collect(b *testing.B, op workloads.Run, n int) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	sum := op(n, &workloads.Watch{})
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(sum&(1<<53-1)), "checksum")
	b.ReportMetric(float64(after.Alloc), "Alloc-B")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc), "TotalAlloc-B")
	b.ReportMetric(float64(after.Sys), "Sys-B")
	b.ReportMetric(float64(after.NumGC-before.NumGC), "NumGC")
}

// Each cell runs separately, prints one line, and gives the same checksum as the others. Objects of a []byte
// arena are corrupted by collections, and ours are not.
func TestCells(t *testing.T) {
	dir := t.TempDir()
	programs, err := Programs(t.Context(), dir, Options{
		Workloads: []string{"request", "corruption"}, Subjects: []string{subjects.Heap, subjects.Region, subjects.ByteBump}, Benchtime: "1x",
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(programs) != 6 {
		t.Fatalf("%d programs, 6 are wanted", len(programs))
	}
	file, err := os.Create(filepath.Join(dir, "matrix.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if err := rounds.Run(t.Context(), file, 2, programs, func(_ rounds.Program, err error) error { return err }); err != nil {
		t.Fatal(err)
	}
	file.Close()
	m, err := rounds.Read(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	sums := map[float64]bool{}
	for _, s := range []string{subjects.Heap, subjects.Region, subjects.ByteBump} {
		for _, sum := range m.Values(Name("request", 1000, s), "checksum") {
			sums[sum] = true
		}
		wrong := m.Values(Name("corruption", 5000, s), "wrong")
		if len(wrong) != 2 || (wrong[0] > 0) != (s == subjects.ByteBump) {
			t.Errorf("%s: %v objects read back wrong", s, wrong)
		}
	}
	if len(sums) != 1 {
		t.Errorf("the checksums are %v", sums)
	}
}

func TestUnknownNames(t *testing.T) {
	for _, o := range []Options{{Build: "msan"}, {Workloads: []string{"nothing"}}, {Subjects: []string{"tcmalloc"}}} {
		if _, err := Programs(t.Context(), t.TempDir(), o); err == nil {
			t.Errorf("%+v was built", o)
		}
	}
	if _, err := fmt.Sscanf(Name("flat", 7, "std arena"), "Matrix/work=flat/n=7/subject=std_arena"); err != nil {
		t.Error(err)
	}
}
