package suite

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
)

// Concurrent forks fork again, end in any order, are refused memory, rewind and continue, while the collector
// runs all the time. All pointers they store, to their own memory, the heap's and their parent's, stay valid.
// The shared statistics are exact at the end.
func TestGCForks(t *testing.T) {
	const limit = 40 << 10
	for name, limits := range map[string][2]int{"no limit": {}, "arena": {limit, 0}, "pool": {0, limit}, "both": {limit, 3 * limit}} {
		t.Run(name, func(t *testing.T) {
			p := arena.NewArenaPool(512, 64<<10)
			p.SetLimit(limits[0], limits[1])
			stop := collectAllTheTime()
			defer stop()
			var f forkTorture
			for cycle := range f.cycles() {
				if err := f.cycle(p, cycle); err != nil {
					t.Fatalf("cycle %d: %v", cycle, err)
				}
			}
			if s := p.Stats(); s.Gets != s.Puts || s.InUseBytes != 0 || (s.Refused == 0) != (limits == [2]int{}) {
				t.Errorf("in the end: %+v", s)
			}
			if got := f.refusals.Load(); got != p.Stats().Refused {
				t.Errorf("%d refusals, the pool counts %d", got, p.Stats().Refused)
			}
		})
	}
}

func collectAllTheTime() (stop func()) {
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			select {
			case <-done:
				return
			default:
				runtime.GC()
			}
		}
	}()
	return func() { close(done); <-gone }
}

type forkTorture struct {
	refusals atomic.Uint64
	first    *allKinds // in the parent
	seed     uint64
}

func (f *forkTorture) cycles() uint64 {
	if hostile() || check.Race || check.ASan || testing.Short() {
		return 6
	}
	return 80
}

// cycle runs one request with five forks, and forks of these, which end in varying order.
func (f *forkTorture) cycle(p *arena.ArenaPool, cycle uint64) error {
	const forks = 5
	a := p.Get()
	f.seed = cycle * 1000
	f.first = arena.New[allKinds](a)
	f.first.set(f.seed)
	mark := a.Mark()
	for turn := range 1 + cycle%2 {
		var wg sync.WaitGroup
		errs := make([]error, forks+1)
		done := make([]chan struct{}, forks+1)
		for i := range done {
			done[i] = make(chan struct{})
		}
		close(done[0])
		for i := range forks {
			fork, place := a.Fork(), (i*int(1+cycle%4)+int(turn))%forks
			wg.Go(func() {
				defer close(done[place+1])
				errs[i] = f.work(fork, uint64(i), i%3, func() { <-done[place] })
			})
		}
		errs[forks] = f.work(a, forks, 0, func() {})
		wg.Wait()
		if err := errors.Join(append(errs, f.first.check(f.seed))...); err != nil {
			return err
		}
		if turn == 0 && cycle%2 == 1 {
			a.Rewind(mark)
		}
	}
	switch cycle % 3 {
	case 0:
		a.Reset()
	case 1:
		a.Release()
	}
	p.Put(a)
	return nil
}

// link refers to memory of the fork and of its parent.
type link struct {
	own, parents *allKinds
	next         *link
	text         string
}

// work fills an arena twice, with a Rewind or Reset in between, and calls last before it checks the second
// contents.
func (f *forkTorture) work(a *arena.Arena, i uint64, depth int, last func()) (err error) {
	var wg sync.WaitGroup
	var below error
	defer func() {
		wg.Wait()
		err = errors.Join(err, below)
	}()
	mark := a.Mark()
	head, n := f.fill(a, i)
	if err := f.look(head, n, i); err != nil {
		last()
		return fmt.Errorf("fork %d, the first time: %w", i, err)
	}
	if i%2 == 0 || depth > 0 {
		a.Rewind(mark)
	} else if i == 1 {
		a.Reset()
	}
	if depth > 0 {
		fork := a.Fork()
		wg.Go(func() { below = f.work(fork, i+10, depth-1, func() {}) })
	}
	head, n = f.fill(a, i+100)
	last()
	if err := f.look(head, n, i+100); err != nil {
		return fmt.Errorf("fork %d: %w", i, err)
	}
	return nil
}

// fill makes a list of up to 40 objects, or fewer if a limit refuses them.
func (f *forkTorture) fill(a *arena.Arena, i uint64) (head *link, n uint64) {
	defer func() {
		if v := recover(); v != nil {
			if _, ok := v.(*arena.LimitError); !ok {
				panic(v)
			}
			f.refusals.Add(1)
		}
	}()
	for ; n < 40; n++ {
		x := arena.New[allKinds](a)
		x.set(f.seed + i + n)
		l := arena.New[link](a)
		*l = link{x, f.first, head, a.AllocString("between them")}
		a.AllocBytes(int(n))
		head = l
	}
	return head, n
}

func (f *forkTorture) look(head *link, n, i uint64) error {
	for l := head; l != nil; l = l.next {
		n--
		if err := l.own.check(f.seed + i + n); err != nil {
			return err
		}
		if l.parents != f.first || l.text != "between them" {
			return errors.New("it does not lead to its parent's object")
		}
	}
	if n != 0 {
		return fmt.Errorf("%d objects are gone", n)
	}
	return nil
}
