package arena

import (
	"errors"

	"github.com/ebbpool/arena/internal/check"
)

// What this package adds where the checks for misuse are on. Plain builds call
// none of it.

// enter is the beginning of every function that changes an arena, where the
// checks for misuse or the race detector watch; leave is its end.
func (a *Arena) enter(does string) {
	a.region.Watch.Enter(does)
	a.mustBeOut(does)
}

func (a *Arena) leave() { a.region.Watch.Leave() }

// mustBeOut panics if the arena was put back. Put changes that while it counts
// as being in the arena.
//
//go:norace
func (a *Arena) mustBeOut(does string) {
	if k := a.forks; check.On && k != nil && k.ended != "" {
		a.leave()
		panic("arena: " + does + ": the arena is a fork, and ended with the arena that it was forked from, by " + k.ended + "; wait for its goroutine before that" + a.region.Watch.History())
	}
	if acct := a.owner.account; check.On && acct != nil && acct.Turns.Load()%2 == 0 {
		a.leave()
		panic("arena: " + does + ": the arena was put back in its pool, and is not yours any more; Get another one" + a.region.Watch.History())
	}
}

// mustBeAlive faults where m's memory was taken back: what stands in place of its
// arena's address then tells where. The rest of a Map that is dead might as well
// be one without entries.
//
//go:norace
func (m *Map[K, V]) mustBeAlive(does string) {
	if m != nil && m.arena != nil && !m.arena.region.Made() {
		panic(message[Map[K, V]](does) + "the Map's memory was overwritten")
	}
}

// spent is the account of the arenas that were put back: an even number of
// turns says that they are nobody's.
var spent account

// successor returns the arena that goes on in place of a, which was put back
// and must never be anybody's again: it has a's lanes, which are empty, with
// what they have learned, and a's account. So a warm pool is as warm as in a
// plain build. It returns nil under the race detector, which takes what one
// goroutine hands on to another for an order between all that they do.
func (a *Arena) successor() *Arena {
	if check.Race {
		return nil
	}
	b := &Arena{owner: a.owner}
	a.region.MoveTo(&b.region)
	if b.forks = a.forks; b.forks != nil {
		b.quota().IdleForks(b.idleForks)
	}
	a.region.Watch.Unguard()
	b.owner.pool.guard(b)
	a.owner.account = &spent
	return b
}

// A FaultError is what ExplainFaults panics with. Only programs that are built
// with the tag arenacheck ever see one.
type FaultError struct {
	Addr uintptr // the address that was accessed
	text string
	err  error
}

// Error says which epoch the memory belonged to, and where that began and ended.
func (e *FaultError) Error() string { return e.text }

// Unwrap returns the runtime's error.
func (e *FaultError) Unwrap() error { return e.err }

// ExplainFaults, deferred, says of a fault in this goroutine which arena the
// memory belonged to, and where that was emptied: it panics with a *FaultError.
// It does so in programs that are built with the tag arenacheck, where memory
// that an arena took back is made inaccessible if the system can; in others it
// does nothing. It must be deferred itself, not be called by a deferred function.
//
//	defer arena.ExplainFaults()
//
// ArenaPool.Do does it by itself.
func ExplainFaults() {
	if !check.Tag {
		return
	}
	if e := recover(); e != nil {
		panic(explain(e))
	}
}

// explain makes a FaultError of a fault in memory that was taken back, and
// leaves everything else alone.
func explain(e any) any {
	err, _ := e.(error)
	if err == nil || errors.As(err, new(*FaultError)) {
		return e
	}
	if at, text, ok := check.Explain(err); ok {
		return &FaultError{at, text, err}
	}
	return e
}
