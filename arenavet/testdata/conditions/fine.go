package conditions

import (
	"errors"
	"strings"

	"github.com/ebbpool/arena"
)

// What happens under a condition, and is undone, or avoided, under the same one.

// An arena that is a goroutine's, or put back, by the same flag.
func fineAsyncOrNot(async bool, text string) int {
	a := pool.Get()
	if async {
		go func() {
			defer pool.Put(a)
			a.ToUpper(text)
		}()
	}
	n := len(text)
	if !async {
		n += len(a.ToUpper(text))
		pool.Put(a)
	}
	return n
}

// A connection that a goroutine takes over at the end of a loop.
type hijacked struct {
	take func(*arena.Arena)
	next func() error
}

func (h *hijacked) fineServe(text string) (err error) {
	var take func(*arena.Arena)
	a := pool.Get()
	for {
		a.ToUpper(text)
		if err = h.next(); err != nil {
			break
		}
		take = h.take
		h.take = nil
		if take != nil {
			go ownArena(a, take)
			err = errors.New("hijacked")
			break
		}
		a.Reset()
	}
	if take == nil {
		pool.Put(a)
	}
	return err
}

func ownArena(a *arena.Arena, take func(*arena.Arena)) {
	defer pool.Put(a)
	a.ToUpper("taken")
}

// A flag that says that the arena was put back.
func finePutBackEarly(lines []string) (n int) {
	a := pool.Get()
	upper := a.ToUpper(strings.Join(lines, ","))
	done := false
	if len(lines) > 10 {
		n = len(upper)
		pool.Put(a)
		done = true
	}
	if !done {
		n += len(strings.TrimSpace(upper))
		pool.Put(a)
	}
	return n
}

// An arena that is only taken if it is wanted.
func fineWanted(want bool, lines []string) (n int) {
	var a *arena.Arena
	if want {
		a = pool.Get()
	}
	for _, l := range lines {
		n += len(a.ToUpper(l))
	}
	if want {
		pool.Put(a)
	}
	return n
}

// Memory that is sent on a channel, or taken back, by the same condition.
func fineSentOrReset(a *arena.Arena, c chan string, text string) {
	upper := a.ToUpper(text)
	if c != nil {
		c <- upper
	}
	if c == nil {
		a.Reset()
	}
}

// An arena that is put back if a call fails, and used otherwise.
func fineFailedOrUsed(read func(*arena.Arena) (string, error)) (n int) {
	a := pool.Get()
	text, err := read(a)
	if err != nil {
		pool.Put(a)
	}
	if err == nil {
		n = len(text)
		a.ToUpper(text)
		pool.Put(a)
	}
	return n
}
