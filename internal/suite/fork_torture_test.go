package suite

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// Forks that work at the same time, are forked again, end in any order and are used
// again in the next life, while the collector runs: what they store, of each other's
// memory, too, is found wherever it lies. Their chunks come from, and go to, the same
// account: under a limit, which is often reached, nothing of that goes astray.
func TestGCForks(t *testing.T) {
	lives := uint64(24)
	if hostile() || check.Race || check.ASan || testing.Short() {
		lives = 6
	}
	p := arena.NewArenaPool(512, 64<<10)
	p.Limit(1<<20, 0)
	for life := range lives {
		a := p.Get()
		first := arena.New[allKinds](a)
		first.set(life)
		var wg sync.WaitGroup
		for i := range uint64(4) {
			f := a.Fork()
			wg.Go(func() {
				if err := forkedKinds(f, life*100+i*10, first, int(i)%3); err != nil {
					t.Errorf("life %d, fork %d: %v", life, i, err)
				}
			})
		}
		for range 3 {
			testkit.Collect(1)
		}
		wg.Wait()
		if err := first.check(life); err != nil {
			t.Errorf("life %d: %v", life, err)
		}
		if life%3 == 0 {
			a.Reset()
		}
		p.Put(a)
	}
	if s := p.Stats(); s.Gets != s.Puts || s.InUseBytes != 0 {
		t.Errorf("in the end: %+v", s)
	}
}

// link leads to memory of the fork and of its parent.
type link struct {
	own, parents *allKinds
	next         *link
}

func forkedKinds(a *arena.Arena, seed uint64, first *allKinds, depth int) error {
	var (
		wg    sync.WaitGroup
		below error
	)
	if depth > 0 {
		f := a.Fork()
		wg.Go(func() { below = forkedKinds(f, seed+1, first, depth-1) })
	}
	var head *link
	const n = 40
	for i := range uint64(n) {
		x := arena.New[allKinds](a)
		x.set(seed + i)
		l := arena.New[link](a)
		*l = link{x, first, head}
		head = l
		a.AllocString("between them")
	}
	if seed%2 == 0 {
		runtime.GC()
	}
	i := uint64(n)
	for l := head; l != nil; l = l.next {
		i--
		if err := l.own.check(seed + i); err != nil {
			wg.Wait()
			return err
		}
		if l.parents != first {
			wg.Wait()
			return errors.New("it does not lead to its parent's object")
		}
	}
	wg.Wait()
	return below
}
