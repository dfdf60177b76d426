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
	largest  atomic.Uintptr // the most bytes that the chunks of one arena had
	out      atomic.Uintptr // bytes counted against the total
	total    atomic.Uintptr // the most that out may be; 0: any
	oversize atomic.Uint64
	dropped  atomic.Uint64
	refused  atomic.Uint64
	_        [64]byte
}

// Account is what one arena has of its pool's tally. It outlives the arena.
type Account struct {
	// Turns is the number of the arena's Gets and Puts: odd while it is out.
	Turns atomic.Uint64
	// held is how many bytes the arena's chunks have, charged how many of them
	// count against the pool's total.
	held, charged atomic.Uintptr
	// Unsettled says that Put has something to undo.
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
	HighWater, Largest         uintptr // the most that Held was; the most that one arena had
	Oversize, Dropped, Refused uint64
}

// Counts reads the tally, each number at its own moment.
func (t *Tally) Counts() Counts {
	return Counts{t.held.Load(), t.out.Load(), t.peak.Load(), t.largest.Load(), t.oversize.Load(), t.dropped.Load(), t.refused.Load()}
}

// grew notes a new chunk of so many bytes, of an arena that has held of them
// now.
func (t *Tally) grew(bytes, held uintptr, large bool) {
	check.RaceBlind()
	Raise(&t.peak, t.held.Add(bytes))
	Raise(&t.largest, held)
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

// isOut says whether the arena is out. One that was put back and is used even
// so must have no part of the total: it is not looked at before the next Get,
// which counts all that the arena has then, and others would go short of it.
func (acct *Account) isOut() bool { return acct.Turns.Load()%2 == 1 }

// Held is how many bytes the arena's chunks have.
func (acct *Account) Held() uintptr { return acct.held.Load() }

// Charged is how many bytes of its chunks count against the total.
func (acct *Account) Charged() uintptr { return acct.charged.Load() }

// ChargeIdle counts held bytes, what an arena kept, against the total, if there is
// one and it has room for them; else it returns false.
func (acct *Account) ChargeIdle(t *Tally, held uintptr) bool {
	total := t.limit()
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

// Settle takes all that the arena has off the total: it is not out any more.
func (acct *Account) Settle(t *Tally) {
	acct.Unsettled = false
	acct.discharge(t, ^uintptr(0))
}

// Close is for an arena that was collected.
func (acct *Account) Close(t *Tally) {
	t.held.Add(-acct.held.Load())
	acct.discharge(t, ^uintptr(0))
}

// discharge takes bytes, at most what is there, off what the arena has of the
// pool's total.
func (acct *Account) discharge(t *Tally, bytes uintptr) {
	if charged := acct.charged.Load(); charged != 0 {
		check.RaceBlind()
		bytes = min(bytes, charged)
		acct.charged.Store(charged - bytes)
		t.out.Add(-bytes)
		check.RaceSee()
	}
}
