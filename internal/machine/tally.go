package machine

import (
	"sync/atomic"

	"github.com/ebbpool/arena/internal/check"
)

// Tally is what all arenas of a pool count together. They do so when they get
// or lose a chunk, which happens seldom once a pool is warm, so they can share
// it; with a total limit also at Get and Put.
type Tally struct {
	_        [64]byte       // no cache line with what every Get reads
	held     atomic.Uintptr // bytes of all chunks
	peak     atomic.Uintptr // the most that held was
	largest  atomic.Uintptr // the most bytes that the chunks of one arena and its forks had
	out      atomic.Uintptr // bytes counted against the total
	total    atomic.Uintptr // the most that out may be; 0: any
	oversize atomic.Uint64
	dropped  atomic.Uint64
	refused  atomic.Uint64
	_        [64]byte
}

// Account is what one arena and its forks, each of which may be in use by a goroutine
// of its own, have of their pool's tally. It outlives the arena.
//
// While the arena is out and the pool has a total, charged is held, whether a fork is
// in use or waits for the next one: memory that is there is memory that others can't
// have. What differs is on its way: a chunk is charged before it is made and held
// afterwards, and the other way round when it goes, so that charged is never too
// little. Only a total that comes while the arena is out finds something that is held
// and not charged; the next chunk pays for all of that.
type Account struct {
	// Turns is the number of the arena's Gets and Puts: odd while it is out.
	Turns atomic.Uint64
	// held is how many bytes the chunks have, charged how many of them count
	// against the pool's total.
	held, charged atomic.Uintptr
	// Unsettled says that Put has something to undo. It is for who owns the arena;
	// forks leave it alone.
	Unsettled bool
}

// Limit sets the total; 0 is none.
func (t *Tally) Limit(total uintptr) { t.total.Store(total) }

// limit is the total; 0 is none. No tally has none.
func (t *Tally) limit() uintptr {
	if t == nil {
		return 0
	}
	return t.total.Load()
}

// Counts is what a tally says of all arenas of a pool. Sizes are in bytes.
type Counts struct {
	Held, Out                  uintptr // of all chunks; of those that count against the total
	HighWater, Largest         uintptr // the most that Held was; the most that one arena and its forks had
	Oversize, Dropped, Refused uint64
}

// Counts reads the tally, each number at its own moment.
func (t *Tally) Counts() Counts {
	return Counts{t.held.Load(), t.out.Load(), t.peak.Load(), t.largest.Load(), t.oversize.Load(), t.dropped.Load(), t.refused.Load()}
}

// grew notes a new chunk of so many bytes.
func (acct *Account) grew(t *Tally, bytes uintptr, large bool) {
	check.RaceBlind()
	Raise(&t.peak, t.held.Add(bytes))
	Raise(&t.largest, acct.held.Add(bytes))
	if large {
		t.oversize.Add(1)
	}
	check.RaceSee()
}

// Raise moves x up to to.
func Raise(x *atomic.Uintptr, to uintptr) {
	check.RaceBlind()
	for at := x.Load(); to > at && !x.CompareAndSwap(at, to); at = x.Load() {
	}
	check.RaceSee()
}

// isOut reports whether the arena is out. One that was put back and is used even
// so must have no part of the total: it is not looked at before the next Get,
// which counts all that the arena has then, and others would go short of it.
func (acct *Account) isOut() bool { return acct.Turns.Load()%2 == 1 }

// shrank notes that so many chunks went, of so many bytes, and takes them off the
// total unless they are still on it, for what comes in their place.
func (acct *Account) shrank(t *Tally, bytes uintptr, chunks int, still bool) {
	check.RaceBlind()
	acct.held.Add(-bytes)
	t.held.Add(-bytes)
	t.dropped.Add(uint64(chunks))
	check.RaceSee()
	if !still {
		acct.discharge(t, bytes)
	}
}

// Held is how many bytes the chunks of the arena and of its forks have.
func (acct *Account) Held() uintptr { return acct.held.Load() }

// Charged is how many of these bytes count against the total.
func (acct *Account) Charged() uintptr { return acct.charged.Load() }

// owed is what is not charged yet where charged is, as a total came late.
func (acct *Account) owed(charged uintptr) uintptr {
	held := acct.held.Load()
	return held - min(held, charged)
}

// ChargeIdle counts what an arena kept, which nobody uses and which is not charged,
// against the total, if there is one and it has room for it; else it returns false.
func (acct *Account) ChargeIdle(t *Tally) bool {
	total, held := t.limit(), acct.held.Load()
	if total == 0 || held == 0 {
		return true
	}
	for {
		check.RaceBlind()
		out := t.out.Load()
		fits := room(total, out) >= held
		done := fits && t.out.CompareAndSwap(out, out+held)
		check.RaceSee()
		if done {
			acct.charged.Store(held)
		}
		if done || !fits {
			return done
		}
	}
}

// charge counts more bytes, which may be negative, if nothing has changed since b was
// read; else it returns false.
func (acct *Account) charge(t *Tally, b balance, more uintptr) bool {
	check.RaceBlind()
	done := acct.charged.CompareAndSwap(b.charged, b.charged+more)
	if done && !t.out.CompareAndSwap(b.out, b.out+more) {
		acct.charged.Add(-more)
		done = false
	}
	check.RaceSee()
	return done
}

// Settle takes all that the arena and its forks have off the total: they are not out
// any more.
func (acct *Account) Settle(t *Tally) {
	acct.Unsettled = false
	acct.discharge(t, ^uintptr(0))
}

// Close is for an arena that was collected.
func (acct *Account) Close(t *Tally) {
	t.held.Add(-acct.held.Load())
	acct.discharge(t, ^uintptr(0))
}

// discharge takes bytes, at most what is there, off what is charged.
func (acct *Account) discharge(t *Tally, bytes uintptr) {
	check.RaceBlind()
	for charged := acct.charged.Load(); charged != 0 && bytes != 0; charged = acct.charged.Load() {
		n := min(bytes, charged)
		if acct.charged.CompareAndSwap(charged, charged-n) {
			t.out.Add(-n)
			break
		}
	}
	check.RaceSee()
}
