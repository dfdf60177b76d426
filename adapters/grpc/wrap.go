package arenagrpc

import (
	"context"
	"reflect"
	"slices"

	"google.golang.org/grpc"

	"github.com/ebbpool/arena"
)

// Wrap returns a registrar that gives each call of a service an arena from pool. Services are registered with it as
// with r, by their generated functions. Services that are registered with r itself stay on the heap, and so do the
// services of grpc-go and those of [HeapFor]. With a nil pool everything is on the heap. A nil r panics.
//
// r's server needs Codec:
//
//	grpc.NewServer(grpc.ForceServerCodecV2(arenagrpc.Codec()))
//
// Without it requests stay on the heap, which is logged once for each Wrap.
//
// A unary call's request is in the call's arena, which FromContext also returns in unary interceptors. The reply may be
// in it. The arena goes back to pool when all interceptors have returned and the reply has been marshalled, or when the
// call has failed or panicked; if an interceptor returned before its handler, when the handler has returned as well.
// Handlers and interceptors must copy strings that they keep: metric labels, span attributes, keys of caches.
// Metadata, of grpc.SetHeader and grpc.SetTrailer, may be sent later and must be copied. The text of an error is copied
// if it is in the arena; other fields of an error of your own are not.
//
// In a stream each received message has an arena of its own, until the next RecvMsg, or until the handler returns. Code
// that collects messages takes their arenas over with Keep, or copies them. A goroutine of the handler that still
// receives after the handler has returned gets an error. Interceptors of streams are outside, and may read a message
// when RecvMsg returns it to them.
//
// If another goroutine than the handler's or an interceptor's asks for the arena, or receives the message, it may use
// the arena for any time: a handler with a timeout of its own, for example, answers while its goroutine goes on. Such an
// arena does not go back to pool when the handler has returned. It is left to that goroutine and to the collector, and
// counts as Abandoned. It goes back if that goroutine receives the next message, or the end of the stream, before. Still
// only one goroutine may use an arena at a time. A goroutine that was handed a request and never asks for the arena is
// not seen: it needs a copy, or Keep.
//
// If a limit of the pool (see [arena.ArenaPool.SetLimit]) is exceeded in the decoder, the handler or an interceptor, the
// call fails with RESOURCE_EXHAUSTED, with a RetryInfo of one second if it can succeed when other calls have ended.
//
// With grpc.EnableTracing, which shows messages long after their calls, everything is on the heap. Wrap costs a unary
// call four small allocations, and one more if there are interceptors; those of the request are gone. If the server has
// a stats handler, or r is not a *grpc.Server, so that this can't be known, the reply is copied to the heap.
func Wrap(r grpc.ServiceRegistrar, pool *arena.ArenaPool, opts ...Option) grpc.ServiceRegistrar {
	if r == nil {
		panic("arenagrpc: Wrap: nil registrar")
	}
	to := &registrar{next: r, pool: pool, shown: showsReplies(r), heap: slices.Clone(heapServices)}
	for _, set := range opts {
		set(to)
	}
	return to
}

type registrar struct {
	next  grpc.ServiceRegistrar
	pool  *arena.ArenaPool
	keyed *arena.KeyedPool[string] // instead of pool if key is not nil
	key   func(context.Context) string
	shown bool     // replies may be read after they were sent
	heap  []string // services, and methods as "service/method", without arenas
	warn  warning
}

// RegisterService registers impl with handlers that use arenas.
func (r *registrar) RegisterService(desc *grpc.ServiceDesc, impl any) {
	wrapped := *desc
	wrapped.Methods = slices.Clone(desc.Methods)
	for i := range wrapped.Methods {
		if m := &wrapped.Methods[i]; !r.onHeap(desc.ServiceName, m.MethodName) {
			m.Handler = r.unary(m.Handler)
		}
	}
	wrapped.Streams = slices.Clone(desc.Streams)
	for i := range wrapped.Streams {
		if s := &wrapped.Streams[i]; !r.onHeap(desc.ServiceName, s.StreamName) {
			s.Handler = r.stream(s.Handler)
		}
	}
	r.next.RegisterService(&wrapped, impl)
}

// methodHandler is grpc's type of the same name.
type methodHandler = func(srv any, ctx context.Context, dec func(any) error, interceptor grpc.UnaryServerInterceptor) (any, error)

func (r *registrar) unary(handle methodHandler) methodHandler {
	return func(srv any, ctx context.Context, dec func(any) error, interceptor grpc.UnaryServerInterceptor) (reply any, err error) {
		c := newCall(ctx, r)
		c.dec = dec
		defer c.finish(&reply, &err)
		defer arena.ExplainFaults()
		if interceptor != nil {
			interceptor = c.intercept(interceptor)
		}
		reply, err = handle(srv, c, c.decode, interceptor)
		alone := c.over()
		if err != nil {
			return nil, c.own(err, alone)
		}
		return c.answer(reply, alone), nil
	}
}

func (r *registrar) stream(handle grpc.StreamHandler) grpc.StreamHandler {
	return func(srv any, ss grpc.ServerStream) (err error) {
		c := newCall(ss.Context(), r)
		defer c.finish(nil, &err)
		defer arena.ExplainFaults()
		err = handle(srv, &stream{ss, c})
		return c.own(err, c.over())
	}
}

// showsReplies reports whether the server shows replies to a stats handler after they were sent. It reads a field of
// grpc.Server. If there is none of this name, the answer is yes, which costs a copy of each reply and is never wrong.
func showsReplies(r grpc.ServiceRegistrar) bool {
	server, ok := r.(*grpc.Server)
	if !ok || server == nil {
		return true
	}
	handler := reflect.ValueOf(server).Elem().FieldByName("statsHandler")
	if !handler.IsValid() || handler.Kind() != reflect.Interface {
		return true
	}
	return !handler.IsNil()
}
