package arenagrpc_test

import (
	"context"
	"io"
	"testing"

	"google.golang.org/grpc"
	pb "google.golang.org/grpc/interop/grpc_testing"

	"github.com/ebbpool/arena"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"
)

// accounted waits until all arenas of the pool are accounted for and the given number is abandoned.
func accounted(t *testing.T, pool *arena.ArenaPool, abandoned uint64) {
	t.Helper()
	strange.Store(pool, true)
	awaitIdle(t, pool)
	if s := pool.Stats(); s.Abandoned != abandoned {
		t.Errorf("%+v: want %d abandoned", s, abandoned)
	}
}

// A handler with its own timeout responds while a goroutine continues with the request. If that goroutine has
// asked for the arena, the next call must not get the arena.
func TestStrangerIsLate(t *testing.T) {
	pool, goOn, ended := arena.NewAutoPool(0), make(chan bool), make(chan bool)
	client := serveTests(t, pool, &service{unary: func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
		if r.ResponseStatus.Message != "late" {
			return echo(ctx, r)
		}
		asked := make(chan bool)
		go func() {
			defer close(ended)
			text := arenagrpc.FromContext(ctx).Concat(r.ResponseStatus.Message, "!")
			close(asked)
			<-goOn
			if text != "late!" || r.ResponseStatus.Message != "late" {
				t.Errorf("%q and %q are another call's", text, r.ResponseStatus.Message)
			}
			if arenagrpc.FromContext(ctx) != nil {
				t.Error("the arena of a call that has ended")
			}
		}()
		<-asked
		return nil, context.DeadlineExceeded
	}})
	if _, err := client.UnaryCall(within(t), request("late")); err == nil {
		t.Error("no error")
	}
	for range 10 {
		reply, err := client.UnaryCall(within(t), request("next"))
		isEcho(t, "next", reply, err)
	}
	close(goOn)
	<-ended
	accounted(t, pool, 1)
}

// With an interceptor's timeout, the arena is put back when the handler has returned, unless a goroutine of
// the handler has asked for it.
func TestStrangerOfAnInterceptor(t *testing.T) {
	for name, abandoned := range map[string]uint64{"handler": 0, "goroutine": 1} {
		t.Run(name, func(t *testing.T) {
			pool, goOn, begun := arena.NewAutoPool(0), make(chan bool), make(chan bool)
			client := serveTests(t, pool, &service{unary: func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
				if arenagrpc.FromContext(ctx) == nil {
					t.Error("no arena")
				}
				if name == "goroutine" {
					asked := make(chan bool)
					go func() {
						arenagrpc.FromContext(ctx)
						close(asked)
						<-t.Context().Done()
					}()
					<-asked
				}
				close(begun)
				<-goOn
				arenagrpc.FromContext(ctx).AllocBytes(10)
				return echo(ctx, r)
			}}, grpc.UnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
				go next(ctx, req)
				<-begun
				return nil, context.DeadlineExceeded
			}))
			if _, err := client.UnaryCall(within(t), request("late")); err == nil {
				t.Error("no error")
			}
			if s := pool.Stats(); s.Puts+s.Abandoned != 0 {
				t.Errorf("%+v, while the handler goes on", s)
			}
			close(goOn)
			accounted(t, pool, abandoned)
		})
	}
}

// A goroutine that receives has finished with a message when it receives the next. If the handler returns
// before that, the message is still in use.
func TestStrangerReceives(t *testing.T) {
	for name, c := range map[string]struct {
		wait      bool
		two       int // number of messages also used by another goroutine
		abandoned uint64
	}{"to the end": {true, 0, 0}, "to the handler's": {false, 0, 1}, "two": {true, 3, 3}, "two, once": {true, 1, 1}} {
		t.Run(name, func(t *testing.T) {
			pool, got, goOn, ended := arena.NewAutoPool(0), make(chan bool), make(chan bool), make(chan bool)
			client := serveTests(t, pool, &service{duplex: func(s duplexServer) error {
				go func() {
					defer close(ended)
					for n := 1; ; n++ {
						r, err := s.Recv()
						if err != nil {
							if err != io.EOF {
								t.Error(err)
							}
							return
						}
						if n <= c.two {
							asked := make(chan bool)
							go func() {
								arenagrpc.FromContext(s.Context())
								close(asked)
								<-t.Context().Done()
							}()
							<-asked
							arenagrpc.FromContext(s.Context()) // as the last one
						}
						if n == 3 && !c.wait {
							close(got)
							<-goOn
							if string(r.Payload.Body) != "three" {
								t.Errorf("%q is another call's", r.Payload.Body)
							}
							return
						}
					}
				}()
				if c.wait {
					<-ended
				} else {
					<-got
				}
				return nil
			}})
			s, err := client.FullDuplexCall(within(t))
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{"one", "two", "three"} {
				s.Send(out(text))
			}
			s.CloseSend()
			s.Recv()
			close(goOn)
			<-ended
			accounted(t, pool, c.abandoned)
		})
	}
}
