package arenaconnect_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/apipb"

	"github.com/ebbpool/arena"
)

// Concurrent calls of all protocols and kinds succeed, fail, panic, exceed limits, are canceled and time out,
// while the collector runs all the time. No method sees its request change, no client sees another call's
// bytes in a reply, an error, a header or a trailer, and every arena is put back.
func TestSoak(t *testing.T) {
	pool := arena.NewAutoPool(0)
	pool.SetLimit(1<<20, 64<<20)
	intact := func(m *apipb.Api) {
		if len(m.Methods) != 1 || m.Methods[0].Name != m.Name+"?" {
			t.Errorf("a request became %.60v", m)
		}
	}
	// answer does what the first letter of a request's name says.
	answer := func(ctx context.Context, m *apipb.Api) (*response, error) {
		intact(m)
		defer intact(m)
		a := arena.FromContext(ctx)
		switch m.Name[0] {
		case 'e':
			err := connect.NewError(connect.CodeNotFound, errors.New(a.Concat("none: ", m.Name)))
			err.Meta().Set("In-Header", m.Name)
			return nil, err
		case 'w':
			return nil, fmt.Errorf("wrapped: %w", errors.New(m.Name))
		case 'p':
			panic("the method's own")
		case 'l':
			a.AllocBytes(2 << 20)
		case 's':
			select {
			case <-ctx.Done():
			case <-time.After(time.Duration(len(m.Name)) * time.Microsecond):
			}
		}
		return echo(ctx, connect.NewRequest(m))
	}
	s := &service{
		unary: func(ctx context.Context, r *request) (*response, error) { return answer(ctx, r.Msg) },
		client: func(ctx context.Context, in *connect.ClientStream[apipb.Api]) (*response, error) {
			var last string
			for in.Receive() {
				reply, err := answer(ctx, in.Msg())
				if err != nil {
					return nil, err
				}
				last = strings.Clone(reply.Msg.Name[:len(reply.Msg.Name)-1])
			}
			if in.Err() != nil {
				return nil, in.Err()
			}
			return echo(context.Background(), connect.NewRequest(api(last)))
		},
		server: func(ctx context.Context, r *request, out *connect.ServerStream[apipb.Api]) error {
			for range 3 {
				reply, err := answer(ctx, r.Msg)
				if err == nil {
					err = out.Send(reply.Msg)
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
		bidi: func(ctx context.Context, b *both) error {
			for {
				m, err := b.Receive()
				if err != nil {
					if errors.Is(err, io.EOF) {
						err = nil
					}
					return err
				}
				reply, err := answer(ctx, m)
				if err == nil {
					err = b.Send(reply.Msg)
				}
				if err != nil {
					return err
				}
			}
		},
	}
	to := serve(t, pool, s, connect.WithReadMaxBytes(300_000))
	span := 4 * time.Second
	if testing.Short() {
		span = 400 * time.Millisecond
	}
	soon, stop := context.WithTimeout(within(t), span)
	defer stop()
	var all sync.WaitGroup
	all.Go(func() {
		for soon.Err() == nil {
			runtime.GC()
			time.Sleep(5 * time.Millisecond)
		}
	})
	var answers, refusals atomic.Uint64
	for name, options := range protocols {
		c := to(options...)
		all.Go(func() {
			rnd := rand.New(rand.NewPCG(7, uint64(name[0])*uint64(len(name))))
			for i := 0; i < 40 || soon.Err() == nil; i++ {
				text := strings.Repeat(fmt.Sprintf("%c%s-%d ", "oooooewpls"[rnd.IntN(10)], name, i), 1+rnd.IntN(200))
				text = text[:len(text)-1] // as in a header
				if rnd.IntN(40) == 0 {
					text = strings.Repeat("o", 400_000)
				}
				ctx, cancel := context.WithCancel(within(t))
				if rnd.IntN(4) == 0 {
					time.AfterFunc(time.Duration(rnd.IntN(1000))*time.Microsecond, cancel)
				}
				kind := rnd.IntN(4)
				if name == "get" {
					kind = 0
				}
				replies, err := c.call(ctx, kind, text)
				cancelled := ctx.Err() != nil // during the reading of the error, whose text is then the status
				cancel()
				for _, m := range replies {
					answers.Add(1)
					isEcho(t, text, m)
				}
				if err == nil {
					continue
				}
				refusals.Add(1)
				var from *connect.Error
				if !errors.As(err, &from) {
					t.Errorf("%T: %v", err, err)
				} else if m := from.Message(); connect.CodeOf(err) == connect.CodeNotFound && (text[0] != 'e' || m != "none: "+text || from.Meta().Get("In-Header") != text) ||
					connect.CodeOf(err) == connect.CodeUnknown && text[0] == 'w' && m != "wrapped: "+text && !(cancelled && m == "500 Internal Server Error") {
					t.Errorf("the error of %.20q is %v, %.300q, with %.300q", text, connect.CodeOf(err), m, from.Meta())
				}
			}
		})
	}
	all.Wait()
	awaitIdle(t, pool)
	if answers.Load() < 60 || refusals.Load() < 20 {
		t.Errorf("%d answers and %d refusals", answers.Load(), refusals.Load())
	}
	t.Log(answers.Load(), "answers,", refusals.Load(), "refusals")
}

// call makes a call of the given kind and returns the received replies.
func (c client) call(ctx context.Context, kind int, text string) (all []*apipb.Api, err error) {
	switch kind {
	case 0:
		r, err := c.unary.CallUnary(ctx, connect.NewRequest(api(text)))
		if err != nil {
			return nil, err
		}
		if h, tr := r.Header().Get("In-Header"), r.Trailer().Get("In-Trailer"); h != text || tr != text {
			return nil, fmt.Errorf("the headers of the reply to %.20q have %.100q and %.100q", text, h, tr)
		}
		return []*apipb.Api{r.Msg}, nil
	case 1:
		s := c.client.CallClientStream(ctx)
		for range 3 {
			if s.Send(api(text)) != nil {
				break
			}
		}
		r, err := s.CloseAndReceive()
		if err != nil {
			return nil, err
		}
		return []*apipb.Api{r.Msg}, nil
	case 2:
		s, err := c.server.CallServerStream(ctx, connect.NewRequest(api(text)))
		if err != nil {
			return nil, err
		}
		defer s.Close()
		for s.Receive() {
			all = append(all, s.Msg())
		}
		return all, s.Err()
	}
	s := c.bidi.CallBidiStream(ctx)
	defer s.CloseResponse()
	for range 3 {
		if s.Send(api(text)) != nil {
			break
		}
	}
	if err := s.CloseRequest(); err != nil {
		return nil, err
	}
	for {
		m, err := s.Receive()
		if errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return all, err
		}
		all = append(all, m)
	}
}
