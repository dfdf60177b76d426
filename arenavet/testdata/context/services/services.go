package services

import (
	"context"

	"github.com/ebbpool/arena"
)

func Find(ctx context.Context, name string) string { return find(name, ctx) }

func find(name string, ctx context.Context) string { return arena.FromContext(ctx).AllocString(name) }

// Load makes the arena itself.
func Load(ctx context.Context, pool *arena.ArenaPool) {
	pool.Do(func(a *arena.Arena) { arena.FromContext(arena.NewContext(ctx, a)).AllocBytes(1) })
}

type Store struct{}

func (s *Store) Find(ctx context.Context) *arena.Arena {
	ctx, end := context.WithCancel(ctx)
	defer end()
	return arena.FromContext(ctx)
}
