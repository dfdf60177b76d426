package stale

import (
	"fmt"
	"sync"

	"example.com/helpers"
	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
)

// Mutexes that lie in an arena, unlocked when their memory is someone else's.
// What is right is in locks_fine.go.

type session struct {
	sync.Mutex
	a    *arena.Arena
	rw   sync.RWMutex
	wg   sync.WaitGroup
	name string
}

func unlockBehindPut() {
	a := pool.Get()
	s := arena.New[session](a)
	s.Lock()
	pool.Put(a)
	s.Unlock() // want `^unlock of s, memory of arena a, which Put on line 27 has taken back: the runtime may end the program there; unlock before \(`
}

// Deferred calls run in reverse order: the Put comes first.
func unlockDeferredFirst() {
	a := pool.Get()
	s := arena.New[session](a)
	s.Lock()
	defer s.Unlock() // want `^unlock of s, memory of arena a, which the deferred Put on line 37 takes back: the runtime may end the program there; deferred calls run in reverse order, so defer the unlock behind it \(`
	defer pool.Put(a)
	s.name = "x"
}

func unlockField(a *arena.Arena) {
	s := arena.New[session](a)
	s.rw.Lock()
	defer s.rw.Unlock() // want `unlock of s, memory of arena a, which Reset on line`
	a.Reset()
}

func unlockReaders(a *arena.Arena) {
	s := arena.New[session](a)
	s.rw.RLock()
	defer s.rw.RUnlock() // want `unlock of s, memory of arena a, which Release on line`
	a.Release()
}

func unlockRewound(a *arena.Arena) {
	m := a.Mark()
	mu := arena.New[sync.Mutex](a)
	mu.Lock()
	defer mu.Unlock() // want `unlock of mu, memory of arena a, which Rewind on line`
	a.Rewind(m)
}

func unlockElement(a *arena.Arena) {
	mu := arena.MakeSlice[sync.Mutex](a, 8, 8)
	mu[3].Lock()
	defer mu[3].Unlock() // want `unlock of mu, memory of arena a`
	a.Reset()
}

func unlockSlot(p *fixedpool.Pool[session]) {
	x := p.Allocate()
	x.Lock()
	defer x.Unlock() // want `unlock of x, a slot of its pool, which the deferred Deallocate`
	defer p.Deallocate(x)
}

// To lock it is a use like others.
func lockBehindReset(a *arena.Arena) {
	s := arena.New[session](a)
	a.Reset()
	s.Lock() // want `use of s, memory of arena a, which Reset`
}

func unlockMethodValue(a *arena.Arena) {
	s := arena.New[session](a)
	s.Lock()
	unlock := s.Unlock
	a.Reset()
	unlock() // want `unlock of s, memory of arena a, which Reset`
}

func unlockLocker(a *arena.Arena) {
	s := arena.New[session](a)
	var l sync.Locker = s
	l.Lock()
	defer l.Unlock() // want `unlock of s, memory of arena a, which Reset`
	a.Reset()
}

func unlockRLocker(a *arena.Arena) {
	s := arena.New[session](a)
	l := s.rw.RLocker()
	l.Lock()
	defer l.Unlock() // want `unlock of s, memory of arena a, which Reset`
	a.Reset()
}

func unlockInLiteral() {
	a := pool.Get()
	s := arena.New[session](a)
	s.Lock()
	defer func() { s.Unlock() }() // want `unlock of s, memory of arena a, which the deferred Put`
	defer pool.Put(a)
}

func unlockBehindPutInLiteral() {
	a := pool.Get()
	s := arena.New[session](a)
	s.Lock()
	defer func() {
		pool.Put(a)
		s.Unlock() // want `unlock of s, memory of arena a, which Put on line 121 has taken back`
	}()
}

// Helpers that unlock.

type guard struct{ s *session }

func (g *guard) unlock() {
	g.s.Unlock()
	fmt.Println(g.s.name)
}

func unlockByHelper() {
	a := pool.Get()
	g := guard{arena.New[session](a)}
	defer g.unlock() // want `unlock of memory of arena a, which the deferred Put`
	defer pool.Put(a)
}

func unlockByFact() {
	a := pool.Get()
	s := arena.New[helpers.Session](a)
	defer s.Unlock() // want `use of s, memory of arena a, which the deferred Put`
	defer pool.Put(a)
}

func unlockByFactOfHolder() {
	a := pool.Get()
	g := helpers.Guard{Mutex: arena.New[sync.Mutex](a)}
	g.Mutex.Lock()
	defer g.Unlock() // want `unlock of g.Mutex, memory of arena a, which the deferred Put|unlock of memory of arena a, which the deferred Put`
	defer pool.Put(a)
}

// Helpers that take back the memory of what they were given, and use it then.

func (s *session) end() {
	s.Lock()
	defer s.Unlock()
	pool.Put(s.a)
}

func (s *session) endLate() {
	if s.a != nil {
		s.a.Release()
	}
	s.name = ""
}

func (s *session) endDeep() { s.endLate() }

func endedBySelf() {
	a := pool.Get()
	s := arena.New[session](a)
	s.a = a
	s.end() // want `^end unlocks s, memory of arena a, after its Put has taken that back: the runtime may end the program there; unlock before \(`
}

func endedLate(a *arena.Arena) {
	s := arena.New[session](a)
	s.a = a
	s.endLate() // want `^endLate uses s, memory of arena a, after its Release has taken that back: use it before \(`
}

func endedDeep(a *arena.Arena) {
	s := arena.New[session](a)
	s.a = a
	s.endDeep() // want `^endDeep uses s, memory of arena a, after its Release`
}

func endedByFact() {
	a := pool.Get()
	s := arena.New[helpers.Session](a)
	s.Arena = a
	s.Close() // want `^Close unlocks s, memory of arena a, after its Put`
}

// What counts down in a WaitGroup may do so when its memory is someone else's.
func groupOfArena(a *arena.Arena) {
	s := arena.New[session](a)
	s.wg.Go(func() { fmt.Println("x") }) // want `memory of arena a is captured by a goroutine, and Reset on line \d+ has taken back that memory`
	a.Reset()
}

func groupDone(a *arena.Arena) {
	s := arena.New[session](a)
	s.wg.Add(1)
	a.Reset()
	s.wg.Done() // want `use of s, memory of arena a, which Reset`
}

// What unlocks is what another method has returned.
func (s *session) lock() func() {
	s.Lock()
	return s.Unlock
}

func (s *session) guarded() func() {
	s.Lock()
	return func() { s.Unlock() }
}

func unlockReturned() {
	a := pool.Get()
	s := arena.New[session](a)
	defer s.lock()() // want `unlock of s, memory of arena a, which the deferred Put`
	defer pool.Put(a)
}

func unlockReturnedLiteral() {
	a := pool.Get()
	s := arena.New[session](a)
	defer s.guarded()() // want `unlock of s, memory of arena a, which the deferred Put`
	defer pool.Put(a)
}

func (s *session) ender() func() {
	return func() {
		s.a.Reset()
		s.Unlock()
	}
}

func endedByReturned(a *arena.Arena) {
	s := arena.New[session](a)
	s.a = a
	end := s.ender()
	end() // want `^a function that is called here unlocks s, memory of arena a, after its Reset has taken that back`
}

func groupBehindReset(a *arena.Arena) {
	s := arena.New[session](a)
	a.Reset()
	s.wg.Go(func() {}) // want `^use of s, memory of arena a, which Reset`
	a.Reset()
}

// One mistake.
func staleAtLiteral(a *arena.Arena) {
	s := arena.New[session](a)
	a.Reset()
	func() {
		a.Reset()
		s.name = "x"
	}() // want `^use of s, memory of arena a, which Reset`
}
