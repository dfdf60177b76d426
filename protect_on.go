//go:build arenacheck

package arena

import (
	"cmp"
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
)

// With the tag arenacheck, memory that was taken back is made unusable without
// the help of a sanitizer:
//
//   - Memory without pointers lies in chunks that are whole pages. Access to
//     them is forbidden, so that it faults (on Linux and macOS; elsewhere they
//     are filled with deadByte). Once nothing points to a chunk any more, a
//     finalizer allows access again, and the collector gets it. (The collector doesn't look into such memory.)
//   - Memory with pointers must stay readable for the collector. It is filled
//     with dead values: pointers into a page that nobody can access, and
//     deadByte everywhere else.
//   - What lies between values of the first kind is filled with freeByte, and
//     looked at when it is taken back. What is handed out as it is, is filled
//     with it, too.
const (
	freeByte = 0xFC // never handed out
	deadByte = 0xDE // given back
	deadLen  = 0xDEAD
)

// faults says that a stale access to memory without pointers faults. Where
// AddressSanitizer watches it, its report says more.
const faults = !asanEnabled

// wholePages is the least size of a chunk that can be protected: the runtime
// gives larger objects than 32 KB pages of their own, of 8 KB.
const (
	wholePages  = 40 << 10
	runtimePage = 8 << 10
)

// mostProtected bounds the number of chunks that are protected at a time: each
// is a mapping of its own, of which Linux allows a process 65,530.
const mostProtected = 8192

var protected atomic.Int32

// burials are the protected chunks, by their address.
var burials struct {
	sync.Mutex
	m map[uintptr]burial
}

type burial struct {
	size uintptr
	life *life
}

// leastChunk is the size of a chunk for n bytes.
func (l *lane) leastChunk(n uintptr) uintptr {
	if !checked || !faults || l.ops.clear != nil {
		return n
	}
	return max(n, wholePages)
}

// fillZone marks what is left out between values without pointers.
func (l *lane) fillZone(c *chunk, at, n uintptr) {
	if n != 0 && l.ops.clear == nil && !asanEnabled {
		fill(c.base, at, at+n, freeByte)
	}
}

// giveUnwritten marks memory that is handed out as it is.
func (c *chunk) giveUnwritten(from, to uintptr) { fill(c.base, from, to, freeByte) }

// noteGiven remembers what was handed out.
func (c *chunk) noteGiven(l *lane, from, to uintptr) {
	if l.ops.clear == nil {
		c.watch.given = append(c.watch.given, span{from, to})
	}
}

// checkZones panics if something was written beside the values of a chunk
// without pointers.
func (l *lane) checkZones(c *chunk) {
	if l.ops.clear != nil || asanEnabled {
		return
	}
	given := c.watch.given
	slices.SortFunc(given, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	at := uintptr(0)
	for _, s := range append(given, span{c.cap, c.cap}) {
		for ; at < s.from; at++ {
			if at == c.lo && isZero(c.base, c.lo, c.hi) {
				at = c.hi - 1 // room that nobody had
				continue
			}
			// Behind a value there are zeros up to the next multiple of 8.
			if !isFilled(c.base, at, at+1, freeByte) && !isZero(c.base, at, at+1) {
				panic("arena: memory that was never handed out was written, " + neighbours(given, at) +
					": something wrote beyond the end of its value" + l.watch.of.life.history())
			}
		}
		at = max(at, s.to)
	}
}

// neighbours says what lies around offset at.
func neighbours(given []span, at uintptr) string {
	text := "before the first value"
	for _, s := range given {
		if s.to <= at {
			text = itoa(int(at-s.to)) + " bytes behind the end of a value of " + itoa(int(s.to-s.from)) + " bytes"
		}
	}
	return text
}

// protect makes a chunk's memory unusable.
func (l *lane) protect(c *chunk) {
	if l.ops.clear != nil {
		if l.watch.kill != nil {
			l.watch.kill(c.base, 0, c.lo)
		}
		return
	}
	start := offsetIn(nil, c.base)
	if !faults || start%runtimePage != 0 || os.Getpagesize() > runtimePage || protected.Load() >= mostProtected {
		fill(c.base, 0, c.cap, deadByte)
		return
	}
	size := roundUp(c.cap, uintptr(os.Getpagesize()))
	if allowAccess(bytesAt(c.base, size), false) != nil {
		fill(c.base, 0, c.cap, deadByte)
		return
	}
	burials.Lock()
	if burials.m == nil {
		burials.m = map[uintptr]burial{}
	}
	burials.m[start] = burial{size, l.watch.of.life}
	burials.Unlock()
	protected.Add(1)
	// A finalizer, not a cleanup: the memory must still be ours when it runs.
	runtime.SetFinalizer(as[uint64](c.base), func(p *uint64) {
		if err := allowAccess(bytesAt(pointerTo(p), size), true); err != nil {
			panic("arena: the protection of a chunk can't be given back: " + err.Error())
		}
		protected.Add(-1)
		burials.Lock()
		delete(burials.m, start)
		burials.Unlock()
	})
}

// freeSlotByte is what free slots are filled with: nothing that would be a
// pointer.
func (p *FixedPool[T]) freeSlotByte() byte {
	if p.pointers {
		return 0
	}
	return deadByte
}

// fillSlots fills slots [from, to), which are free.
func (p *FixedPool[T]) fillSlots(from, to uintptr) {
	if !p.pointers {
		fill(p.base, from*sizeOf[T](), to*sizeOf[T](), deadByte)
	}
}

// checkSlot panics if a free slot was written.
func (p *FixedPool[T]) checkSlot(i uintptr) {
	size := sizeOf[T]()
	if asanEnabled || isFilled(p.base, i*size, i*size+size, p.freeSlotByte()) {
		return
	}
	panic("arena: " + p.name + ".Allocate: slot " + itoa(int(i)) + " was written after it was given back")
}

// catchFaults has a fault of this goroutine be a panic, which ExplainFaults
// can say more of, and which can be recovered from.
func catchFaults() {
	if faults {
		debug.SetPanicOnFault(true)
	}
}

// A FaultError is what ExplainFaults panics with.
type FaultError struct {
	Addr uintptr // the address that was accessed
	text string
	err  error
}

func (e *FaultError) Error() string { return e.text }

// Unwrap returns the runtime's error.
func (e *FaultError) Unwrap() error { return e.err }

// ExplainFaults, deferred, says of a fault in this goroutine which arena the
// memory belonged to, and where that was emptied: it panics with an error that
// says so. It must be deferred itself, not be called by a deferred function.
//
//	defer arena.ExplainFaults()
//
// ArenaPool.Do does it by itself. In builds without the tag arenacheck it does
// nothing.
func ExplainFaults() {
	e := recover()
	if e == nil {
		return
	}
	panic(explain(e))
}

// explain makes a FaultError of a fault in a protected chunk, and leaves
// everything else alone.
func explain(e any) any {
	err, _ := e.(error)
	var fault interface{ Addr() uintptr }
	if err == nil || !errors.As(err, &fault) || errors.As(err, new(*FaultError)) {
		return e
	}
	at := fault.Addr()
	burials.Lock()
	defer burials.Unlock()
	for start, b := range burials.m {
		if at-start < b.size {
			return &FaultError{at, "arena: use of memory that an arena has taken back" + b.life.history(), err}
		}
	}
	if at-offsetIn(nil, tombstone()) < tombstoneSize {
		return &FaultError{at, "arena: use of a pointer that was read from memory after an arena took it back", err}
	}
	return e
}
