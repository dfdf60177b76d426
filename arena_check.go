package arena

import (
	"github.com/ebbpool/arena/internal/check"
)

// What this package adds where the checks for misuse are on. Plain builds call
// none of it.

// enter is the beginning of every function that changes an arena, where the
// checks for misuse or the race detector watch; leave is its end.
func (a *Arena) enter(does string) { a.region.Enter(does) }

func (a *Arena) leave() { a.region.Leave() }

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
