package arenahttp

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/goroutine"
)

// HTTP/2's header compression keeps fields as long as the connection. They must not keep the request alive.
func TestHeaderOfHTTP2(t *testing.T) {
	for major := 1; major <= 2; major++ {
		q := &request{Context: t.Context()}
		r := httptest.NewRequest("GET", "/", nil).WithContext(q)
		r.ProtoMajor = major
		if setHeader(http.Header{}, r, 10); q.answer.taken.Load() != (major == 1) {
			t.Errorf("HTTP/%d: wrong memory", major)
		}
	}
}

// An arena lent to a worker that has not begun must not go to another worker that began earlier.
// TimeoutHandler's goroutines cannot be delayed for this, so the test calls their functions directly.
func TestLentToWhoHasNotBegun(t *testing.T) {
	q := &request{Context: t.Context(), pool: arena.NewAutoPool(0)}
	q.begin(httptest.NewRequest("GET", "/", nil))
	a := q.ask(goroutine.Self())
	var lent, other worker
	q.join(&lent)
	q.join(&other)
	for _, x := range []struct {
		w    *worker
		want *arena.Arena
	}{{&other, nil}, {&lent, a}} {
		entered := make(chan bool)
		go func() {
			q.enter(x.w)
			if got := arena.FromContext(q); got != x.want {
				t.Errorf("%p, want %p", got, x.want)
			}
			close(entered)
			<-t.Context().Done()
		}()
		<-entered
	}
}
