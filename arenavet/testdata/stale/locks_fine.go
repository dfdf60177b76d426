package stale

import (
	"fmt"
	"sync"

	"example.com/helpers"
	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
)

// Deferred calls run in reverse order: the unlock comes first.
func fineDeferredLast() {
	a := pool.Get()
	defer pool.Put(a)
	s := arena.New[session](a)
	s.Lock()
	defer s.Unlock()
	s.rw.RLock()
	defer s.rw.RUnlock()
	s.name = "x"
}

func fineUnlockThenReset(a *arena.Arena) {
	mu := arena.New[sync.Mutex](a)
	mu.Lock()
	mu.Unlock()
	a.Reset()
}

func fineInDo() {
	pool.Do(func(a *arena.Arena) {
		s := arena.New[session](a)
		s.Lock()
		defer s.Unlock()
	})
}

// The mutex is on the heap, what it guards in an arena.
type table struct {
	mu   sync.Mutex
	a    *arena.Arena
	rows []*Entry
}

func (t *table) fineEmpty() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows = nil
	t.a.Reset()
}

func (t *table) fineSwap(a *arena.Arena) {
	t.mu.Lock()
	old := t.a
	t.a, t.rows = a, nil
	old.Release()
	t.mu.Unlock()
}

func fineGuarded() {
	t := &table{a: pool.Get()}
	t.rows = append(t.rows, arena.New[Entry](t.a))
	t.fineEmpty()
	pool.Put(t.a)
}

var global sync.Mutex

func fineGlobal() {
	global.Lock()
	defer global.Unlock()
	a := pool.Get()
	defer pool.Put(a)
	a.AllocString("x")
}

// It lies in another arena than the one that is taken back.
func fineLockOfOther(a, b *arena.Arena) {
	s := arena.New[session](a)
	s.Lock()
	defer s.Unlock()
	b.Reset()
}

func fineEndOfOther(a, b *arena.Arena) {
	s := arena.New[session](a)
	s.a = b
	s.endLate()
	s.end()
}

// Without an arena it lies on the heap.
func fineHeapSession() {
	s := &session{a: pool.Get()}
	s.end()
	t := arena.New[session](nil)
	t.a = pool.Get()
	t.end()
	u := &helpers.Session{Arena: pool.Get()}
	u.Close()
}

// It was allocated before the mark.
func fineRewound(a *arena.Arena) {
	s := arena.New[session](a)
	m := a.Mark()
	s.Lock()
	defer s.Unlock()
	a.Rewind(m)
}

func fineUnlockInLiteral() {
	a := pool.Get()
	s := arena.New[session](a)
	s.Lock()
	defer func() {
		s.Unlock()
		pool.Put(a)
	}()
}

func fineSlot(p *fixedpool.Pool[session]) {
	x := p.Allocate()
	defer p.Deallocate(x)
	x.Lock()
	defer x.Unlock()
}

// The helper uses it before it takes it back, or takes it back on one path only.
func (s *session) fineEnd() {
	s.Lock()
	s.name = ""
	s.Unlock()
	pool.Put(s.a)
}

func (s *session) fineMaybe(keep bool) {
	if !keep {
		s.a.Reset()
		return
	}
	s.name = "x"
}

func (s *session) fineMaybeBefore(keep bool) {
	if !keep {
		s.a.Reset()
	} else {
		fmt.Println("kept")
	}
	s.name = "x"
}

func (s *session) fineMaybeAfter(use bool) {
	s.a.Reset()
	if use {
		s.name = "x"
	} else {
		fmt.Println("not used")
	}
}

func fineEndedOnOnePath() {
	a := pool.Get()
	defer pool.Put(a)
	s := arena.New[session](a)
	s.a = a
	s.fineMaybeBefore(true)
	s.fineMaybeAfter(false)
}

// Which of the arenas it is is not known.
func fineOneOfTwo(a, b *arena.Arena, first bool) {
	s := arena.New[session](a)
	s.a = a
	if first {
		s.a = b
	}
	s.endLate()
}

// What is behind a field may have been replaced by someone who is not known.
type current struct {
	a *arena.Arena
	s *session
}

func (c *current) next(fill func(*current)) {
	c.a.Reset()
	fill(c)
	c.s.name = "x"
}

func fineFilled(a *arena.Arena, fill func(*current)) {
	c := &current{a, arena.New[session](a)}
	c.next(fill)
}

func fineFilledInLiteral(a *arena.Arena, fill func(*current)) {
	c := &current{a, arena.New[session](a)}
	func() {
		c.a.Reset()
		fill(c)
		c.s.name = "x"
	}()
}

func fineEnded(keep bool) {
	a := pool.Get()
	s := arena.New[session](a)
	s.a = a
	s.fineMaybe(true)
	s.fineEnd()
}

// The captured variable has been given something else.
func fineReplaced(a *arena.Arena) {
	s := arena.New[session](a)
	func() {
		a.Reset()
		s = arena.New[session](a)
		s.name = "x"
	}()
}

func fineGroup() {
	a := pool.Get()
	defer pool.Put(a)
	s := arena.New[session](a)
	s.wg.Go(func() { fmt.Println("x") })
	s.wg.Wait()
}

// The group is on the heap, beside memory of the arena.
func fineHeapGroup(a *arena.Arena) {
	var x struct {
		wg  sync.WaitGroup
		buf []byte
	}
	x.buf = a.AllocBytes(10)
	x.wg.Go(func() { fmt.Println("x") })
	a.Reset()
}

func fineUnlockReturned() {
	a := pool.Get()
	defer pool.Put(a)
	s := arena.New[session](a)
	defer s.lock()()
	t := &session{}
	defer t.guarded()()
}

func fineUnlockReturnedOfHeap() {
	a := pool.Get()
	s := &session{a: a}
	defer s.lock()()
	defer s.guarded()()
	pool.Put(a)
}
