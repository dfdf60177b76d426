package arenaconnect_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/apipb"

	"github.com/ebbpool/arena"
	arenaconnect "github.com/ebbpool/arena/adapters/connect"
	"github.com/ebbpool/arena/internal/machine"
)

// tagged is no proto.Message, like messages of gogo/protobuf. Its encoding is an apipb.Api's.
type tagged struct {
	Name    string         `protobuf:"bytes,1,opt,name=name,proto3"`
	Methods []taggedMethod `protobuf:"bytes,2,rep,name=methods,proto3"`
}

type taggedMethod struct {
	Name string `protobuf:"bytes,1,opt,name=name,proto3"`
}

// withMethods has a tag that arenapb does not support.
type withMethods struct {
	Name string `protobuf:"bytes,1,opt,name=name,wktptr"`
}

func (m *withMethods) Marshal() ([]byte, error) {
	if m.Name == "fails" {
		return nil, errors.New("Marshal failed")
	}
	return append([]byte{0x0a, byte(len(m.Name))}, m.Name...), nil
}

func (m *withMethods) Unmarshal(b []byte) error {
	if len(b) < 2 || b[0] != 0x0a || int(b[1]) != len(b)-2 {
		return errors.New("Unmarshal failed")
	}
	m.Name = string(b[2:])
	return nil
}

// withoutJSON calls f for each protocol but JSON.
func withoutJSON(t *testing.T, f func(t *testing.T, name string, options []connect.ClientOption)) {
	if !machine.LayoutOK {
		t.Skip("structs without methods can't be read")
	}
	each(t, func(t *testing.T, name string, options []connect.ClientOption) {
		if name != "json" {
			f(t, name, options)
		}
	})
}

// Structs with tags are decoded into the arenas of calls and of streams' messages, and encoded.
func TestTaggedMessages(t *testing.T) {
	withoutJSON(t, func(t *testing.T, name string, options []connect.ClientOption) {
		pool := arena.NewAutoPool(0)
		seen := func(ctx context.Context, m *tagged) *tagged {
			a := arena.FromContext(ctx)
			if a == nil || !isIn(a, m.Name) || !isIn(a, m.Methods[0].Name) {
				t.Errorf("%.40q is not in its arena", m.Name)
			}
			reply := arena.New[tagged](a)
			reply.Name, reply.Methods = a.Concat(m.Name, "!"), m.Methods
			return reply
		}
		mux := http.NewServeMux()
		mux.Handle("/test/Unary", connect.NewUnaryHandler("/test/Unary", func(ctx context.Context, r *connect.Request[tagged]) (*connect.Response[tagged], error) {
			return connect.NewResponse(seen(ctx, r.Msg)), nil
		}, arenaconnect.Option(), connect.WithIdempotency(connect.IdempotencyNoSideEffects)))
		mux.Handle("/test/Bidi", connect.NewBidiStreamHandler("/test/Bidi", func(ctx context.Context, b *connect.BidiStream[tagged, tagged]) error {
			for {
				m, err := b.Receive()
				if errors.Is(err, io.EOF) {
					return nil
				} else if err != nil {
					return err
				}
				if err := b.Send(seen(ctx, m)); err != nil {
					return err
				}
			}
		}, arenaconnect.Option()))
		c := start(t, arenaconnect.Handler(pool, mux))(options...)
		b := c.bidi.CallBidiStream(within(t))
		for i := range 3 {
			text := numbered(strings.Repeat("text", 1+50*i), i)
			reply, err := c.unary.CallUnary(within(t), connect.NewRequest(api(text)))
			if err != nil {
				t.Fatal(err)
			}
			isEcho(t, text, reply.Msg)
			b.Send(api(text))
			m, err := b.Receive()
			if err != nil {
				t.Fatal(err)
			}
			isEcho(t, text, m)
		}
		b.CloseRequest()
		b.Receive()
		b.CloseResponse()
		pool.SetLimit(8<<10, 0)
		m := api("text")
		for range 1000 {
			m.Methods = append(m.Methods, &apipb.Method{})
		}
		_, err := c.unary.CallUnary(within(t), connect.NewRequest(m))
		wantExhausted(t, err, false)
		if name == "get" {
			return // its codec has another interface
		}
		_, err = start(t, arenaconnect.Handler(pool, mux))(append(options, connect.WithCodec(broken{}))...).unary.CallUnary(within(t), connect.NewRequest(m))
		wantCode(t, err, connect.CodeInvalidArgument)
		if awaitIdle(t, pool) != 0 {
			t.Error("arenas were abandoned")
		}
	})
}

// A client encodes structs with tags, and decodes replies into the arena of Into, or onto the heap.
func TestTaggedReplies(t *testing.T) {
	withoutJSON(t, func(t *testing.T, _ string, options []connect.ClientOption) {
		pool, a := arena.NewAutoPool(0), arena.NewArena(1<<12, 0)
		url, client := listen(t, arenaconnect.Handler(pool, (&service{unary: echo}).handler(arenaconnect.Option())))
		all := append([]connect.ClientOption{arenaconnect.ClientOption(), connect.WithIdempotency(connect.IdempotencyNoSideEffects)}, options...)
		c := connect.NewClient[tagged, tagged](client, url+"/test/Unary", all...)
		for _, to := range []*arena.Arena{a, nil} {
			reply, err := c.CallUnary(arenaconnect.Into(within(t), to), connect.NewRequest(&tagged{"text", []taggedMethod{{"text?"}}}))
			if err != nil {
				t.Fatal(err)
			}
			if m := reply.Msg; m.Name != "text!" || len(m.Methods) != 1 || m.Methods[0].Name != "text?" || isIn(a, m.Name) != (to != nil) {
				t.Errorf("%+v, in the arena: %v", m, isIn(a, m.Name))
			}
		}
		awaitIdle(t, pool)
	})
}

// The methods of a type serve if arenapb does not support its tags.
func TestTypesWithMethods(t *testing.T) {
	pool := arena.NewAutoPool(0)
	mux := http.NewServeMux()
	mux.Handle("/test/Unary", connect.NewUnaryHandler("/test/Unary", func(ctx context.Context, r *connect.Request[withMethods]) (*connect.Response[withMethods], error) {
		return connect.NewResponse(r.Msg), nil
	}, arenaconnect.Option()))
	url, client := listen(t, arenaconnect.Handler(pool, mux))
	c := connect.NewClient[withMethods, withMethods](client, url+"/test/Unary", arenaconnect.ClientOption())
	if reply, err := c.CallUnary(within(t), connect.NewRequest(&withMethods{"text"})); err != nil || reply.Msg.Name != "text" {
		t.Error(reply, err)
	}
	if _, err := c.CallUnary(within(t), connect.NewRequest(&withMethods{"fails"})); err == nil || !strings.Contains(err.Error(), "Marshal failed") {
		t.Error(err)
	}
	_, err := start(t, arenaconnect.Handler(pool, mux))().unary.CallUnary(within(t), connect.NewRequest(api("text")))
	if wantCode(t, err, connect.CodeInvalidArgument); err != nil && !strings.Contains(err.Error(), "Unmarshal failed") {
		t.Error(err)
	}
	awaitIdle(t, pool)
}
