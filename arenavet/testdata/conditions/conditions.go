// Package conditions has arenas that are taken, given away and put back under conditions.
package conditions

import (
	"strings"

	"github.com/ebbpool/arena"
)

var pool = arena.NewAutoPool(0)

// What happens under a condition, and is not undone, or not avoided, under the same one.

// An arena that is a goroutine's, and put back by another flag.
func asyncOrLast(async, last bool, text string) {
	a := pool.Get() // want `Get without Put`
	if async {
		go func() { // want `arena a is used by this goroutine, and line 24`
			defer pool.Put(a)
			a.ToUpper(text)
		}()
	}
	if last {
		pool.Put(a)
	}
}

// An arena that is a goroutine's, and put back by the same flag.
func asyncAndPut(async bool, text string) {
	a := pool.Get()
	if async {
		go func() { a.ToUpper(text) }() // want `arena a is used by this goroutine, and line 35`
	}
	if async {
		pool.Put(a)
		return
	}
	pool.Put(a)
}

// Memory of an earlier turn, which reset the arena by its own flag.
func resetByTurn(lines []string, flags []bool) (n int) {
	a := arena.NewArena(0, 0)
	last := ""
	for i, reset := range flags {
		if !reset {
			n += len(strings.TrimSpace(last)) // want `use of last, memory of arena a`
		}
		last = a.ToUpper(lines[i])
		if reset {
			a.Reset()
		}
	}
	return n
}

// A flag that is cleared again before the arena is used.
func putBackAndForgotten(lines []string) (n int) {
	a := pool.Get()
	upper := a.ToUpper(strings.Join(lines, ","))
	done := false
	if len(lines) > 10 {
		pool.Put(a)
		done = true
	}
	if len(lines) > 20 {
		done = false
	}
	if !done {
		n = len(strings.TrimSpace(upper)) // want `use of upper, memory of arena a`
		pool.Put(a)                       // want `second Put of arena a`
	}
	return n
}

// An arena that is taken under one condition and put back under another.
func wantedOrEmpty(want bool, lines []string) (n int) {
	var a *arena.Arena
	if want {
		a = pool.Get() // want `Get without Put`
	}
	if len(lines) == 0 {
		return 0
	}
	for _, l := range lines {
		n += len(a.ToUpper(l))
	}
	if want {
		pool.Put(a)
	}
	return n
}

// Memory that is sent on a channel twice, once under a condition.
func sentTwiceThenReset(a *arena.Arena, c chan string, more bool, text string) {
	upper := a.ToUpper(text)
	if more {
		c <- upper // want `memory of arena a is sent on a channel`
	}
	c <- upper
	if !more {
		a.Reset()
	}
}

// An arena that is put back if a call fails, and used then.
func failedAndUsed(read func(*arena.Arena) (string, error)) (n int) {
	a := pool.Get()
	text, err := read(a)
	if err != nil {
		pool.Put(a)
	}
	if err != nil {
		n = len(a.ToUpper(text)) // want `use of arena a, which Put`
	}
	if err == nil {
		pool.Put(a)
	}
	return n
}

// Memory of an earlier turn, whose flag is the argument of a deferred call.
func resetByDeferred(lines []string, read func(string) (bool, error)) (n int) {
	a := arena.NewArena(0, 0)
	last := ""
	for _, l := range lines {
		reset, _ := read(l)
		defer println(reset)
		if !reset {
			n += len(strings.TrimSpace(last)) // want `use of last, memory of arena a`
		}
		last = a.ToUpper(l)
		if reset {
			a.Reset()
		}
	}
	return n
}

// An arena that a goroutine has by either of two flags, and that is put back without one of them.
func asyncByEither(x, y bool, text string) {
	a := pool.Get()
	if y {
		go ownLower(a, text) // want `arena a is used by this goroutine, and line`
	} else if x {
		go ownLower(a, text)
	}
	if !x {
		pool.Put(a)
	}
}

// The same in another order.
func asyncByOther(x, y bool, text string) {
	a := pool.Get()
	if y {
		if x {
			go ownLower(a, text) // want `arena a is used by this goroutine, and line`
		}
	} else {
		go ownLower(a, text)
	}
	if !x {
		pool.Put(a)
	}
}

func ownLower(a *arena.Arena, text string) {
	defer pool.Put(a)
	a.ToLower(text)
}
