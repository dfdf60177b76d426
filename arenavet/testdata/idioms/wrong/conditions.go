package wrong

import (
	"strings"

	"github.com/ebbpool/arena"
)

// What happens under a condition, and is not undone, or not avoided, under the same one.

// idiom: an arena that is a goroutine's, and put back by another flag

func asyncOrLast(async, last bool, text string) {
	a := pool.Get()
	if async {
		go func() {
			defer pool.Put(a)
			a.ToUpper(text)
		}()
	}
	if last {
		pool.Put(a)
	}
}

// idiom: an arena that is a goroutine's, and put back by the same flag

func asyncAndPut(async bool, text string) {
	a := pool.Get()
	if async {
		go func() { a.ToUpper(text) }()
	}
	if async {
		pool.Put(a)
		return
	}
	pool.Put(a)
}

// idiom: memory of an earlier turn, which reset the arena by its own flag

func resetByTurn(lines []string, flags []bool) (n int) {
	a := arena.NewArena(0, 0)
	last := ""
	for i, reset := range flags {
		if !reset {
			n += len(strings.TrimSpace(last))
		}
		last = a.ToUpper(lines[i])
		if reset {
			a.Reset()
		}
	}
	return n
}

// idiom: a flag that is cleared again before the arena is used

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
		n = len(strings.TrimSpace(upper))
		pool.Put(a)
	}
	return n
}

// idiom: an arena that is taken under one condition and put back under another

func wantedOrEmpty(want bool, lines []string) (n int) {
	var a *arena.Arena
	if want {
		a = pool.Get()
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

// idiom: memory that is sent on a channel twice, once under a condition

func sentTwiceThenReset(a *arena.Arena, c chan string, more bool, text string) {
	upper := a.ToUpper(text)
	if more {
		c <- upper
	}
	c <- upper
	if !more {
		a.Reset()
	}
}

// idiom: an arena that is put back if a call fails, and used then

func failedAndUsed(read func(*arena.Arena) (string, error)) (n int) {
	a := pool.Get()
	text, err := read(a)
	if err != nil {
		pool.Put(a)
	}
	if err != nil {
		n = len(a.ToUpper(text))
	}
	if err == nil {
		pool.Put(a)
	}
	return n
}

// idiom: memory of an earlier turn, whose flag is the argument of a deferred call

func resetByDeferred(lines []string, read func(string) (bool, error)) (n int) {
	a := arena.NewArena(0, 0)
	last := ""
	for _, l := range lines {
		reset, _ := read(l)
		defer println(reset)
		if !reset {
			n += len(strings.TrimSpace(last))
		}
		last = a.ToUpper(l)
		if reset {
			a.Reset()
		}
	}
	return n
}
