package arenagrpc_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"

	"github.com/ebbpool/arena"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"
)

// recovered is a recovery interceptor.
func recovered(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (reply any, err error) {
	defer func() {
		if v := recover(); v != nil {
			reply, err = nil, status.Errorf(codes.Internal, "panic: %v", v)
		}
	}()
	return next(ctx, req)
}

type textError struct{ text string }

func (e textError) Error() string { return e.text }

// madeError computes its text and its status at each call.
type madeError struct{ text string }

func (e madeError) Error() string { return "made of " + e.text }

type madeStatus struct{ text string }

func (e madeStatus) Error() string { return "known" }

func (e madeStatus) GRPCStatus() *status.Status {
	st, _ := status.New(codes.Aborted, "known").WithDetails(request(e.text))
	return st
}

// The text of an error is sent after the handler has returned. If it is in the arena, it must be copied. So
// must text that gRPC derives from the error later.
func TestErrors(t *testing.T) {
	pool := arena.NewAutoPool(0)
	known := errors.New("known")
	fail := map[string]func(a *arena.Arena, text string) error{
		"status":   func(_ *arena.Arena, text string) error { return status.Error(codes.NotFound, text) },
		"plain":    func(_ *arena.Arena, text string) error { return errors.New(text) },
		"own type": func(_ *arena.Arena, text string) error { return textError{text} },
		"wrapped":  func(_ *arena.Arena, text string) error { return fmt.Errorf("%s%w", text, context.DeadlineExceeded) },
		"detailed": func(_ *arena.Arena, text string) error {
			st, err := status.New(codes.Aborted, text).WithDetails(request(text))
			if err != nil {
				t.Error(err)
			}
			return st.Err()
		},
		"known":       func(*arena.Arena, string) error { return known },
		"joined":      func(_ *arena.Arena, text string) error { return errors.Join(textError{text}, known) },
		"made":        func(_ *arena.Arena, text string) error { return madeError{text} },
		"made status": func(_ *arena.Arena, text string) error { return madeStatus{text} },
	}
	client := serveTests(t, pool, &service{unary: func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
		kind, text, _ := strings.Cut(r.ResponseStatus.Message, "|")
		return nil, fail[kind](arenagrpc.FromContext(ctx), text)
	}})
	done := make(chan bool)
	for range 4 {
		go func() {
			defer func() { done <- true }()
			for i := range 100 {
				for kind := range fail {
					text := fmt.Sprint(kind, "|", i, strings.Repeat("x", 100))
					_, err := client.UnaryCall(within(t), request(text))
					st, _ := status.FromError(err)
					want := strings.TrimPrefix(text, kind+"|")
					code := codes.Unknown
					switch kind {
					case "status":
						code = codes.NotFound
					case "wrapped":
						code, want = codes.Unknown, want+context.DeadlineExceeded.Error()
						code = status.FromContextError(fmt.Errorf("%w", context.DeadlineExceeded)).Code()
					case "detailed":
						code = codes.Aborted
						if r, ok := st.Details()[0].(*pb.SimpleRequest); !ok || r.ResponseStatus.Message != want {
							t.Errorf("the detail %v", st.Details()[0])
						}
					case "known":
						want = "known"
					case "joined":
						want += "\nknown"
					case "made":
						want = "made of " + want
					case "made status":
						code = codes.Aborted
						if r, ok := st.Details()[0].(*pb.SimpleRequest); !ok || r.ResponseStatus.Message != want {
							t.Errorf("the detail %v", st.Details()[0])
						}
						want = "known"
					}
					if st.Message() != want || st.Code() != code {
						t.Errorf("%s: %v, want %v %.20q", kind, err, code, want)
					}
				}
			}
		}()
	}
	for range 4 {
		<-done
	}
}

// describe returns the handler of a method as registered by Wrap, for cases that would crash a server.
func describe(t *testing.T, pool *arena.ArenaPool, s *service) func(ctx context.Context, dec func(any) error, in grpc.UnaryServerInterceptor) (any, error) {
	t.Helper()
	server := &collector{}
	pb.RegisterTestServiceServer(arenagrpc.Wrap(server, pool), s)
	for _, m := range server.desc.Methods {
		if m.MethodName == "UnaryCall" {
			return func(ctx context.Context, dec func(any) error, in grpc.UnaryServerInterceptor) (any, error) {
				return m.Handler(s, ctx, dec, in)
			}
		}
	}
	t.Fatal("no such method")
	return nil
}

type collector struct{ desc *grpc.ServiceDesc }

func (c *collector) RegisterService(desc *grpc.ServiceDesc, _ any) { c.desc = desc }

// decoder decodes r like a server with the codec.
func decoder(t *testing.T, r *pb.SimpleRequest) func(any) error {
	t.Helper()
	data, err := arenagrpc.Codec().Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return func(m any) error { return arenagrpc.Codec().Unmarshal(data, m) }
}

func TestPanics(t *testing.T) {
	pool := arena.NewAutoPool(0)
	s := &service{unary: func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
		panic(arenagrpc.FromContext(ctx).Concat("the handler's", " own")) // must not become another call's text
	}}
	client := serveTests(t, pool, s, grpc.UnaryInterceptor(recovered))
	_, err := client.UnaryCall(within(t), request("x"))
	wantCode(t, err, codes.Internal)

	call := describe(t, pool, s)
	for _, in := range []grpc.UnaryServerInterceptor{nil, func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		return next(ctx, req)
	}} {
		func() {
			defer func() {
				v := recover()
				pool.Do(func(a *arena.Arena) { a.AllocString(strings.Repeat("another", 60)) })
				if v != "the handler's own" {
					t.Errorf("the panic became %v", v)
				}
			}()
			call(t.Context(), decoder(t, request("x")), in)
		}()
		if s := pool.Stats(); s.Gets == 0 || s.Gets != s.Puts {
			t.Errorf("%+v after a panic", s)
		}
	}

	s.unary = func(context.Context, *pb.SimpleRequest) (*pb.SimpleResponse, error) {
		runtime.Goexit()
		return nil, nil
	}
	gone := make(chan bool)
	go func() {
		defer close(gone)
		call(t.Context(), decoder(t, request("x")), nil)
	}()
	<-gone
	if s := pool.Stats(); s.Gets != s.Puts {
		t.Errorf("%+v after runtime.Goexit", s)
	}
}

// A decoder that panics, fails, or is not ours leaves no record of the message. A record would keep the
// message alive and misdirect a later message at the same address.
func TestNoteOfMessage(t *testing.T) {
	pool := arena.NewAutoPool(0)
	call := describe(t, pool, &service{unary: func(context.Context, *pb.SimpleRequest) (*pb.SimpleResponse, error) {
		return &pb.SimpleResponse{}, nil
	}})
	for name, dec := range map[string]func() error{
		"panics":   func() error { panic("no") },
		"fails":    func() error { return errors.New("no") },
		"is other": func() error { return nil },
	} {
		var seen weak.Pointer[pb.SimpleRequest]
		func() {
			defer func() { recover() }()
			call(t.Context(), func(v any) error {
				seen = weak.Make(v.(*pb.SimpleRequest))
				return dec()
			}, nil)
		}()
		for range 50 {
			if runtime.GC(); seen.Value() == nil {
				break
			}
		}
		if seen.Value() != nil {
			t.Errorf("a decoder that %s: something still holds the message", name)
		}
	}
	if n := pool.Stats().Gets; n != 0 {
		t.Errorf("%d arenas", n)
	}
}

// rawCodec sends bytes unchanged.
type rawCodec struct{}

func (rawCodec) Name() string { return "proto" }
func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}
func (rawCodec) Unmarshal(data mem.BufferSlice, v any) error { return nil }

var _ encoding.CodecV2 = rawCodec{}

func TestMalformed(t *testing.T) {
	pool := arena.NewAutoPool(0)
	conn := serve(t, pool, withCodec(), func(_, wrapped grpc.ServiceRegistrar) {
		pb.RegisterTestServiceServer(wrapped, &service{
			unary: echo,
			input: func(in grpc.ClientStreamingServer[pb.StreamingInputCallRequest, pb.StreamingInputCallResponse]) error {
				_, err := in.Recv()
				return err
			},
		})
	})
	var reply []byte
	for _, bad := range []string{"\xff", "\x1a\x05abc", "\x1a\x04\x12\x7fab", "\x3a\x03\x12\x01\xff"} {
		err := conn.Invoke(within(t), pb.TestService_UnaryCall_FullMethodName, []byte(bad), &reply, grpc.ForceCodecV2(rawCodec{}))
		wantCode(t, err, codes.Internal)
		stream, err := conn.NewStream(within(t), &grpc.StreamDesc{ClientStreams: true}, pb.TestService_StreamingInputCall_FullMethodName, grpc.ForceCodecV2(rawCodec{}))
		if err != nil {
			t.Fatal(err)
		}
		stream.SendMsg([]byte(bad))
		stream.CloseSend()
		if bad != "\x3a\x03\x12\x01\xff" { // an unknown field of that message
			wantCode(t, stream.RecvMsg(&reply), codes.Internal)
		}
	}
}

func TestCancelled(t *testing.T) {
	pool := arena.NewAutoPool(0)
	began := make(chan bool, 1)
	client := serveTests(t, pool, &service{unary: func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
		began <- true
		<-ctx.Done()
		if arenagrpc.FromContext(ctx) == nil || r.ResponseStatus.Message != "x" {
			t.Error("the arena is gone while the handler runs")
		}
		time.Sleep(20 * time.Millisecond) // otherwise the reply may arrive before the client cancels
		return echo(ctx, r)
	}})
	ctx, cancel := context.WithCancel(within(t))
	go func() { <-began; cancel() }()
	_, err := client.UnaryCall(ctx, request("x"))
	wantCode(t, err, codes.Canceled)
	awaitIdle(t, pool)
	ctx, cancel = context.WithTimeout(within(t), 20*time.Millisecond)
	defer cancel()
	_, err = client.UnaryCall(ctx, request("x"))
	wantCode(t, err, codes.DeadlineExceeded)
}

// An interceptor that responds at a timeout leaves its handler running. The handler keeps the arena until it
// returns.
func TestAbandonedHandler(t *testing.T) {
	pool := arena.NewAutoPool(0)
	goOn, seen := make(chan bool), make(chan string, 1)
	var late func()
	client := serveTests(t, pool, &service{unary: func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
		<-goOn
		a := arenagrpc.FromContext(ctx)
		seen <- strings.Clone(a.Concat(r.ResponseStatus.Message, "."))
		return echo(ctx, r)
	}}, grpc.UnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		if _, ok := ctx.Deadline(); !ok {
			//arenavet:ignore the late call is what the test is about
			late = func() {
				if _, err := next(ctx, req); status.Code(err) != codes.Canceled {
					t.Errorf("a handler was called after its call: %v", err)
				}
			}
			return &pb.SimpleResponse{}, nil
		}
		running := make(chan bool)
		go func() { close(running); next(ctx, req) }()
		<-running
		time.Sleep(10 * time.Millisecond)
		return nil, status.Error(codes.Unavailable, "took too long")
	}))
	_, err := client.UnaryCall(within(t), request("still mine"))
	wantCode(t, err, codes.Unavailable)
	if s := pool.Stats(); s.Gets != s.Puts+1 {
		t.Errorf("%+v: the arena was taken from a handler that runs", s)
	}
	close(goOn)
	if text := <-seen; text != "still mine." {
		t.Errorf("the handler read %q", text)
	}
	awaitIdle(t, pool)
	if _, err := client.UnaryCall(context.Background(), request("x")); err != nil {
		t.Error(err)
	}
	awaitIdle(t, pool)
	late()
}
