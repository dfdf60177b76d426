package arenagrpc

import (
	"testing"

	"github.com/ebbpool/arena"
)

// A goroutine that has finished may serve another call. If it asks for the arena while a late handler still
// runs, it is a stranger.
func TestDoneIsStrange(t *testing.T) {
	for name, done := range map[string]func(c *call){
		"the interceptors have returned": func(c *call) { c.over() },
		"they have panicked": func(c *call) {
			defer func() { recover() }()
			defer c.finish(new(any), new(error))
			panic("x")
		},
		"the handler has returned": func(c *call) {
			c.join()
			c.inner.Store(c.main.Swap(0))
			c.finishHandler(new(any), new(error))
		},
	} {
		pool := arena.NewAutoPool(0)
		c := newCall(t.Context(), &registrar{pool: pool})
		c.arena.Store(pool.Get())
		c.join()
		done(c)
		if arena.FromContext(c) == nil {
			t.Errorf("%s: no arena", name)
		}
		for c.users.Load() != 0 {
			c.leave()
		}
		if s := pool.Stats(); s.Abandoned != 1 || s.Puts != 0 {
			t.Errorf("%s: %+v", name, s)
		}
	}
}
