package subjects

import (
	"fmt"
	"slices"
	"strings"
)

// Allocator is a subject of the matrix: a way to allocate, with those interfaces of package workloads that it
// supports.
type Allocator struct {
	Name string
	// What describes the subject, with the facts needed to interpret its numbers.
	What string
	// New returns an instance for a process that measures one workload.
	New func() any
	// Experiment is the GOEXPERIMENT that the program needs.
	Experiment string
	// Lacks maps missing interfaces to the reason.
	Lacks map[string]string
}

// Names of subjects that the load test does not have.
const (
	FixedPool = "FixedPool"
	Pool      = "ArenaPool"
	Region    = "Arena"
	ByteBump  = "bytebump"
	StdArena  = "std arena"
	Ristretto = "ristretto z"
	Modernc   = "modernc memory"
	Buffers   = "bytebufferpool"
	FastJSON  = "fastjson"
)

const oneType = "serves one type"

// Allocators returns the subjects of the matrix, in the order of the tables. Ordinary Go is first.
func Allocators() []Allocator {
	noPool := map[string]string{"Workers": oneGoroutine}
	usedAgain := map[string]string{"Workers": oneGoroutine, "Cold": keptOn}
	return []Allocator{
		{Name: Heap, What: "ordinary Go: new, make and append", New: func() any { return goHeap{} },
			Lacks: map[string]string{"Ends": "has nothing to call: the collector frees its objects later"}},
		{Name: SyncPool, What: "one sync.Pool for each type; objects are cleared when they go back, strings come from the heap",
			New: func() any { return newTypedPools() }, Lacks: map[string]string{
				"Texts": "a string can't be recycled without unsafe", "Ints": "recycles a slice only of a known capacity",
				"Cold": keptOn, "Simples and Ints": "recycles a slice only of a known capacity", "Requests and Ints": "recycles a slice only of a known capacity",
			}},
		{Name: Region, What: "ours: emptied by Reset", New: func() any { return newRegion() }},
		{Name: Pool, What: "ours: an arena from a pool for each cycle", New: func() any { return newPooled() }, Lacks: map[string]string{
			"Objects": sameAsArena, "Ends": sameAsArena, "Texts": sameAsArena, "Ints": sameAsArena, "Simples": sameAsArena,
			"Simples and Ints": sameAsArena, "Cold": keptOn,
		}},
		{Name: FixedPool, What: "ours, for one type and a number of objects; each one is given back by itself",
			New: func() any { return &fixedPools{} }, Lacks: map[string]string{
				"Texts": oneType, "Ints": oneType, "Simples and Ints": oneType, "Requests": oneType,
				"Workers": oneType, "Requests and Ints": oneType, "Cold": oneType,
			}},
		{Name: ByteBump, What: "the usual Go arena: a cursor over []byte; zeroes only where a row says zero, and the collector sees no pointer in it",
			New: func() any { return newBump() }, Lacks: usedAgain},
		{Name: StdArena, What: "the standard library's experiment arena, in a build of its own; freed, and made anew for each cycle",
			New: newStdArena, Experiment: "arenas", Lacks: noPool},
		{Name: Ristretto, What: "github.com/dgraph-io/ristretto/v2/z Allocator: a cursor over []byte that goroutines may share; the collector sees no pointer in it",
			New: func() any { return newRistretto() }, Lacks: map[string]string{
				"Requests": bytesOnly, "Requests and Ints": bytesOnly, "Workers": bytesOnly, "Cold": bytesOnly,
			}},
		{Name: Modernc, What: "modernc.org/memory: malloc and free outside the Go heap; all is freed by Close. The collector sees no pointer in it",
			New: func() any { return newModernc() }, Lacks: map[string]string{
				"Requests": bytesOnly, "Requests and Ints": bytesOnly, "Workers": bytesOnly, "Cold": bytesOnly,
			}},
		{Name: Buffers, What: "github.com/valyala/bytebufferpool: strings are parts of one pooled buffer",
			New: func() any { return &buffers{} }, Lacks: onlyText("a pool of byte buffers")},
		{Name: FastJSON, What: "github.com/valyala/fastjson Arena: each string is also a JSON value",
			New: func() any { return &fastJSON{} }, Lacks: onlyText("makes JSON values only")},
	}
}

const (
	sameAsArena = "allocates as Arena does; requests, pool and giant show what Get and Put cost"
	keptOn      = "is made to be used again"
	bytesOnly   = "hands out bytes: a request's objects of six types would be unsafe to store in it"

	oneGoroutine = "belongs to one goroutine; nothing of it is shared"
)

func onlyText(why string) map[string]string {
	m := map[string]string{}
	for _, need := range []string{"Objects", "Ends", "Ints", "Simples", "Simples and Ints", "Nodes", "Requests", "Workers", "Requests and Ints", "Cold"} {
		m[need] = why
	}
	return m
}

// FindAllocator returns the subject with the given name.
func FindAllocator(name string) (Allocator, error) {
	all := Allocators()
	if i := slices.IndexFunc(all, func(a Allocator) bool { return a.Name == name }); i >= 0 {
		return all[i], nil
	}
	var names []string
	for _, a := range all {
		names = append(names, a.Name)
	}
	return Allocator{}, fmt.Errorf("unknown subject %q; there are %q", name, names)
}

// Marked returns a subject's name, with a mark if the collector does not see its pointers.
func Marked(name string) string {
	if a, err := FindAllocator(name); err == nil && strings.Contains(a.What, "collector sees no pointer in it") {
		return name + " (unsafe)"
	}
	return name
}
