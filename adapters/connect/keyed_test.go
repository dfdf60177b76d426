package arenaconnect_test

import (
	"net/http"
	"testing"

	"connectrpc.com/connect"

	"github.com/ebbpool/arena"
	arenaconnect "github.com/ebbpool/arena/adapters/connect"
)

func TestHandlerBy(t *testing.T) {
	p := arena.NewKeyedPool[string](0)
	key := func(r *http.Request) string { return r.Header.Get("Tenant") }
	s := &service{unary: echo}
	clients := start(t, arenaconnect.HandlerBy(p, key, s.handler(arenaconnect.Option())))
	for _, tenant := range []string{"a", "b", "a"} {
		r := connect.NewRequest(api("text of " + tenant))
		r.Header().Set("Tenant", tenant)
		reply, err := clients().unary.CallUnary(within(t), r)
		if err != nil {
			t.Fatal(err)
		}
		isEcho(t, "text of "+tenant, reply.Msg)
	}
	if s := p.Stats(); s.Keys != 2 || s.Gets != 3 {
		t.Errorf("%+v", s)
	}
	defer func() {
		if recover() == nil {
			t.Error("a nil key does not panic")
		}
	}()
	arenaconnect.HandlerBy(p, nil, http.NotFoundHandler())
}
