package guard

import (
	"errors"
	"os"
	"runtime"
	"sync"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// runSize is the size of a run in bytes. The runtime allocates objects of this size in separate pages of runtimePage
// bytes.
const (
	runSize     = 256 << 10
	runtimePage = 8 << 10
)

// MostProtected is the most chunks that are inaccessible at the same time. Each can be a separate mapping, and Linux
// allows a process 65,530 mappings.
const MostProtected = 20_000

// page is the page size of the system in bytes. If it is larger than runtimePage, no memory is protected.
var page = uintptr(os.Getpagesize())

// HavePages reports whether the system can protect single pages of the runtime.
func HavePages() bool { return canProtect && page <= runtimePage }

// Run describes a heap object that chunks take pages of. Addresses are numbers, so that a Run does not keep the memory
// alive.
type Run struct {
	start, size uintptr
	protected   []protectedChunk
}

// protectedChunk is an inaccessible chunk.
type protectedChunk struct {
	start, size uintptr
	cycle       *Cycle
}

var runs struct {
	sync.Mutex
	all       map[*Run]struct{}
	bytes     uintptr // of all runs
	protected int     // number of inaccessible chunks

	// current is the run that pages are taken from.
	current  *Run
	base     xunsafe.Pointer
	off, end uintptr
}

// Bytes returns the size of all runs in bytes, including runs that the collector has not freed yet.
func Bytes() uintptr {
	runs.Lock()
	defer runs.Unlock()
	return runs.bytes
}

// TakePages returns n bytes in pages of their own, and their run.
func TakePages(n uintptr) (xunsafe.Pointer, *Run) {
	large := n > runSize/4
	n = pagesOf(n)
	if large {
		return newRun(n)
	}
	runs.Lock()
	defer runs.Unlock()
	if runs.end-runs.off < n {
		runs.Unlock()
		base, r := newRun(runSize)
		runs.Lock()
		runs.base, runs.current, runs.off, runs.end = base, r, 0, runSize
	}
	p := xunsafe.Add(runs.base, runs.off)
	runs.off += n
	return p, runs.current
}

func pagesOf(n uintptr) uintptr { return (n + page - 1) / page * page }

// newRun makes a run of n bytes. It has a finalizer instead of a cleanup, because the memory must not be freed before it
// is accessible again.
func newRun(n uintptr) (xunsafe.Pointer, *Run) {
	base := xunsafe.DataOf(make([]uint64, n/8))
	r := &Run{start: xunsafe.Number(base), size: n}
	runs.Lock()
	if runs.all == nil {
		runs.all = map[*Run]struct{}{}
	}
	runs.all[r] = struct{}{}
	runs.bytes += n
	runs.Unlock()
	runtime.SetFinalizer(xunsafe.Cast[uint64](base), func(p *uint64) {
		if err := allowAccess(xunsafe.Bytes(xunsafe.PointerTo(p), int(n)), true); err != nil {
			panic("arena: unprotecting guarded pages: " + err.Error())
		}
		runs.Lock()
		runs.protected -= len(r.protected)
		runs.bytes -= n
		delete(runs.all, r)
		runs.Unlock()
	})
	return base, r
}

// Protect makes the n bytes at base, which TakePages returned with r, inaccessible, and records that they belonged to e.
// It reports whether it succeeded. It fails if r is nil, or if MostProtected chunks are inaccessible.
func (r *Run) Protect(base xunsafe.Pointer, n uintptr, e *Cycle) bool {
	if r == nil {
		return false
	}
	runs.Lock()
	defer runs.Unlock()
	size := pagesOf(n)
	start := xunsafe.Number(base)
	if start%page != 0 || runs.protected >= MostProtected || allowAccess(xunsafe.Bytes(base, int(size)), false) != nil {
		return false
	}
	r.protected = append(r.protected, protectedChunk{start, size, e})
	runs.protected++
	return true
}

// Protected returns the number of inaccessible chunks.
func Protected() int {
	runs.Lock()
	defer runs.Unlock()
	return runs.protected
}

// A Find describes a use of guarded memory.
type Find struct {
	Addr  uintptr // of the access
	Cycle *Cycle  // that the memory belonged to; nil if unknown
	Text  string
}

// Explain returns the Find of a fault. ok is false if err is not a fault in guarded memory.
func Explain(err error) (f Find, ok bool) {
	var fault interface{ Addr() uintptr }
	if !errors.As(err, &fault) {
		return Find{}, false
	}
	at := fault.Addr()
	runs.Lock()
	defer runs.Unlock()
	for r := range runs.all {
		if at-r.start >= r.size {
			continue
		}
		for _, b := range r.protected {
			if at-b.start < b.size {
				return Find{at, b.cycle, "arena: use of memory that an arena has taken back" + b.cycle.History()}, true
			}
		}
	}
	return ExplainPointer(at)
}
