//go:build arenacheck

package check

import (
	"os"
	"runtime"
	"sync"
)

// With the tag arenacheck, memory that was taken back is made unusable without
// the help of a sanitizer:
//
//   - Memory without pointers lies in whole pages. Access to them is forbidden,
//     so that it faults (on Linux and macOS with pages no larger than the
//     runtime's, see page; elsewhere they are filled with DeadByte). They are
//     pages of runs, which are objects of the Go heap: once nothing points into
//     a run any more, a finalizer allows access again, and the collector gets
//     it. (The collector doesn't look into such memory.)
//   - Memory with pointers must stay readable for the collector. It is filled
//     with dead values: pointers to memory that nobody can access, which tell
//     the epoch (see graves_tag.go), and DeadLen for numbers.
//   - What lies between values of the first kind is filled with FreeByte, and
//     looked at when it is taken back. What is handed out as it is, is filled
//     with it, too.
const (
	FreeByte = 0xFC // never handed out
	DeadByte = 0xDE // given back
	DeadLen  = 0xDEAD
)

// faults says that a stale access to memory without pointers faults. Where
// AddressSanitizer watches it, its report says more.
const faults = !ASan

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

func havePages() bool { return faults && page <= runtimePage }

// run is an allocation that chunks take pages of. It has addresses as numbers:
// what keeps a run keeps none of its memory alive.
type run struct {
	start, size uintptr
	protected   []protectedChunk
}

// protectedChunk is a chunk that was taken back.
type protectedChunk struct {
	start, size uintptr
	epoch       *epoch
}

var runs struct {
	sync.Mutex
	all       map[*run]struct{}
	protected int // in all of them

	// The one that pages are taken from.
	current  *run
	base     Pointer
	off, end uintptr
}

// tailRedzone is how many bytes lie behind each chunk without pointers, as a redzone
// for its last value: flatRedzone, and no part of the chunk.
const tailRedzone = flatRedzone

// makeChecked makes the memory of a chunk of n bytes, and says which run it is
// of, if it is.
func (l *Lane) makeChecked(n uintptr, make func(uintptr) Pointer) (base Pointer, r *run) {
	if l.typed || ASan {
		return make(n), nil
	}
	if havePages() {
		base, r = takePages(n)
	} else {
		base = makeWords(roundUp(n+tailRedzone, 8))
	}
	fill(base, n, n+tailRedzone, freeFill)
	return base, r
}

// pagesOf is how much a chunk of n bytes takes of a run.
func pagesOf(n uintptr) uintptr { return roundUp(n+tailRedzone, page) }

// takePages takes the pages for a chunk of n bytes.
func takePages(n uintptr) (Pointer, *run) {
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
	p := addr(runs.base, runs.off)
	runs.off += n
	return p, runs.current
}

// newRun makes a run of n bytes. Its finalizer, not a cleanup, gives back its
// protection: the memory must still be ours then.
func newRun(n uintptr) (Pointer, *run) {
	base := makeWords(n)
	r := &run{start: number(base), size: n}
	runs.Lock()
	if runs.all == nil {
		runs.all = map[*run]struct{}{}
	}
	runs.all[r] = struct{}{}
	runs.Unlock()
	runtime.SetFinalizer(words(base), func(p *uint64) {
		if err := allowAccess(bytesAt(pointerTo(p), n), true); err != nil {
			panic("arena: the protection of pages can't be given back: " + err.Error())
		}
		runs.Lock()
		runs.protected -= len(r.protected)
		delete(runs.all, r)
		runs.Unlock()
	})
	return base, r
}

// protect makes a chunk's memory unusable.
func (c *Chunk) protect(l *Lane, r Extent) {
	switch {
	case l.fillDead != nil:
		l.fillDead(r.Base, 0, r.Lo, l.of.epoch.deadPointer())
	case !l.typed && !ASan && !c.run.protect(r, l.of.epoch):
		fill(r.Base, 0, r.Size, deadFill)
	}
}

// protect forbids access to a chunk of the run, if that can be done.
func (r *run) protect(c Extent, l *epoch) bool {
	if r == nil {
		return false
	}
	runs.Lock()
	defer runs.Unlock()
	size := pagesOf(c.Size)
	start := number(c.Base)
	if start%page != 0 || runs.protected >= MostProtected || allowAccess(bytesAt(c.Base, size), false) != nil {
		return false
	}
	r.protected = append(r.protected, protectedChunk{start, size, l})
	runs.protected++
	return true
}

// Protected is how many chunks are inaccessible at the moment.
func Protected() int {
	runs.Lock()
	defer runs.Unlock()
	return runs.protected
}
