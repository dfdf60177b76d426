package arena

import (
	"context"

	"github.com/ebbpool/arena/internal/door"
)

// NewContext returns a context that carries a, for FromContext. It costs the
// object on the heap that every value of a context costs.
//
// A context often outlives the request that it was made for: in a goroutine that
// was started and not waited for, in a log. Who takes the arena out of it must
// belong to the goroutine that owns a, and be done before a is reset or put back.
func NewContext(ctx context.Context, a *Arena) context.Context {
	return context.WithValue(ctx, door.ContextKey{}, a)
}

// FromContext returns the arena that ctx carries: the one of the innermost
// NewContext. It returns nil, with which everything works on the heap, where
// there is none. It walks up the contexts that ctx was made from, so keep the
// result instead of asking for each allocation.
func FromContext(ctx context.Context) *Arena {
	a, _ := ctx.Value(door.ContextKey{}).(*Arena)
	return a
}
