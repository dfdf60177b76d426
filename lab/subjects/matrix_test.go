package subjects_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/ebbpool/arena/lab/subjects"
	"github.com/ebbpool/arena/lab/workloads"
)

// small sizes run every path: chunks fill up, slices grow.
var small = map[string]int{
	"flat": 20_000, "link": 20_000, "text": 20_000, "slice-reserved": 50_000, "slice-zeroed": 50_000,
	"slice-filled": 50_000, "Slice": 3000, "SimpleStruct": 3000, "ComplexStruct": 3000, "ComplexStructIter": 20,
	"grow": 3000, "grow-turns": 1000, "request": 200, "tree": 10, "trees": 8, "reset-flat": 3000, "reset-link": 3000,
	"cold-slice": 3000, "cold-struct": 3000, "cold-iter": 20, "cold-request": 200,
	"pool": 2, "giant": 2, "collector": 3, "collector-clone": 3,
}

// Every subject runs every workload that it supports, twice in the same memory, with the same checksum. For
// each workload that it does not support, it states the reason.
func TestAllSubjectsDoTheSame(t *testing.T) {
	for _, w := range workloads.Catalog() {
		if w.Kind == workloads.Reads {
			continue // counts wrong results; see the tests of package matrix
		}
		n, ok := small[w.Name]
		if !ok {
			t.Fatalf("no size for %s", w.Name)
		}
		first, _ := subjects.FindAllocator(subjects.Heap)
		if first.Lacks[w.Need] != "" {
			first, _ = subjects.FindAllocator(subjects.SyncPool)
		}
		run, ok := w.Bind(first.New())
		if !ok {
			t.Fatalf("%s has no row for %s", w.Name, first.Name)
		}
		want := run(n, &workloads.Watch{})
		if want == 0 {
			t.Errorf("%s: a checksum of 0 is that of no work", w.Name)
		}
		for _, a := range subjects.Allocators() {
			if a.Experiment != "" {
				continue // needs another build; see package matrix
			}
			t.Run(fmt.Sprintf("%s/%s", w.Name, a.Name), func(t *testing.T) {
				run, ok := w.Bind(a.New())
				if why, lacks := a.Lacks[w.Need]; ok == lacks || lacks && why == "" {
					t.Fatalf("implements %s: %t, and its reason for lacking it is %q", w.Need, ok, why)
				}
				if !ok {
					t.Skip(a.Lacks[w.Need])
				}
				for cycle := range 3 {
					if got := run(n, &workloads.Watch{}); got != want {
						t.Errorf("cycle %d: checksum %x, want %x", cycle, got, want)
					}
					runtime.GC()
				}
			})
		}
	}
}

// MakeInts, simple structs and nodes return zeroed memory, also if it was used before.
func TestZeros(t *testing.T) {
	for _, a := range subjects.Allocators() {
		if a.Experiment != "" {
			continue
		}
		m := a.New()
		for range 3 {
			if m, ok := m.(workloads.Ints); ok {
				for _, v := range m.MakeInts(0, 5000)[:5000] {
					if v != 0 {
						t.Fatalf("%s: MakeInts returns %#x", a.Name, v)
					}
				}
				s := m.ReserveInts(5000)
				for i := range s {
					s[i] = -1
				}
			}
			if m, ok := m.(workloads.Simples); ok {
				var all [100]*workloads.Simple
				m.Simples(all[:])
				for _, x := range all {
					if x.Length != 0 || x.Items != nil {
						t.Fatalf("%s: Simples returns %+v", a.Name, *x)
					}
					x.Length = -1
				}
			}
			m.(workloads.Cycle).End()
		}
	}
}

func TestUnknownAllocator(t *testing.T) {
	if _, err := subjects.FindAllocator("tcmalloc"); err == nil {
		t.Error("found")
	}
	if _, err := workloads.Find("nothing"); err == nil {
		t.Error("found")
	}
}
