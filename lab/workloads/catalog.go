package workloads

import (
	"fmt"
	"slices"
	"time"
)

// Watch excludes parts of an operation from its time, like the methods of testing.B. The zero Watch is
// running.
type Watch struct {
	paused time.Duration
	since  time.Time
}

// Pause stops the clock until Resume.
func (w *Watch) Pause() { w.since = time.Now() }

// Resume lets the clock run again.
func (w *Watch) Resume() { w.paused += time.Since(w.since) }

// Paused returns how long the clock was stopped.
func (w *Watch) Paused() time.Duration { return w.paused }

// Run runs one operation and returns the checksum of everything it read from its objects. All subjects give
// the same checksum, so that work deleted by the compiler or skipped by a subject is noticed.
type Run func(n int, w *Watch) uint64

// Workload is one kind of work of the matrix.
type Workload struct {
	Name string
	// Title describes one operation; n is the size.
	Title string
	// Sizes are the n of a quick run. A full run adds Full.
	Sizes, Full []int
	// Unit names what n counts.
	Unit string
	// Per returns the divisor of an operation's time: n for n repetitions of the same work, 1 for a single
	// result.
	Per func(n int) float64
	// Procs returns GOMAXPROCS of the run; 0 keeps the default.
	Procs func(n int) int
	// Kind is the quantity that is measured in addition to time, or instead of it.
	Kind Kind
	// Need is the name of the interface that a subject must implement.
	Need string
	// bind returns the operation for a subject, or nil if it lacks the interface.
	bind func(subject any) Run
}

// Kind is the quantity that a workload measures.
type Kind int

// Kinds of workloads.
const (
	Time     Kind = iota // nanoseconds, allocations and bytes of an operation
	Resident             // Time, and the resident memory afterwards
	Reads                // number of objects that read back wrong; no time
	Collect              // the runtime's statistics; no time
)

// Bind returns the operation of w for a subject, and false if the subject does not support it.
func (w Workload) Bind(subject any) (Run, bool) {
	run := w.bind(subject)
	return run, run != nil
}

// on returns a bind function for work that needs the interface I.
func on[I any](run func(m I, n int, w *Watch) uint64) func(any) Run {
	return func(subject any) Run {
		m, ok := subject.(I)
		if !ok {
			return nil
		}
		return func(n int, w *Watch) uint64 { return run(m, n, w) }
	}
}

func each(n int) float64 { return float64(n) }
func whole(int) float64  { return 1 }

// Find returns the workload with the given name.
func Find(name string) (Workload, error) {
	all := Catalog()
	if i := slices.IndexFunc(all, func(w Workload) bool { return w.Name == name }); i >= 0 {
		return all[i], nil
	}
	var names []string
	for _, w := range all {
		names = append(names, w.Name)
	}
	return Workload{}, fmt.Errorf("unknown workload %q; there are %q", name, names)
}

const million = 1_000_000

// Catalog returns the workloads of the matrix, in the order of the report.
func Catalog() []Workload {
	var thousands = []int{100, 10_000}
	return []Workload{
		{Name: "flat", Title: "structs of 64 B, no pointers", Sizes: []int{million}, Unit: "objects", Per: each, Need: "Objects", bind: on(flats)},
		{Name: "link", Title: "structs of 64 B, two strings and a pointer", Sizes: []int{million}, Unit: "objects", Per: each, Need: "Objects", bind: on(links)},
		{Name: "text", Title: "copies of a string of 32 B", Sizes: []int{million}, Unit: "strings", Per: each, Need: "Texts", bind: on(texts)},
		{Name: "slice-reserved", Title: "one slice, memory reserved; one element written", Sizes: []int{million}, Unit: "ints", Per: whole, Need: "Ints", bind: on(reserved)},
		{Name: "slice-zeroed", Title: "one slice, promised zero; one element written", Sizes: []int{million}, Unit: "ints", Per: whole, Need: "Ints", bind: on(zeroed)},
		{Name: "slice-filled", Title: "one slice, zero, every element written and read", Sizes: []int{million}, Unit: "ints", Per: whole, Need: "Ints", bind: on(filled)},

		{Name: "Slice", Title: "a slice of capacity n, n ints appended", Sizes: thousands, Full: []int{100_000}, Unit: "ints", Per: whole, Need: "Ints", bind: on(matrixSlice)},
		{Name: "SimpleStruct", Title: "n structs of a length and an empty slice", Sizes: thousands, Full: []int{100_000}, Unit: "structs", Per: whole, Need: "Simples", bind: on(matrixSimple)},
		{Name: "ComplexStruct", Title: "one such struct, its slice of capacity n, n ints appended", Sizes: thousands, Full: []int{100_000}, Unit: "ints", Per: whole, Need: "Simples and Ints", bind: on(matrixComplex)},
		{Name: "ComplexStructIter", Title: "1,000 ComplexStructs in one cycle", Sizes: []int{100}, Full: []int{10_000, 100_000}, Unit: "ints", Per: whole, Need: "Simples and Ints", bind: on(matrixIter)},

		{Name: "grow", Title: "one slice grown by append", Sizes: []int{1000}, Full: []int{100_000}, Unit: "ints", Per: whole, Need: "Ints", bind: on(growOne)},
		{Name: "grow-turns", Title: "four slices grown by append, in turn", Sizes: []int{1000}, Full: []int{100_000}, Unit: "ints", Per: whole, Need: "Ints", bind: on(growTurns)},
		{Name: "request", Title: "requests of 20 objects of 6 types, 30 strings, 4 slices", Sizes: []int{1000}, Unit: "requests", Per: each, Need: "Requests", bind: on(requests)},
		{Name: "tree", Title: "binary trees of that depth, built and walked", Sizes: []int{12}, Full: []int{18}, Unit: "levels", Per: whole, Need: "Nodes", bind: on(tree)},
		{Name: "trees", Title: "binary trees up to that depth, one that stays, each counted and dropped", Sizes: []int{14}, Full: []int{20}, Unit: "levels", Per: func(n int) float64 { return float64(TreeNodes(n)) }, Need: "Nodes", bind: on(trees)},
		{Name: "reset-flat", Title: "the end of a cycle of n structs without pointers", Sizes: []int{1000, 100_000}, Full: []int{million}, Unit: "objects", Per: whole, Need: "Ends", bind: on(resetFlat)},
		{Name: "reset-link", Title: "the end of a cycle of n structs with pointers", Sizes: []int{1000, 100_000}, Full: []int{million}, Unit: "objects", Per: whole, Need: "Ends", bind: on(resetLink)},
		{Name: "pool", Title: "2,000 requests, shared by as many goroutines as processors", Sizes: []int{1, 2}, Unit: "processors", Per: func(int) float64 { return poolRequests }, Procs: func(n int) int { return n }, Need: "Workers", bind: on(pool)},
		{Name: "giant", Title: "one request of n MB, then 100 small ones", Sizes: []int{64}, Full: []int{512}, Unit: "MB", Per: whole, Kind: Resident, Need: "Requests and Ints", bind: on(giant)},

		{Name: "cold-slice", Title: "memory made anew, one slice grown by append", Sizes: []int{100, 10_000, 100_000}, Unit: "ints", Per: perColdCycle, Need: "Cold", bind: on(coldSlice)},
		{Name: "cold-struct", Title: "memory made anew, a struct whose slice is grown by append", Sizes: []int{100, 10_000, 100_000}, Unit: "ints", Per: perColdCycle, Need: "Cold", bind: on(coldStruct)},
		{Name: "cold-iter", Title: "memory made anew, 1,000 ComplexStructs in it", Sizes: []int{100}, Full: []int{10_000}, Unit: "ints", Per: whole, Need: "Cold", bind: on(coldIter)},
		{Name: "cold-request", Title: "memory made anew, requests of that many objects in all", Sizes: []int{20, 200}, Unit: "objects", Per: perColdCycle, Need: "Cold", bind: on(coldRequest)},

		{Name: "corruption", Title: "objects that alone hold heap strings, five collections with churn", Sizes: []int{5000}, Unit: "objects", Per: whole, Kind: Reads, Need: "Objects", bind: on(corruption)},
		{Name: "collector", Title: "100 calls that append 100,000 ints", Sizes: []int{100}, Unit: "calls", Per: whole, Kind: Collect, Need: "Ints", bind: on(collector)},
		{Name: "collector-clone", Title: "the same, and each result is cloned to the heap", Sizes: []int{100}, Unit: "calls", Per: whole, Kind: Collect, Need: "Ints", bind: on(collectorClone)},
	}
}
