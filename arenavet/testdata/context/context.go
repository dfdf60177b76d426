package context

import (
	"context"
	"time"

	"example.com/context/services"
	"github.com/ebbpool/arena"
	"github.com/gin-gonic/gin"
)

type key struct{}

func direct(c *gin.Context) {
	a := arena.FromContext(c) // want `^FromContext of a \*gin.Context is nil, so everything goes to the heap: pass c.Request.Context\(\), or set ContextWithFallback of the engine \(https://github.com/ebbpool/arena/blob/main/docs/arenavet.md#context\)$`
	a.AllocBytes(1)
}

func derived(c *gin.Context) *arena.Arena {
	ctx, end := context.WithTimeout(context.WithValue(c, key{}, 1), time.Second)
	defer end()
	return arena.FromContext(ctx) // want `FromContext of a \*gin.Context is nil`
}

func either(c *gin.Context, other bool) *arena.Arena {
	ctx := context.Context(c)
	if other {
		ctx = c.Request.Context()
	}
	return arena.FromContext(ctx) // want `FromContext of a \*gin.Context is nil`
}

func routes(g *gin.Engine) {
	g.GET("/", func(c *gin.Context) {
		func() { arena.FromContext(c) }() // want `FromContext of a \*gin.Context is nil`
	})
}

func helpers(c *gin.Context, s *services.Store) {
	local(c)              // want `local looks for the arena in a \*gin.Context, which does not lead to it`
	services.Find(c, "x") // want `Find looks for the arena in a \*gin.Context`
	s.Find(c)             // want `Find looks for the arena in a \*gin.Context`
	go local(c)           // want `local looks for the arena in a \*gin.Context`
	defer local(c)        // want `local looks for the arena in a \*gin.Context`
}

func local(ctx context.Context) { arena.FromContext(ctx).AllocBytes(1) }

func fineRequest(c *gin.Context) {
	ctx := c.Request.Context()
	arena.FromContext(ctx)
	local(ctx)
	services.Find(context.WithValue(ctx, key{}, c), "x")
}

func fineOwnArena(c *gin.Context, pool *arena.ArenaPool) {
	services.Load(c, pool)
	a := pool.Get()
	defer pool.Put(a)
	local(arena.NewContext(c, a))
}

func fineOther(ctx context.Context) { local(ctx) }

func fineIgnored(c *gin.Context) {
	arena.FromContext(c) //arenavet:ignore the engine's ContextWithFallback is set in main
}
