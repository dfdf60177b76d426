package machine

import (
	"runtime"
	"sync/atomic"

	"github.com/ebbpool/arena/internal/check"
)

// PoolStats has the counters that all arenas of a pool share. An arena changes them
// when it gains or loses a chunk, which is rare in a warm pool, and with a total limit
// at Get and Put.
type PoolStats struct {
	_        [64]byte       // no cache line with what every Get reads
	held     atomic.Uintptr // bytes of all chunks
	peak     atomic.Uintptr // the most that held was
	largest  atomic.Uintptr // the most bytes that the chunks of one arena and its forks had
	out      atomic.Uintptr // bytes counted against the total
	total    atomic.Uintptr // the most that out may be; 0: any
	oversize atomic.Uint64
	dropped  atomic.Uint64
	refused  atomic.Uint64
	byTotal  atomic.Uint64 // of those, by the total

	droppedBytes atomic.Uint64
	letGo        atomic.Uintptr // bytes dropped since the last collection
	collectAfter atomic.Uintptr // of letGo; 0: never

	abandoned atomic.Uint64 // arenas, of which left ones are not collected yet
	left      atomic.Int64
	_         [64]byte

	Spares Spares // held counts them, too
}

// Account is the share that one arena and its forks, each of which may be in use by
// another goroutine, have in the counters of their pool. It outlives the arena.
//
// While the arena is out and the pool has a total, charged equals held, for idle forks
// too: others can't have that memory. The two differ only for a moment: a chunk is
// charged before it is made and held afterwards, and the other way round when it is
// dropped, so that charged is never too small. Only a total that is set while the
// arena is out finds bytes that are held and not charged; the next chunk charges them
// all.
type Account struct {
	// Turns is the number of the arena's Gets and Puts: odd while it is out. A Put, which
	// may come twice at once, adds one by CompareAndSwap, a Get by Take.
	Turns atomic.Uint64
	// held is the size of the chunks in bytes, charged the part of it that counts
	// against the pool's total.
	held, charged atomic.Uintptr
	// Pending makes Put undo what Get or a limit did. The arena's owner sets it;
	// forks leave it alone.
	Pending bool

	abandoned atomic.Bool
	forks     atomic.Uint64 // that were ever handed out
}

// Limit sets the total; 0 is none.
func (s *PoolStats) Limit(total uintptr) { s.total.Store(total) }

// limit returns the total; 0 is none, also for a nil s.
func (s *PoolStats) limit() uintptr {
	if s == nil {
		return 0
	}
	return s.total.Load()
}

// Counts is a snapshot of the counters. Sizes are in bytes.
type Counts struct {
	Held, Out, Total   uintptr // of all chunks; of those that count against the total; that, 0 for none
	HighWater, Largest uintptr // the most that Held was; the most that one arena and its forks had
	Oversize, Dropped  uint64
	Refused, ByTotal   uint64 // by all limits; of those, by the total
	Abandoned          uint64
	DroppedBytes       uint64
}

// Counts reads the counters, each at its own moment.
func (s *PoolStats) Counts() Counts {
	return Counts{s.held.Load(), s.out.Load(), s.total.Load(), s.peak.Load(), s.largest.Load(), s.oversize.Load(), s.dropped.Load(), s.refused.Load(), s.byTotal.Load(), s.abandoned.Load(), s.droppedBytes.Load()}
}

// TakeHighWater returns the high-water mark, which begins anew with what is held now.
func (s *PoolStats) TakeHighWater() uintptr {
	peak := s.peak.Swap(0)
	Raise(&s.peak, s.held.Load())
	return peak
}

// Left returns how many arenas were abandoned and are not collected yet.
func (s *PoolStats) Left() int { return int(s.left.Load()) }

// Take counts a Get, of an idle arena, which the caller alone has. Whoever gets the arena
// from the caller sees that.
//
//go:norace
func (acct *Account) Take() { addAlone(&acct.Turns, 1) }

// Abandoned reports whether the arena was abandoned.
func (acct *Account) Abandoned() bool { return acct.abandoned.Load() }

// grew counts a new chunk of the given size in bytes.
func (acct *Account) grew(s *PoolStats, bytes uintptr, large bool) {
	check.RaceBlind()
	held := s.held.Add(bytes)
	Raise(&s.peak, held)
	Raise(&s.largest, acct.held.Add(bytes))
	if large {
		s.oversize.Add(1)
	}
	check.RaceSee()
}

// Raise sets x to the larger of x and to.
func Raise(x *atomic.Uintptr, to uintptr) {
	check.RaceBlind()
	for at := x.Load(); to > at && !x.CompareAndSwap(at, to); at = x.Load() {
	}
	check.RaceSee()
}

// isOut reports whether the arena is out. One that is used after its Put must charge
// nothing: nobody would discharge it before the next Get, which charges all that the
// arena has then, and others would miss those bytes.
func (acct *Account) isOut() bool { return acct.Turns.Load()%2 == 1 }

// shrank notes that so many chunks went, of so many bytes, and takes them off the
// total unless they are still on it, for what comes in their place.
func (acct *Account) shrank(s *PoolStats, bytes uintptr, chunks int, still bool) {
	check.RaceBlind()
	acct.held.Add(-bytes)
	s.drop(bytes, chunks)
	check.RaceSee()
	if !still {
		acct.discharge(s, bytes)
	}
}

// Forks returns how many forks the arena and its forks ever handed out.
func (acct *Account) Forks() uint64 { return acct.forks.Load() }

// drop counts chunks that nobody has any more.
func (s *PoolStats) drop(bytes uintptr, chunks int) {
	s.held.Add(-bytes)
	s.dropped.Add(uint64(chunks))
	s.droppedBytes.Add(uint64(bytes))
	s.LetGo(bytes)
}

// CollectAfter sets the number of dropped bytes after which the pool calls runtime.GC, 0 for never.
func (s *PoolStats) CollectAfter(bytes uintptr) { s.collectAfter.Store(bytes) }

// Collected notes a collection.
func (s *PoolStats) Collected() { s.letGo.Store(0) }

// collecting is set while a pool's call of runtime.GC runs.
var collecting atomic.Bool

// LetGo counts bytes that were left to the collector, and starts a collection if CollectAfter asks for it.
func (s *PoolStats) LetGo(bytes uintptr) {
	after := s.collectAfter.Load()
	if after == 0 || s.letGo.Add(bytes) < after || collecting.Swap(true) {
		return
	}
	s.letGo.Store(0)
	go func() { // the caller may hold a pool's lock, and should not wait
		defer collecting.Store(false)
		runtime.GC()
	}()
}

// Held returns the size of the chunks of the arena and its forks, in bytes.
func (acct *Account) Held() uintptr { return acct.held.Load() }

// Charged returns the part of Held that counts against the total.
func (acct *Account) Charged() uintptr { return acct.charged.Load() }

// owed returns the bytes that are held beyond charged, because the total was set late.
func (acct *Account) owed(charged uintptr) uintptr {
	held := acct.held.Load()
	return held - min(held, charged)
}

// ChargeIdle charges what an idle arena has retained, if there is a total; it returns
// false, and charges nothing, where the total does not allow it.
func (acct *Account) ChargeIdle(s *PoolStats) bool {
	total, held := s.limit(), acct.held.Load()
	if total == 0 || held == 0 {
		return true
	}
	for {
		check.RaceBlind()
		out := s.out.Load()
		fits := remaining(total, out) >= held
		done := fits && s.out.CompareAndSwap(out, out+held)
		check.RaceSee()
		if done {
			acct.charged.Store(held)
		}
		if done || !fits {
			return done
		}
	}
}

// charge charges more bytes, which may be negative, if nothing has changed since b was
// read; else it returns false.
func (acct *Account) charge(s *PoolStats, b balance, more uintptr) bool {
	check.RaceBlind()
	done := acct.charged.CompareAndSwap(b.charged, b.charged+more)
	if done && !s.out.CompareAndSwap(b.out, b.out+more) {
		acct.charged.Add(-more)
		done = false
	}
	check.RaceSee()
	return done
}

// Uncharge discharges all that the arena and its forks have, as they are put back.
func (acct *Account) Uncharge(s *PoolStats) {
	acct.Pending = false
	acct.discharge(s, ^uintptr(0))
}

// Close ends the account of an arena that was collected.
func (acct *Account) Close(s *PoolStats) {
	s.held.Add(-acct.held.Load())
	acct.discharge(s, ^uintptr(0))
	if acct.abandoned.Load() {
		s.left.Add(-1)
	}
}

// discharge lowers charged, and the pool's out, by the smaller of bytes and charged.
func (acct *Account) discharge(s *PoolStats, bytes uintptr) {
	check.RaceBlind()
	for charged := acct.charged.Load(); charged != 0 && bytes != 0; charged = acct.charged.Load() {
		n := min(bytes, charged)
		if acct.charged.CompareAndSwap(charged, charged-n) {
			s.out.Add(-n)
			break
		}
	}
	check.RaceSee()
}

// balance counts against the pool's total: out bytes, charged of them by the
// account of q's arena, and all of them with what that account owes. The total is 0
// where there is none, and for an arena that is not out.
type balance struct{ total, out, charged, all uintptr }

// leaves returns the total's remaining capacity once idle bytes were dropped.
func (b balance) leaves(idle uintptr) uintptr {
	if b.total == 0 {
		return noLimit
	}
	return remaining(b.total, b.all-idle)
}

// remaining returns what a limit leaves when held bytes are in use.
func remaining(limit, held uintptr) uintptr { return limit - min(limit, held) }

// noLimit is the remaining capacity where there is no limit.
const noLimit = ^uintptr(0)
