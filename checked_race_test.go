//go:build race

package arena

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// A goroutine that serves requests of its own from the same pool still has no
// business with another one's memory. What the pool counts for both would be an
// order between them, and the race detector would say nothing.
func TestRaceIsSeenThroughThePool(t *testing.T) {
	needsChecks(t)
	const child = "EBBPOOL_TEST_STALE_READ"
	if os.Getenv(child) != "" {
		staleRead()
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestRaceIsSeenThroughThePool$")
	cmd.Env = append(os.Environ(), child+"=1")
	out, _ := cmd.CombinedOutput()
	if text := string(out); !strings.Contains(text, "DATA RACE") || !strings.Contains(text, "Put") {
		t.Errorf("the stale read was not reported:\n%s", text)
	}
}

// staleRead reads what another goroutine put back before both of them served
// a request. The order is by time alone, which the detector doesn't know.
func staleRead() {
	p := NewArenaPool(1024, 0)
	request := func(then func()) {
		p.Do(func(a *Arena) {
			New[int](a)
			then()
		})
	}
	values, done := make(chan *int, 1), make(chan struct{})
	go func() {
		a := p.Get()
		values <- New[int](a)
		time.Sleep(100 * time.Millisecond)
		p.Put(a)
		request(func() {})
	}()
	go func() {
		defer close(done)
		x := <-values
		time.Sleep(400 * time.Millisecond)
		request(func() { sinkInt = *x })
	}()
	<-done
}

// sinkInt keeps the compiler from leaving out a read.
var sinkInt int
