package arenagrpc

import (
	"context"
	"reflect"
	"slices"

	"google.golang.org/grpc"

	"github.com/ebbpool/arena"
)

// Wrap returns a registrar for which each call of a service has an arena from pool.
// Services are registered with it as with r, by their generated functions; others may be
// registered with r itself, and know nothing of arenas. A nil pool has
// no arenas: all is on the heap. A nil r panics.
//
// r's server needs Codec:
//
//	grpc.NewServer(grpc.ForceServerCodecV2(arenagrpc.Codec()))
//
// Without it requests stay on the heap, which is logged once for each Wrap.
//
// A unary call's request lies in the call's arena, which FromContext also finds in
// unary interceptors. The reply may lie in it. The arena goes back to pool when all
// interceptors have returned and the reply has been marshalled, or when the call has
// failed or panicked; if an interceptor returned before its handler, when the handler
// returns, too. Metadata, of grpc.SetHeader and grpc.SetTrailer, may be sent later: what of it
// lies in the arena is to be copied. The text of an error is copied where it lies in the arena; what else an
// error of your own leads to must not.
//
// In a stream each message that is received has an arena of its own, until the next
// RecvMsg, or until the handler returns: who collects messages takes their arenas over
// with Keep, or copies them. A goroutine of the handler that still receives when that
// has returned gets an error. Interceptors of streams stand outside, and may read a
// message where RecvMsg shows it to them.
//
// If another goroutine asks for the arena, or receives the message, than the handler's own or
// that of an interceptor, nobody knows when it will be done: a handler with a timeout of its
// own, for example, answers while its goroutine goes on. Such an arena does not go back to pool
// when the handler has returned: it is left to that goroutine and to the collector, and counts
// as Abandoned. It goes back where that goroutine receives the next message, or the stream's
// end, before. Still no two goroutines may use an arena at a time. What can't be seen is a
// goroutine that never asks and was handed a request: it needs a copy, or Keep.
//
// What a limit of the pool refuses (see arena.ArenaPool.SetLimit), in the decoder, the
// handler or an interceptor, becomes RESOURCE_EXHAUSTED, with a RetryInfo of one second
// if it can succeed when other calls have ended.
//
// With grpc.EnableTracing, which shows messages long after their calls, all is on the
// heap. Wrap costs a unary call four small allocations, and one more if there are
// interceptors; those of the request are gone. Where the server has a stats handler, or
// r is not a *grpc.Server, so that this can't be known, the reply is copied to the heap.
func Wrap(r grpc.ServiceRegistrar, pool *arena.ArenaPool) grpc.ServiceRegistrar {
	if r == nil {
		panic("arenagrpc: Wrap: a nil registrar")
	}
	return &registrar{next: r, pool: pool, shown: showsReplies(r)}
}

type registrar struct {
	next  grpc.ServiceRegistrar
	pool  *arena.ArenaPool
	shown bool // someone may look at a reply after it was sent
	warn  warning
}

// RegisterService registers impl with handlers that have arenas.
func (r *registrar) RegisterService(desc *grpc.ServiceDesc, impl any) {
	wrapped := *desc
	wrapped.Methods = slices.Clone(desc.Methods)
	for i := range wrapped.Methods {
		wrapped.Methods[i].Handler = r.unary(desc.Methods[i].Handler)
	}
	wrapped.Streams = slices.Clone(desc.Streams)
	for i := range wrapped.Streams {
		wrapped.Streams[i].Handler = r.stream(desc.Streams[i].Handler)
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

// showsReplies reports whether the server shows replies to a stats handler after they were
// sent. grpc tells nobody, so this looks; where it does not find what it knows, the
// answer is yes, which costs a copy of each reply and is never wrong.
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
