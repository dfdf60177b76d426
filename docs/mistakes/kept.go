package main

import (
	"sync"
	"time"

	"github.com/ebbpool/arena"
)

// These mistakes keep a value too long. Each function ends the cycle of the value, lets the next cycle write, and then
// reads.

var pool = arena.NewArenaPool(64<<10, 0)

// newArena returns an arena of its own, or one of the pool's if the pool guards arenas.
var newArena = func() *arena.Arena { return arena.NewArena(64<<10, 0) }

// use keeps the compiler from removing a read.
//
//go:noinline
func use[T any](T) {}

// nextRequest is another user's request, with memory of the same pool.
func nextRequest(p *arena.ArenaPool) {
	p.Do(func(a *arena.Arena) {
		b := a.AllocBytes(64)
		for i := range b {
			b[i] = 'X'
		}
		a.AllocString("XXXXXXXXXXXXXXXX")
	})
}

type user struct {
	name string
	next *user
}

//go:noinline
func greeting() []byte {
	a := pool.Get()
	defer pool.Put(a)
	b := a.AllocBytes(16)
	copy(b, "good morning")
	return b
}

func returnAfterPut() {
	b := greeting()
	nextRequest(pool)
	use(b[0])
}

func stringAfterReset() {
	a := newArena()
	s := a.AllocString("a user's secret")
	a.Reset()
	a.AllocString("the next user's")
	use(s[0])
}

func structAfterReset() {
	a := newArena()
	u := arena.New[user](a)
	u.name = "a user's name"
	u.next = new(user)
	a.Reset()
	arena.New[user](a)
	if u.next != nil { // in a plain build it is nil, or the next user's
		use(u.next.name)
	}
}

func sliceAfterRewind() {
	a := newArena()
	m := a.Mark()
	s := arena.MakeSlice[int](a, 10, 10)
	a.Rewind(m)
	arena.MakeSlice[int](a, 10, 10)
	use(s[3])
}

func mapAfterReset() {
	a := newArena()
	m := arena.NewMap[string, int](a, 0)
	m.Set("a name", 1)
	a.Reset()
	arena.NewMap[string, int](a, 0).Set("another's name", 2)
	n, _ := m.Get("a name")
	use(n)
}

var lastGreeting []byte

func globalKeeps() {
	a := pool.Get()
	lastGreeting = a.AllocBytes(16)
	pool.Put(a)
	nextRequest(pool)
	use(lastGreeting[0])
}

type cache struct{ newest *[4]int }

func fieldKeeps() {
	c := new(cache)
	c.fill()
	nextRequest(pool)
	use(c.newest[0])
}

func (c *cache) fill() {
	a := pool.Get()
	defer pool.Put(a)
	c.newest = arena.New[[4]int](a)
}

func mapKeeps() {
	m := map[string][]byte{}
	fillMap(m)
	nextRequest(pool)
	use(m["greeting"][0])
}

func fillMap(m map[string][]byte) {
	a := pool.Get()
	defer pool.Put(a)
	m["greeting"] = a.AllocBytes(16)
}

// answers are two values that leave the arena. forgottenEscape copies only one of them.
type answers struct{ name, note []byte }

func forgottenEscape() {
	var kept answers
	keepAnswers(&kept)
	nextRequest(pool)
	use(kept.name[0])
	use(kept.note[0])
}

func keepAnswers(kept *answers) {
	a := pool.Get()
	defer pool.Put(a)
	name, note := a.AllocBytes(16), a.AllocBytes(16)
	kept.name = arena.Escape(a, name)
	kept.note = note
}

func channelCarries() {
	c := make(chan []byte, 1)
	sendGreeting(c)
	nextRequest(pool)
	b := <-c
	use(b[0])
}

func sendGreeting(c chan []byte) {
	a := pool.Get()
	defer pool.Put(a)
	c <- a.AllocBytes(16)
}

// soon is the time that a goroutine goes on after its request.
var soon = 50 * time.Millisecond

func goroutineKeeps() {
	var wg sync.WaitGroup
	a := pool.Get()
	b := a.AllocBytes(16)
	wg.Add(1)
	go func() {
		defer wg.Done()
		defer catch()
		time.Sleep(soon)
		use(b[0])
	}()
	pool.Put(a)
	wg.Wait()
}
