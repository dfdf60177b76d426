package arenagrpc_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"

	"github.com/ebbpool/arena"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"
)

// Everything at once: calls that succeed, fail, panic, exceed limits, are cancelled and
// time out, unary and in streams, with the collector running all the time. No reply may
// have another call's text, and no arena may stay out.
func TestSoak(t *testing.T) {
	pool := arena.NewAutoPool(0)
	pool.Limit(1<<20, 64<<20)
	kind := func(ctx context.Context, text string) error {
		switch text[0] {
		case 'e':
			return status.Error(codes.NotFound, text)
		case 'p':
			panic("the handler's own")
		case 'l':
			arenagrpc.FromContext(ctx).AllocBytes(2 << 20)
		case 'k':
			pool.Put(arenagrpc.Keep(ctx))
			return status.Error(codes.NotFound, "kept")
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
			if err := kind(ctx, r.ResponseStatus.Message); err != nil {
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
					return err
				}
				if err := kind(s.Context(), r.ResponseStatus.Message); err != nil {
					return err
				}
				if err := s.Send(&pb.StreamingOutputCallResponse{Payload: r.Payload}); err != nil {
					return err
				}
			}
		},
	}
	client := serveTests(t, pool, s, grpc.UnaryInterceptor(recovered), grpc.StreamInterceptor(
		func(srv any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) (err error) {
			defer func() {
				if v := recover(); v != nil {
					err = status.Errorf(codes.Internal, "panic: %v", v)
				}
			}()
			return next(srv, ss)
		}))

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
				text := strings.Repeat(fmt.Sprintf("%c%d-%d ", "ooooepkls"[rnd.IntN(9)], g, i), 1+rnd.IntN(200))
				ctx, cancel := context.WithCancel(context.Background())
				if rnd.IntN(4) == 0 {
					time.AfterFunc(time.Duration(rnd.IntN(1000))*time.Microsecond, cancel)
				} else if rnd.IntN(4) == 0 {
					ctx, cancel = context.WithTimeout(context.Background(), time.Duration(rnd.IntN(1000))*time.Microsecond)
				}
				if rnd.IntN(3) > 0 {
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
	settled(t, pool)
	if n := pool.Stats().Gets; n < 20 {
		t.Errorf("only %d messages", n)
	}
}

func checkSoak(t *testing.T, text, body string, err error) {
	want := map[byte]codes.Code{'e': codes.NotFound, 'k': codes.NotFound, 'p': codes.Internal, 'l': codes.ResourceExhausted}[text[0]]
	switch code := status.Code(err); {
	case code == codes.Canceled || code == codes.DeadlineExceeded:
	case code != want:
		t.Errorf("%.10q: %v, want %v", text, err, want)
	case code == codes.OK && body != text:
		t.Errorf("the reply to %.20q is %.20q", text, body)
	case code == codes.NotFound && text[0] == 'e' && status.Convert(err).Message() != text:
		t.Errorf("the error for %.20q is %.20v", text, err)
	}
}
