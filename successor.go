//go:build arenacheck || race || asan

package arena

import "runtime"

// guard notes the cleanup that tells the pool of the arena's end.
func (w *witness) guard(c runtime.Cleanup) { w.cleanup = c }

// spent is the account of the arenas that were put back: an even number of
// turns says that they are nobody's.
var spent account

// successor returns the arena that goes on in place of a, which was put back
// and must never be anybody's again: it has a's lanes, which are empty, with
// what they have learned, and a's account. So a warm pool is as warm as in a
// plain build. It returns nil under the race detector, which takes what one
// goroutine hands on to another for an order between all that they do.
func (a *Arena) successor() *Arena {
	if raceEnabled {
		return nil
	}
	b := &Arena{
		flat: a.flat, types: a.types, side: a.side,
		chunkSize: a.chunkSize, maxRetained: a.maxRetained,
		marks: a.marks, highWater: a.highWater, resets: a.resets,
		owner: a.owner,
	}
	b.metered().arena = b
	b.flatLane().watchedBy(&b.watch)
	for _, l := range b.types.lanes {
		l.watchedBy(&b.watch)
	}
	a.watch.cleanup.Stop()
	b.owner.pool.guard(b)
	a.flat, a.types, a.side, a.marks = lane{}, newTypeTable(), nil, markStack{}
	a.owner.account = &spent
	return b
}
