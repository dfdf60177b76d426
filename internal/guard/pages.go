package guard

import (
	"errors"
	"os"
	"runtime"
	"sync"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// runSize is how much is taken from the Go heap at a time for pages. The
// runtime gives objects of that size pages of their own, of runtimePage.
const (
	runSize     = 256 << 10
	runtimePage = 8 << 10
)

// MostProtected bounds the number of chunks that are protected at a time. Each can
// be a mapping of its own, of which Linux allows a process 65,530.
const MostProtected = 20_000

// page is the size in bytes of what protection is given by. On systems with
// pages that are larger than the runtime's nothing is protected.
var page = uintptr(os.Getpagesize())

// HavePages reports whether the system's pages can be protected one by one.
func HavePages() bool { return canProtect && page <= runtimePage }

// Run is an allocation that chunks take pages of. It has addresses as numbers:
// what keeps a run keeps none of its memory alive.
type Run struct {
	start, size uintptr
	protected   []protectedChunk
}

// protectedChunk is a chunk that was taken back.
type protectedChunk struct {
	start, size uintptr
	cycle       *Cycle
}

var runs struct {
	sync.Mutex
	all       map[*Run]struct{}
	bytes     uintptr // of all of them
	protected int     // chunks in all of them

	// The one that pages are taken from.
	current  *Run
	base     xunsafe.Pointer
	off, end uintptr
}

// Bytes returns the size of all runs in bytes, those whose memory the collector has still
// to find unused among them.
func Bytes() uintptr {
	runs.Lock()
	defer runs.Unlock()
	return runs.bytes
}

// TakePages returns n bytes that begin a page and that nothing else shares pages with,
// and the run that they are of.
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

// newRun makes a run of n bytes. Its finalizer, not a cleanup, gives back its
// protection: the memory must still be ours then.
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

// Protect forbids access to the n bytes at base, which TakePages returned with r, and
// notes that they were e's. It reports whether that could be done: not with a nil r, nor
// with more than MostProtected.
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

// Protected is how many chunks are inaccessible at the moment.
func Protected() int {
	runs.Lock()
	defer runs.Unlock()
	return runs.protected
}

// A Find is Explain's result: the address that was accessed, the cycle that it was of,
// nil where that is not known any more, and a text that says so.
type Find struct {
	Addr  uintptr
	Cycle *Cycle
	Text  string
}

// Explain says which memory a fault was in; ok is false for every other error, and where
// the memory is not guarded.
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
