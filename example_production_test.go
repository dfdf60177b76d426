//go:build !asan && !arenacheck

// In checked builds, redzones also count towards a limit.

package arena_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/ebbpool/arena"
)

// limited responds to requests over a limit: with 413 if the request is too large, and with 503 if it would
// fit without other requests.
func limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			v := recover()
			var over *arena.LimitError
			if err, _ := v.(error); !errors.As(err, &over) {
				if v != nil {
					panic(v)
				}
				return
			}
			status := http.StatusRequestEntityTooLarge
			if over.Retry {
				status = http.StatusServiceUnavailable
			}
			http.Error(w, http.StatusText(status), status)
		}()
		next.ServeHTTP(w, r)
	})
}

// A handler reads bodies into arenas of at most 64 KB each and 80 KB in total. Middleware turns exceeded
// limits into responses; other requests are not affected.
func ExampleArenaPool_SetLimit() {
	bodies := arena.NewArenaPool(4<<10, 0)
	bodies.SetLimit(64<<10, 80<<10) // bytes: of one request, and of all requests
	server := limited(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		bodies.Do(func(a *arena.Arena) { // Do also puts the arena back if the limit panics
			var body []byte
			var piece [1024]byte
			for {
				n, err := r.Body.Read(piece[:])
				body = arena.Append(a, body, piece[:n]...)
				if err != nil {
					break
				}
			}
			fmt.Fprintln(w, len(body))
		})
	}))
	post := func(size int) {
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequest("POST", "/", io.LimitReader(endless{}, int64(size))))
		fmt.Println(w.Code, strings.TrimSpace(w.Body.String()))
	}
	post(10_000)
	post(100_000)

	other := bodies.Get() // another request in progress
	other.AllocBytes(60 << 10)
	note := other.AllocString("untouched")
	post(15_000)
	fmt.Println(note)
	bodies.Put(other)
	post(15_000)
	fmt.Println(bodies.Stats().Refused)
	// Output:
	// 200 10000
	// 413 Request Entity Too Large
	// 503 Service Unavailable
	// untouched
	// 200 15000
	// 2
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func ExampleArena_SetLimit() {
	a := arena.NewArena(4096, 0)
	a.SetLimit(10_000)
	defer func() {
		var over *arena.LimitError
		err, _ := recover().(error)
		fmt.Println(errors.As(err, &over))
		fmt.Println(over)
	}()
	a.AllocBytes(20_000)
	// Output:
	// true
	// arena: allocation of 20000 bytes exceeds the limit of the arena: 0 of 10000 bytes in use
}

func ExampleArenaPool_SetLeakSampling() {
	requests := arena.NewAutoPool(0)
	if err := requests.SetLimitsFromEnvironment(0.5); err != nil { // neither GOMEMLIMIT nor a control group
		requests.SetLimit(8<<20, 256<<20) // 8 MB per request, 256 MB for all requests
	}
	requests.SetMaxIdleBytes(32 << 20)
	requests.SetLeakSampling(100) // one Get in 100 keeps its stack
	requests.Do(func(a *arena.Arena) {
		fmt.Println(a.AllocString("request"))
	})
	fmt.Println(requests.Stats().Leaked)
	for _, leak := range requests.Leaks() {
		fmt.Println(leak) // the number of leaks and the stack of their Get
	}
	// Output:
	// request
	// 0
}

// A service with bursts of requests and pauses in between lets its pool retain more memory than the default.
func ExampleArenaPool_SetMaxIdleBytes() {
	bursts := arena.NewArenaPool(64<<10, 0)
	bursts.SetMaxIdleBytes(128 << 20) // 128 MB; 0 means none, like a sync.Pool
	bursts.Do(func(a *arena.Arena) {
		fmt.Println(a.AllocString("warm after a pause, too"))
	})
	// Output:
	// warm after a pause, too
}

// The fields from which a response to an exceeded limit can be made.
func ExampleLimitError() {
	pool := arena.NewArenaPool(4096, 0)
	pool.SetLimit(0, 64<<10) // for all requests together
	busy := pool.Get()
	busy.AllocBytes(40_000)
	defer pool.Put(busy)
	defer func() {
		var over *arena.LimitError
		if err, _ := recover().(error); errors.As(err, &over) {
			fmt.Println(over.Pool, over.Limit, over.Retry) // it fits once busy is put back
		}
	}()
	pool.Do(func(a *arena.Arena) { a.AllocBytes(40_000) })
	// Output: true 65536 true
}

// A function lacks a Put, and the pool reports which.
func ExampleArenaPool_Leaks() {
	pool := arena.NewArenaPool(4096, 0)
	pool.SetLeakSampling(1) // every Get; in production, one in 100
	func() {
		//arenavet:ignore the example shows a leak
		pool.Get()
	}()
	for pool.Stats().Leaked == 0 {
		runtime.GC() // the collector finds leaks
		time.Sleep(time.Millisecond)
	}
	for _, leak := range pool.Leaks() {
		fmt.Println(leak.Count, strings.Contains(leak.String(), "ExampleArenaPool_Leaks"))
	}
	// Output: 1 true
}

// In production one arena in 1,000 is guarded. Uses of its memory after Put are reported.
func ExampleArenaPool_SetMisuseSampling() {
	requests := arena.NewAutoPool(0)
	requests.SetMisuseSampling(1000, func(r *arena.MisuseReport) {
		fmt.Println(r) // the kind of use, and the stacks of the use, of Get and of Put
	})
	requests.Do(func(a *arena.Arena) {
		fmt.Println(a.AllocString("request"))
	})
	// Output: request
}

// Is a fault one of arenas? Without a new build, all values go to the heap.
func ExampleLogGuarded() {
	f, err := os.OpenFile("/var/log/shop/crash.log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Println(err)
		return
	}
	debug.SetCrashOutput(f, debug.CrashOptions{}) // the address and the stack of a fault
	arena.LogGuarded(f)                           // the arena at that address
}

func ExampleSetEnabled() {
	pool := arena.NewAutoPool(0)
	arena.SetEnabled(false) // like EBBPOOL=off in the environment
	defer arena.SetEnabled(true)
	pool.Do(func(a *arena.Arena) {
		fmt.Println(a.AllocString("on the heap"), pool.Stats().Mode)
	})
	// Output: on the heap heap
}

// A request's text is kept too long. Because the pool isolates, it never shows another request's data.
func ExampleArenaPool_SetIsolation() {
	tenants := arena.NewArenaPool(64<<10, 0)
	tenants.SetIsolation(true)
	a := tenants.Get()
	kept := a.AllocString("mine") // a mistake: kept after Put
	tenants.Put(a)
	tenants.Do(func(a *arena.Arena) { a.AllocString("else") })
	fmt.Println(kept, tenants.Stats().UsedLate) //arenavet:ignore the mistake, on purpose: mine 0
	// Output: mine 0
}

func ExampleSetIsolation() {
	pool := arena.NewAutoPool(0)
	arena.SetIsolation(true) // like EBBPOOL=isolated in the environment
	defer arena.SetIsolation(false)
	pool.Do(func(a *arena.Arena) {
		fmt.Println(a.AllocString("in memory that no other request had"))
	})
	// Output: in memory that no other request had
}
