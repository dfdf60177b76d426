package arenagrpc

import (
	"context"

	"google.golang.org/grpc"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/hooks"
)

// WrapBy is like [Wrap] for a pool that recycles memory only within a key. It calls key once for each call of
// a service, before interceptors: ctx has the call's metadata and peer, but nothing that an interceptor adds.
//
// The key decides whose memory a call gets. Use a value that the server has verified, such as the peer's
// certificate, or one of a fixed set, such as the method. WrapBy panics if r or key is nil.
func WrapBy(r grpc.ServiceRegistrar, pool *arena.KeyedPool[string], key func(ctx context.Context) string, opts ...Option) grpc.ServiceRegistrar {
	if key == nil {
		panic("arenagrpc: WrapBy: nil key")
	}
	to := Wrap(r, nil, opts...).(*registrar)
	to.keyed, to.key = pool, key
	return to
}

// poolOf returns the pool for a call.
func (r *registrar) poolOf(ctx context.Context) *arena.ArenaPool {
	if r.key == nil {
		return r.pool
	}
	return hooks.PoolOf(r.keyed, r.key(ctx)).(*arena.ArenaPool)
}
