package arenagrpc_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"

	"github.com/ebbpool/arena"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"
)

type (
	inputServer  = grpc.ClientStreamingServer[pb.StreamingInputCallRequest, pb.StreamingInputCallResponse]
	duplexServer = grpc.BidiStreamingServer[pb.StreamingOutputCallRequest, pb.StreamingOutputCallResponse]
	outputServer = grpc.ServerStreamingServer[pb.StreamingOutputCallResponse]
)

func out(text string) *pb.StreamingOutputCallRequest {
	return &pb.StreamingOutputCallRequest{
		Payload:        &pb.Payload{Body: []byte(text)},
		ResponseStatus: &pb.EchoStatus{Message: text},
	}
}

// One request, whose arena stays for all replies.
func TestServerStream(t *testing.T) {
	pool := arena.NewAutoPool(0)
	client := serveTests(t, pool, &service{output: func(r *pb.StreamingOutputCallRequest, s outputServer) error {
		a := arenagrpc.FromContext(s.Context())
		if a == nil || !decodedIn(a, r.ResponseStatus.Message) {
			t.Error("the request is not in the arena")
		}
		for i := range 50 {
			body := []byte(a.Sprintf("%s %d", r.ResponseStatus.Message, i))
			if err := s.Send(arena.NewOf(a, pb.StreamingOutputCallResponse{Payload: &pb.Payload{Body: body}})); err != nil {
				return err
			}
		}
		return nil
	}})
	s, err := client.StreamingOutputCall(within(t), out("answer"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		if r, err := s.Recv(); err != nil || string(r.Payload.Body) != fmt.Sprint("answer ", i) {
			t.Fatal(r, err)
		}
	}
	if _, err := s.Recv(); err != io.EOF {
		t.Error(err)
	}
	awaitIdle(t, pool)
	if n := pool.Stats().Gets; n != 1 {
		t.Errorf("%d arenas", n)
	}
}

// Each message has an arena until the next one is requested. A waiting stream has none.
func TestDuplex(t *testing.T) {
	pool := arena.NewAutoPool(0)
	client := serveTests(t, pool, &service{duplex: func(s duplexServer) error {
		for {
			r, err := s.Recv()
			if err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
			a := arenagrpc.FromContext(s.Context())
			if a == nil || !decodedIn(a, r.ResponseStatus.Message) {
				t.Error("the message is not in the arena")
			}
			reply := arena.NewOf(a, pb.StreamingOutputCallResponse{Payload: r.Payload})
			if err := s.Send(reply); err != nil {
				return err
			}
		}
	}}, grpc.StreamInterceptor(func(srv any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
		return next(srv, &looking{ss, t})
	}))
	s, err := client.FullDuplexCall(within(t))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		text := strings.Repeat(fmt.Sprint("message ", i), 1+i*20)
		if err := s.Send(out(text)); err != nil {
			t.Fatal(err)
		}
		if r, err := s.Recv(); err != nil || string(r.Payload.Body) != text {
			t.Fatal(r, err)
		}
		awaitIdle(t, pool)
		if n := pool.Stats().Gets; n != uint64(i+1) {
			t.Errorf("%d arenas for %d messages", n, i+1)
		}
	}
	s.CloseSend()
	if _, err := s.Recv(); err != io.EOF {
		t.Error(err)
	}
}

// looking is the stream of an interceptor.
type looking struct {
	grpc.ServerStream
	t *testing.T
}

func (l *looking) RecvMsg(m any) error {
	err := l.ServerStream.RecvMsg(m)
	if r, ok := m.(*pb.StreamingOutputCallRequest); !ok || err == nil && r.ResponseStatus.Message != string(r.Payload.Body) {
		l.t.Errorf("an interceptor sees %v", m)
	}
	return err
}

func TestKeepInStream(t *testing.T) {
	pool := arena.NewAutoPool(0)
	client := serveTests(t, pool, &service{input: func(s inputServer) error {
		var kept []*arena.Arena
		var all []string
		defer func() {
			for _, a := range kept {
				pool.Put(a)
			}
		}()
		for {
			r, err := s.Recv()
			if err == io.EOF {
				break
			} else if err != nil {
				return err
			}
			a := arenagrpc.Keep(s.Context())
			if a == nil || arenagrpc.FromContext(s.Context()) != nil {
				t.Error("the arena was not kept")
			}
			kept = append(kept, a)
			all = append(all, a.AllocBytesToString(r.Payload.Body))
		}
		if got := strings.Join(all, " "); got != "one two three" {
			t.Errorf("kept: %q", got)
		}
		return s.SendAndClose(&pb.StreamingInputCallResponse{AggregatedPayloadSize: int32(len(all))})
	}})
	s, err := client.StreamingInputCall(within(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "two", "three"} {
		s.Send(&pb.StreamingInputCallRequest{Payload: &pb.Payload{Body: []byte(text)}})
	}
	if r, err := s.CloseAndRecv(); err != nil || r.AggregatedPayloadSize != 3 {
		t.Error(r, err)
	}
}

// A goroutine of the handler may be receiving when the handler returns. The message's arena must still be put
// back.
func TestReceiverOutlivesHandler(t *testing.T) {
	pool := arena.NewAutoPool(0)
	strange.Store(pool, true)
	ends := make(chan error, 100)
	client := serveTests(t, pool, &service{duplex: func(s duplexServer) error {
		began := make(chan bool)
		go func() {
			close(began)
			for {
				if _, err := s.Recv(); err != nil {
					ends <- err
					return
				}
			}
		}()
		<-began
		time.Sleep(time.Millisecond)
		return errors.New("enough")
	}})
	for range 20 {
		s, err := client.FullDuplexCall(within(t))
		if err != nil {
			t.Fatal(err)
		}
		for s.Send(out("more")) == nil {
		}
		if err := <-ends; err == nil {
			t.Error("no error")
		}
	}
}

func TestStreamFailures(t *testing.T) {
	pool := arena.NewAutoPool(0)
	client := serveTests(t, pool, &service{duplex: func(s duplexServer) error {
		r, err := s.Recv()
		if err != nil {
			return err
		}
		if string(r.Payload.Body) == "panic" {
			panic("the handler's own")
		}
		return status.Error(codes.NotFound, r.ResponseStatus.Message)
	}}, grpc.StreamInterceptor(func(srv any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = status.Errorf(codes.Internal, "%v", v)
			}
		}()
		return next(srv, ss)
	}))
	for i := range 50 {
		for _, text := range []string{"panic", fmt.Sprint("not found ", i)} {
			s, err := client.FullDuplexCall(within(t))
			if err != nil {
				t.Fatal(err)
			}
			s.Send(out(text))
			_, err = s.Recv()
			want := text
			if text == "panic" {
				want = "the handler's own"
			}
			if status.Convert(err).Message() != want {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}
