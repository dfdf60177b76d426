package arenaconnect_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/apipb"

	"github.com/ebbpool/arena"
	arenaconnect "github.com/ebbpool/arena/adapters/connect"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/goroutine"
	"github.com/ebbpool/arena/internal/testkit"
)

// handlers returns functions that serve calls in turn, without and with arenas. Each call's request describes
// the given number of methods.
func handlers(tb testing.TB, methods ...int) (theirs, ours func(), size int) {
	bodies := make([][]byte, len(methods))
	for i, n := range methods {
		m := &apipb.Api{}
		for i := range n {
			m.Methods = append(m.Methods, &apipb.Method{Name: fmt.Sprint("method number ", i), RequestTypeUrl: "type.test/Request", ResponseTypeUrl: "type.test/Response"})
		}
		body, err := proto.Marshal(m)
		if err != nil {
			tb.Fatal(err)
		}
		bodies[i], size = body, size+len(body)
	}
	s := &service{unary: func(_ context.Context, r *request) (*response, error) {
		return connect.NewResponse(&apipb.Api{Version: fmt.Sprint(len(r.Msg.Methods))}), nil
	}}
	serve := func(h http.Handler) func() {
		return func() {
			for _, body := range bodies {
				r := httptest.NewRequest("POST", "/test/Unary", bytes.NewReader(body))
				r.Header.Set("Content-Type", "application/proto")
				w := &discard{Writer: io.Discard, header: http.Header{}}
				if h.ServeHTTP(w, r); w.status != 0 && w.status != 200 {
					tb.Fatal(w.status)
				}
			}
		}
	}
	return serve(s.handler()), serve(arenaconnect.Handler(arena.NewAutoPool(0), s.handler(arenaconnect.Option()))), size
}

type discard struct {
	io.Writer
	header http.Header
	status int
}

func (d *discard) Header() http.Header    { return d.header }
func (d *discard) WriteHeader(status int) { d.status = status }

func BenchmarkUnary(b *testing.B) {
	for _, n := range []int{0, 20, 160, 1500} {
		theirs, ours, _ := handlers(b, n)
		b.Run(fmt.Sprint("messages=", n), func(b *testing.B) { testkit.Duel(b, theirs, ours) })
	}
	theirs, ours, _ := handlers(b, append(slices.Repeat([]int{20}, 15), 1500)...)
	b.Run("messages=20,_one_in_16_of_1500", func(b *testing.B) { testkit.Duel(b, theirs, ours) })
}

// The documented allocations of a call: its own, and none for the decoded request.
func TestAllocations(t *testing.T) {
	if check.On || goroutine.Traced {
		t.Skip("checked builds allocate, and so does a stack trace, which tells who reads")
	}
	for _, n := range []int{0, 20, 160} {
		theirs, ours, size := handlers(t, n)
		plain, with := testing.AllocsPerRun(200, theirs), testing.AllocsPerRun(200, ours)
		if t.Logf("%d bytes: %v allocations, %v with an arena", size, plain, with); with > plain-float64(4*n)+4 {
			t.Errorf("%d bytes: %v allocations, and %v with an arena", size, plain, with)
		}
	}
}
