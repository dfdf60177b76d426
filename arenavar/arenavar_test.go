package arenavar

import (
	"encoding/json"
	"errors"
	"expvar"
	"net/http/httptest"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
	"github.com/ebbpool/arena/internal/testkit"
)

var runs int // number of runs of tests that publish

// Served statistics are those at the time of the request, and reading them while the pool is busy is safe
// under -race.
func TestPublish(t *testing.T) {
	requests := arena.NewArenaPool(1000, 0)
	orders := fixedpool.NewSync[[2]uint64](3)
	runs++ // names stay in use when the test runs again
	run := strconv.Itoa(runs)
	Publish("requests"+run, requests)
	PublishFixed("orders"+run, orders)

	held := requests.Get()
	held.AllocBytes(100)
	orders.Allocate()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				requests.Do(func(a *arena.Arena) { a.AllocBytes(5000) })
				if x := orders.Allocate(); x != nil {
					orders.Deallocate(x)
				}
			}
		})
		wg.Go(func() {
			for range 20 {
				expvar.Handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/debug/vars", nil))
			}
		})
	}
	wg.Wait()

	w := httptest.NewRecorder()
	expvar.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/debug/vars", nil))
	var served struct {
		Requests arena.PoolStats
		Orders   fixedpool.Stats
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(w.Body.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(json.Unmarshal(all["requests"+run], &served.Requests), json.Unmarshal(all["orders"+run], &served.Orders)); err != nil {
		t.Fatal(err)
	}
	now := requests.Stats()
	now.Arenas = served.Requests.Arenas // a collection may drop arenas at any time
	if s := served.Requests; s != now || s.Gets != 801 || s.Puts != 800 || s.InUseBytes != 1000 {
		t.Errorf("served %+v, the pool has %+v", s, now)
	}
	requests.Put(held)
	if s := served.Orders; s != orders.Stats() || s.Used != 1 || s.Capacity != 3 || s.UsedBytes != 16 {
		t.Errorf("served %+v, the pool has %+v", s, orders.Stats())
	}
}

// A nil pool panics when it is published, not when it is first read.
func TestPublishNil(t *testing.T) {
	for name, f := range map[string]func(){
		"Publish(x)":      func() { Publish("x", nil) },
		"PublishFixed(y)": func() { PublishFixed[int]("y", nil) },
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, name) {
					t.Errorf("panicked with %q, which does not name %s", text, name)
				}
			}()
			f()
		}()
	}
}

// The reason for separate packages: a program that only allocates contains neither expvar's handler nor
// runtime/pprof. Package fmt is imported for Sprintf; the linker removes it from programs that do not call
// Sprintf.
func TestAllocatorStaysLight(t *testing.T) {
	goTool := testkit.GoTool(t)
	out, err := exec.Command(goTool, "list", "-deps", "github.com/ebbpool/arena").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.Lines(string(out)) {
		switch name = strings.TrimSpace(name); name {
		case "expvar", "net/http", "runtime/pprof":
			t.Errorf("package arena imports %s", name)
		}
	}
}

// A KeyedPool is published like an ArenaPool, without its keys.
func TestPublishKeyed(t *testing.T) {
	p := arena.NewKeyedPool[string](0)
	p.Put(p.Get("secret"))
	runs++
	name := "keyed" + strconv.Itoa(runs)
	Publish(name, p)
	text := expvar.Get(name).String()
	if !strings.Contains(text, `"Keys":1,`) || strings.Contains(text, "secret") {
		t.Errorf("served %s", text)
	}
}
