// Package arenagrpc stands in for the real one, whose dependencies the analyzer's tests
// would have to read each time.
package arenagrpc

import (
	"context"

	"github.com/ebbpool/arena"
)

type Registrar interface{ RegisterService(desc, impl any) }

func Wrap(r Registrar, _ *arena.ArenaPool) Registrar { return r }

func WrapBy(r Registrar, _ *arena.KeyedPool[string]) Registrar { return r }

func FromContext(ctx context.Context) *arena.Arena { return arena.FromContext(ctx) }

func Keep(ctx context.Context) *arena.Arena { return arena.FromContext(ctx) }

func Codec() any { return nil }
