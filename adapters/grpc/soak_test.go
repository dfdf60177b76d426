package arenagrpc_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"
)

// Concurrent calls succeed, fail, panic, exceed limits, are canceled and time out; handlers outlive their
// interceptors; frames are truncated or malformed; streams receive after an error; and receivers outlive the
// handler, while the collector runs all the time. No handler sees its request change, no reply has another
// call's text, and every arena is put back.
func TestSoak(t *testing.T) {
	pool := arena.NewAutoPool(0)
	strange.Store(pool, true)
	// receivers counts goroutines that receive when their handler returns. One that received just before has
	// its arena abandoned.
	var receivers atomic.Uint64
	pool.SetLimit(1<<20, 64<<20)
	intact := func(text string, body []byte) {
		if text != string(body) && text != "" && text[0] != 'c' {
			t.Errorf("a request became %.20q with %.20q", text, body)
		}
	}
	kind := func(ctx context.Context, text string, body []byte) error {
		intact(text, body)
		if !strings.HasPrefix(text, "k") { // k gives its memory away
			defer intact(text, body)
		}
		switch (text + "c")[0] { // a frame may be truncated before its text
		case 'e':
			return status.Error(codes.NotFound, text)
		case 'p':
			panic("the handler's own")
		case 'l':
			arenagrpc.FromContext(ctx).AllocBytes(2 << 20)
		case 'k':
			pool.Put(arenagrpc.Keep(ctx))
			return status.Error(codes.NotFound, "kept")
		case 't': // takes longer than its interceptor waits
			time.Sleep(time.Duration(300+len(text)) * time.Microsecond)
			if a := arenagrpc.FromContext(ctx); a == nil || a.Concat(text, "!") != text+"!" {
				t.Errorf("the arena of %.20q ended before its handler", text)
			}
		case 's':
			select {
			case <-ctx.Done():
			case <-time.After(time.Duration(len(text)) * time.Microsecond):
			}
		}
		return nil
	}
	s := &service{
		unary: func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
			if err := kind(ctx, r.ResponseStatus.GetMessage(), r.Payload.GetBody()); err != nil {
				return nil, err
			}
			return echo(ctx, r)
		},
		duplex: func(s duplexServer) error {
			for {
				r, err := s.Recv()
				if err == io.EOF {
					return nil
				} else if err != nil {
					for range 3 {
						if again, err := s.Recv(); err == nil {
							intact(again.ResponseStatus.GetMessage(), again.Payload.GetBody())
						}
					}
					return err
				}
				text := r.ResponseStatus.GetMessage()
				if err := kind(s.Context(), text, r.Payload.GetBody()); err != nil {
					return err
				}
				if strings.HasPrefix(text, "g") {
					text := strings.Clone(text)
					receivers.Add(1)
					go func() { // receives after the handler has returned
						for {
							if _, err := s.Recv(); err != nil {
								return
							}
						}
					}()
					return status.Error(codes.NotFound, text)
				}
				if err := s.Send(&pb.StreamingOutputCallResponse{Payload: r.Payload}); err != nil {
					return err
				}
			}
		},
	}
	conn := serve(t, pool, withCodec(grpc.ChainUnaryInterceptor(impatient, recovered), grpc.StreamInterceptor(
		func(srv any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) (err error) {
			defer func() {
				if v := recover(); v != nil {
					err = status.Errorf(codes.Internal, "panic: %v", v)
				}
			}()
			return next(srv, ss)
		})), func(_, wrapped grpc.ServiceRegistrar) { pb.RegisterTestServiceServer(wrapped, s) })
	client := pb.NewTestServiceClient(conn)

	span := 4 * time.Second
	if testing.Short() {
		span = 300 * time.Millisecond
	}
	soon, stop := context.WithTimeout(context.Background(), span)
	defer stop()
	var all sync.WaitGroup
	all.Go(func() {
		for soon.Err() == nil {
			runtime.GC()
			time.Sleep(5 * time.Millisecond)
		}
	})
	for g := range 8 {
		all.Go(func() {
			rnd := rand.New(rand.NewPCG(1, uint64(g)))
			for i := 0; soon.Err() == nil; i++ {
				text := strings.Repeat(fmt.Sprintf("%c%d-%d ", "ooooepklstg"[rnd.IntN(11)], g, i), 1+rnd.IntN(200))
				ctx, cancel := context.WithCancel(context.Background())
				if rnd.IntN(4) == 0 {
					time.AfterFunc(time.Duration(rnd.IntN(1000))*time.Microsecond, cancel)
				} else if rnd.IntN(4) == 0 {
					ctx, cancel = context.WithTimeout(context.Background(), time.Duration(rnd.IntN(1000))*time.Microsecond)
				}
				if rnd.IntN(8) == 0 {
					broken(t, ctx, conn, rnd, "c"+text)
				} else if rnd.IntN(3) > 0 {
					reply, err := client.UnaryCall(ctx, request(text))
					checkSoak(t, text, string(reply.GetPayload().GetBody()), err)
				} else if s, err := client.FullDuplexCall(ctx); err == nil {
					for range 1 + rnd.IntN(3) {
						if s.Send(out(text)) != nil {
							break
						}
						reply, err := s.Recv()
						checkSoak(t, text, string(reply.GetPayload().GetBody()), err)
						if err != nil {
							break
						}
					}
				}
				cancel()
			}
		})
	}
	all.Wait()
	awaitIdle(t, pool)
	if s := pool.Stats(); s.Gets < 20 || s.Abandoned > receivers.Load() {
		t.Errorf("%d messages, %d arenas abandoned for %d goroutines that receive late", s.Gets, s.Abandoned, receivers.Load())
	}
}

func checkSoak(t *testing.T, text, body string, err error) {
	want := map[byte]codes.Code{'t': codes.Unavailable, 'g': codes.NotFound, 'e': codes.NotFound, 'k': codes.NotFound, 'p': codes.Internal, 'l': codes.ResourceExhausted}[text[0]]
	switch code := status.Code(err); {
	case code == codes.Canceled || code == codes.DeadlineExceeded:
	case (text[0] == 'g' || text[0] == 't') && code == codes.OK && body == text: // g is for streams, t for unary calls
	case code != want:
		t.Errorf("%.10q: %v, want %v", text, err, want)
	case code == codes.OK && body != text:
		t.Errorf("the reply to %.20q is %.20q", text, body)
	case code == codes.NotFound && text[0] == 'e' && status.Convert(err).Message() != text:
		t.Errorf("the error for %.20q is %.20v", text, err)
	}
}

// impatient is an interceptor that responds before a handler of kind t.
func impatient(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if r, ok := req.(*pb.SimpleRequest); !ok || !strings.HasPrefix(r.ResponseStatus.GetMessage(), "t") {
		return next(ctx, req)
	}
	go next(ctx, req)
	time.Sleep(200 * time.Microsecond)
	return nil, status.Error(codes.Unavailable, "took too long")
}

// broken sends frames that are truncated or have a changed byte. The server may report them as malformed, or
// respond with text, a part of it, or text with that byte.
func broken(t *testing.T, ctx context.Context, conn *grpc.ClientConn, rnd *rand.Rand, text string) {
	frame, err := proto.Marshal(request(text))
	if err != nil {
		t.Fatal(err)
	}
	frame = frame[:rnd.IntN(len(frame))]
	raw := grpc.ForceCodecV2(rawCodec{})
	check := func(err error) {
		switch status.Code(err) {
		case codes.OK, codes.Internal, codes.Canceled, codes.DeadlineExceeded:
		default:
			t.Errorf("a frame that is cut off: %v", err)
		}
	}
	if rnd.IntN(2) == 0 {
		check(conn.Invoke(ctx, pb.TestService_UnaryCall_FullMethodName, frame, new([]byte), raw))
		return
	}
	s, err := conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, pb.TestService_FullDuplexCall_FullMethodName, raw)
	if err != nil {
		return
	}
	for range 1 + rnd.IntN(3) {
		if s.SendMsg(frame) != nil {
			break
		}
	}
	s.CloseSend()
	for err == nil {
		err = s.RecvMsg(new([]byte))
	}
	if err != io.EOF {
		check(err)
	}
}
