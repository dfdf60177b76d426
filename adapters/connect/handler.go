// Package arenaconnect gives each call of a connect-go server an arena of its own: the
// request is decoded into it, and it goes back to its pool when the reply was written. So
// it is with Connect's own protocol, gRPC and gRPC-Web:
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
// Generated code and methods stay as they are. What a request leads to belongs to the
// call: what stays after it is copied, with arenapb.Clone, arena.Escape or strings.Clone.
//
// # How the codec finds the call
//
// Connect hands its codec nothing but the bytes and the message. But a request is decoded
// on the goroutine that serves it, and a message of a stream on the one that receives: that
// one's number leads to the call meanwhile. A message that is decoded anywhere else is
// decoded on the heap, as by connect's own codec.
package arenaconnect

import (
	"context"
	"net/http"
	"sync"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/ebbpool/arena/internal/goroutine"
)

// Handler returns a handler that calls next, connect's handlers or a mux of them, with an
// arena from pool for each request. It is arenahttp.Handler, with all that this does for
// other handlers, for headers, and for goroutines that go on. A nil pool has no arenas:
// all is on the heap. A nil next panics.
//
// Connect's handlers need Option. Without it their messages stay on the heap.
//
// The arena of a unary call has the request, if that is binary; one in JSON stays on the heap.
// The reply may lie in it, and so may errors and metadata. In a stream each message that
// is received has an arena of its own, from pool, until the next Receive, or until the
// method returns: who collects messages copies them. Metadata of a stream that lies in
// an arena must be copied, too; what connect sends of an error is copied.
//
// The arena belongs to one goroutine: the one that serves the call, or that received the
// message. For others arena.FromContext is nil, which means the heap. If another one asks,
// or an interceptor runs the method on another one, as for a timeout, nobody knows when it
// will be done: then the arena is left to it and to the collector, and counts as Abandoned. A
// goroutine that never asks and was handed a request can't be seen: it needs a copy. With
// a TimeoutHandler around connect's handler inside of this one, messages stay on the heap.
//
// What a limit of pool refuses (see arena.ArenaPool.SetLimit), in the decoder or in a
// method, becomes resource_exhausted, with Retry-After if it can succeed when other calls
// have ended. Messages on the heap are not counted: connect.WithReadMaxBytes bounds them.
//
// It costs a call four small allocations; those of the request are gone.
func Handler(pool *arena.ArenaPool, next http.Handler) http.Handler {
	if next == nil {
		panic("arenaconnect: Handler: a nil handler")
	}
	return arenahttp.Handler(pool, &server{pool, next, connect.NewErrorWriter()})
}

// Option makes a handler of connect decode what it reads into the arenas of Handler. It stands
// after other options that have interceptors, connect.WithRecover among them: so these see
// an error where a limit refused memory to the method, and no panic. It replaces the codec
// "proto", with one that reads and writes alike; outside of Handler that is all.
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
		if over == nil || !c.unary { // a stream may have begun its answer
			panic(v)
		}
		s.errors.Write(w, r, exhausted(over))
	}()
	s.next.ServeHTTP(w, r.WithContext(c))
}

// call is a request in Handler, and the context of its method. Its arena is arenahttp's.
type call struct {
	context.Context
	pool  *arena.ArenaPool
	main  uint64 // the goroutine that serves it
	unary bool   // of a method with one request and one reply, written when all interceptors have returned

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

// unmarshal is the codec's, on the call's own goroutine. What a limit refuses is no error of
// the decoder, which connect takes for the client's mistake: it goes past connect.
func (c *call) unmarshal(data []byte, m proto.Message) error {
	c.unary = true
	err := arenapb.Unmarshal(arena.FromContext(c.Context), data, m)
	if over := refusedBy(err); over != nil {
		panic(over)
	}
	return err
}

// enter reports whether the method may begin. On another goroutine than the call's own it
// may not when the call has ended; before, arenahttp is told that this one may go on.
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
