package arenahttp_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

type note struct{ n int }

// Every checked build finds a goroutine that uses its request's memory after the request.
func TestOutlivingIsFound(t *testing.T) {
	if !check.On {
		t.Skip("a build without the checks for misuse")
	}
	if os.Getenv("EBBPOOL_OUTLIVE") != "" {
		outlive()
		return
	}
	child := testkit.Self(t.Context(), t, "-test.run=^TestOutlivingIsFound$")
	child.Env = append(os.Environ(), "EBBPOOL_OUTLIVE=1")
	if out, err := child.CombinedOutput(); err == nil {
		t.Errorf("nothing was found:\n%s", out)
	}
}

func outlive() {
	pool := arena.NewAutoPool(0)
	ended, done := make(chan bool), make(chan bool)
	h := arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := arena.New[note](arena.FromContext(r.Context()))
		go func() { //arenavet:ignore the goroutine outlives the request
			if !check.Race || check.Tag { // under the race detector nothing may order the two accesses
				<-ended
			}
			x.n++
			close(done)
		}()
	}))
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	close(ended)
	<-done
}
