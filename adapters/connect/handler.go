// Package arenaconnect gives each call of a connect-go server an arena. The request is decoded into the
// arena, which goes back to its pool after the reply was written. This works with the Connect protocol, gRPC
// and gRPC-Web:
//
//	pool := arena.NewAutoPool(0)
//	pool.SetLimit(8<<20, 256<<20)
//	mux := http.NewServeMux()
//	mux.Handle(orderpbconnect.NewOrdersHandler(&orders{}, arenaconnect.Option()))
//	http.ListenAndServe(addr, arenaconnect.Handler(pool, mux))
//
// and in a method:
//
//	a := arena.FromContext(ctx)
//
// Generated code and methods do not change. The memory of a request belongs to the call: copy what must
// outlive it, with arenapb.Clone, arena.Escape or strings.Clone.
//
// # How the codec finds the call
//
// Connect passes only the bytes and the message to its codec. But it decodes a request on the goroutine that
// serves it, and a message of a stream on the goroutine that receives it. So the codec finds the call by the
// goroutine's number. A message that is decoded on any other goroutine goes to the heap, as with connect's
// own codec.
package arenaconnect

import (
	"context"
	"net/http"
	"sync"

	"connectrpc.com/connect"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/ebbpool/arena/internal/goroutine"
)

// Handler returns a handler that calls next, which is a connect handler or a mux, with an arena from pool for
// each request. It is [arenahttp.Handler], including its treatment of other handlers, headers, and goroutines
// that outlive the request. If pool is nil, everything is on the heap. It panics if next is nil.
//
// Connect's handlers need [Option]; without it their messages stay on the heap.
//
// The arena of a unary call holds the request, unless it is JSON, which stays on the heap. Replies, errors
// and metadata may be in the arena. In a stream each received message has its own arena from pool, until the
// next Receive or until the method returns, so code that collects messages must copy them. Metadata of a
// stream must be copied if it is in an arena. The parts of an error that connect sends are copied
// automatically.
//
// The arena belongs to the goroutine that serves the call or received the message. For other goroutines
// arena.FromContext returns nil, which means the heap. If another goroutine asks for the arena, or an
// interceptor runs the method on another goroutine, for example for a timeout, it is not known when that
// goroutine ends. Then the arena does not go back to the pool: it is left to the collector and counts as
// Abandoned. A goroutine that is given a request and never asks for the arena is not noticed; give it a copy.
// With a TimeoutHandler inside Handler, around connect's handler, messages stay on the heap.
//
// If a limit of the pool (see [arena.ArenaPool.SetLimit]) is exceeded in the decoder or in a method, the call
// fails with resource_exhausted, and with Retry-After if it can succeed once other calls have ended. Messages
// on the heap do not count; use connect.WithReadMaxBytes to limit them.
//
// Handler costs a call four small allocations and saves those of the request.
func Handler(pool *arena.ArenaPool, next http.Handler) http.Handler {
	if next == nil {
		panic("arenaconnect: Handler: a nil handler")
	}
	return arenahttp.Handler(pool, &server{pool, next, connect.NewErrorWriter()})
}

// Option makes a handler of connect decode requests into the arenas of [Handler]. Pass it after other options
// that have interceptors, including connect.WithRecover, so that these see an error instead of a panic if a
// limit refuses memory to the method. Option replaces the codec "proto". Outside of Handler it has no other
// effect.
//
// With Option, and with [ClientOption], messages may also be structs with protobuf tags, such as gogo/protobuf's
// messages, which connect's own codec refuses; see [arenapb.UnmarshalStruct]. They have no JSON.
func Option() connect.HandlerOption {
	return connect.WithHandlerOptions(connect.WithCodec(codec{}), connect.WithInterceptors(interceptor{}))
}

type server struct {
	pool   *arena.ArenaPool
	next   http.Handler
	errors *connect.ErrorWriter
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{Context: r.Context(), pool: s.pool, main: goroutine.Self()}
	reading.put(c.main, c)
	defer func() {
		v := recover()
		reading.take(c.main)
		c.end()
		if v == nil {
			return
		}
		over := refusedBy(v)
		if over == nil || !c.unary { // a stream may have begun its response
			panic(v)
		}
		s.errors.Write(w, r, exhausted(over))
	}()
	s.next.ServeHTTP(w, r.WithContext(c))
}

// call is a request in Handler, and the context of its method. arenahttp owns its arena.
type call struct {
	context.Context
	pool  *arena.ArenaPool
	main  uint64 // the goroutine that serves it
	unary bool   // one request and one reply, which is written after all interceptors have returned

	mu    sync.Mutex
	ended bool
}

type callKey struct{}

func (c *call) Value(key any) any {
	if _, ok := key.(callKey); ok {
		return c
	}
	return c.Context.Value(key)
}

// unmarshal decodes on the call's own goroutine. An exceeded limit is a panic that passes through connect,
// because connect treats errors of the codec as invalid requests.
func (c *call) unmarshal(data []byte, v any) error {
	c.unary = true
	err := unmarshal(arena.FromContext(c.Context), data, v)
	if over := refusedBy(err); over != nil {
		panic(over)
	}
	return err
}

// enter reports whether the method may begin. On another goroutine than the call's it may not if the call has
// ended; otherwise arenahttp is told that this goroutine may outlive the call.
func (c *call) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return false
	}
	if goroutine.Self() == c.main {
		c.unary = true
	} else {
		arena.FromContext(c.Context)
	}
	return true
}

func (c *call) end() {
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
}
