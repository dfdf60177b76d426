package arenahttp_test

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/goroutine"
	"github.com/ebbpool/arena/internal/testkit"
)

// addresses are the address ranges of a test's arena memory.
type addresses [][2]uintptr

func (x *addresses) add(p unsafe.Pointer, n int) {
	*x = append(*x, [2]uintptr{uintptr(p), uintptr(p) + uintptr(n)})
}

func (x *addresses) text(s string) string {
	x.add(unsafe.Pointer(unsafe.StringData(s)), len(s))
	return s
}

func (x *addresses) list(s []string) []string {
	x.add(unsafe.Pointer(unsafe.SliceData(s)), len(s)*int(unsafe.Sizeof("")))
	return s
}

func (x *addresses) has(p unsafe.Pointer) bool {
	return slices.ContainsFunc(*x, func(r [2]uintptr) bool { return uintptr(p)-r[0] < r[1]-r[0] })
}

// in returns the parts of h that are in these ranges.
func (x *addresses) in(h http.Header) (found []string) {
	for k, vs := range h {
		if k != "" && x.has(unsafe.Pointer(unsafe.StringData(k))) {
			found = append(found, "the field "+k)
		}
		if len(vs) != 0 && x.has(unsafe.Pointer(unsafe.SliceData(vs))) {
			found = append(found, "the slice of "+k)
		}
		for _, v := range vs {
			if v != "" && x.has(unsafe.Pointer(unsafe.StringData(v))) {
				found = append(found, "a value of "+k)
			}
		}
	}
	return found
}

// sending is an http.ResponseWriter with all optional methods. Like net/http, it copies the header map when
// the response begins and sends it at the end.
type sending struct {
	h      http.Header
	sent   []http.Header
	pushed []string
}

func (w *sending) send()                       { w.sent = append(w.sent, maps.Clone(w.h)) }
func (w *sending) Header() http.Header         { return w.h }
func (w *sending) WriteHeader(int)             { w.send() }
func (w *sending) Write(b []byte) (int, error) { w.send(); return len(b), nil }
func (w *sending) Flush()                      { w.send() }
func (w *sending) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.send()
	return nil, nil, nil
}
func (w *sending) Push(target string, opts *http.PushOptions) error {
	w.sent = append(w.sent, opts.Header)
	w.pushed = append(w.pushed, target, opts.Method)
	return nil
}

// begins are the calls that begin a response, and none.
var begins = map[string]func(w http.ResponseWriter){
	"nothing":     func(http.ResponseWriter) {},
	"WriteHeader": func(w http.ResponseWriter) { w.WriteHeader(200) },
	"103":         func(w http.ResponseWriter) { w.WriteHeader(103) },
	"Write":       func(w http.ResponseWriter) { w.Write([]byte("x")) },
	"WriteString": func(w http.ResponseWriter) { io.WriteString(w, "x") },
	"ReadFrom":    func(w http.ResponseWriter) { w.(io.ReaderFrom).ReadFrom(strings.NewReader("x")) },
	"Flush":       func(w http.ResponseWriter) { w.(http.Flusher).Flush() },
	"FlushError":  func(w http.ResponseWriter) { http.NewResponseController(w).Flush() },
	"Hijack":      func(w http.ResponseWriter) { w.(http.Hijacker).Hijack() },
	"panic":       func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
}

// Header values in the arena are copied before they are sent, whatever begins the response. Values on the
// heap stay unchanged, in particular slices shared by many requests.
func TestHeaderOutlivesTheArena(t *testing.T) {
	type owner struct {
		any  any
		list [2]string
	}
	pool, outer := arena.NewAutoPool(0), arena.NewAutoPool(0)
	shared := []string{"shared", "by all"}
	type place struct {
		slice *string
		text  *byte
	}
	placeOf := func(s []string) place { return place{&s[0], unsafe.StringData(s[0])} }
	sharedAt := placeOf(shared)
	rnd := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		pool.SetIsolation(round%2 == 1)
		for name, begin := range begins {
			for _, forks := range []bool{false, true} {
				var lies addresses
				want := http.Header{}
				w := &sending{h: http.Header{}}
				own := map[string]place{} // on the heap
				fill := func(as, from *arena.Arena, kind string) {
					text := func(s string) string {
						switch rnd.IntN(3) {
						case 0:
							return lies.text(as.AllocString(s))
						case 1:
							return lies.text(from.AllocString(s))
						}
						return strings.Clone(s)
					}
					for i := range rnd.IntN(5) {
						var vs []string
						for j := range rnd.IntN(4) {
							vs = append(vs, text(fmt.Sprint("value ", round, i, j)))
						}
						k := text(fmt.Sprintf("%s-%d", kind, i))
						heap := strings.Clone(k)
						want[heap] = nil
						for _, v := range vs {
							want[heap] = append(want[heap], strings.Clone(v))
						}
						switch rnd.IntN(3) {
						case 0:
							vs = lies.list(arena.SliceOf(as, vs...))
						case 1:
							if x := arena.New[owner](as); len(vs) == 2 {
								x.list = [2]string(vs)
								vs = lies.list(x.list[:])
							}
						}
						delete(w.h, k)
						w.h[k] = vs
						if len(vs) != 0 && lies.in(http.Header{k: vs}) == nil && as == from {
							own[heap] = placeOf(vs)
						}
					}
					w.h["Shared"], want["Shared"] = shared, shared
				}
				inner := arenahttp.Handler(pool, http.HandlerFunc(func(x http.ResponseWriter, r *http.Request) {
					a := arena.FromContext(r.Context())
					from := a
					if forks {
						from = a.Fork()
					}
					fill(a, from, "Inner")
					begin(x)
					fill(a, from, "Trailer")
				}))
				h := arenahttp.Handler(outer, http.HandlerFunc(func(x http.ResponseWriter, r *http.Request) {
					a := arena.FromContext(r.Context())
					fill(a, a, "Outer")
					inner.ServeHTTP(x, r)
				}))
				func() {
					defer func() { recover() }()
					h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
				}()
				for i, sent := range append(w.sent, w.h) {
					if found := lies.in(sent); found != nil {
						t.Fatalf("%s, forks %t: header %d has in an arena: %q", name, forks, i, found)
					}
				}
				for k, v := range w.h {
					if !slices.Equal(v, want[k]) {
						t.Fatalf("%s, forks %t: %s is %q, want %q", name, forks, k, v, want[k])
					}
				}
				if len(w.h) != len(want) {
					t.Fatalf("%s, forks %t: %v, want %v", name, forks, w.h, want)
				}
				for k, p := range own {
					if !forks && placeOf(w.h[k]) != p {
						t.Fatalf("%s: %s was copied", name, k)
					}
				}
				if placeOf(shared) != sharedAt || !forks && placeOf(w.h["Shared"]) != sharedAt {
					t.Fatalf("%s, forks %t: a shared slice was written to, or copied", name, forks)
				}
			}
		}
	}
}

// A pushed request is served at any time, also after the request that pushes it.
func TestPushOutlivesTheArena(t *testing.T) {
	w := &sending{h: http.Header{}}
	var lies addresses
	var opts http.PushOptions
	arenahttp.Handler(arena.NewAutoPool(0), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		text := func(s string) string { return lies.text(a.AllocString(s)) }
		opts = http.PushOptions{Method: text("GET"), Header: http.Header{text("X"): lies.list(arena.SliceOf(a, text("y")))}} //arenavet:ignore the text is checked after the request
		if err := w.(http.Pusher).Push(text("/z"), &opts); err != nil {
			t.Error(err)
		}
		if lies.in(opts.Header) == nil {
			t.Error("the caller's options were changed")
		}
	})).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if found := lies.in(w.sent[0]); found != nil || !reflect.DeepEqual(w.sent[0], http.Header{"X": {"y"}}) {
		t.Errorf("%v; in the arena: %q", w.sent[0], found)
	}
	if found := lies.in(http.Header{"pushed": w.pushed}); found != nil || !slices.Equal(w.pushed, []string{"/z", "GET"}) {
		t.Errorf("%q; in the arena: %q", w.pushed, found)
	}
}

// A goroutine that asked for the arena may use the header after the handler has returned, so the header must
// not be read then. The arena is not reused.
func TestHeaderOfAnAbandonedArena(t *testing.T) {
	w := &sending{h: http.Header{}}
	var lies addresses
	s := arena.NewAutoPool(0)
	arenahttp.Handler(s, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		on(t, func() { w.Header().Set("X", lies.text(arena.FromContext(r.Context()).AllocString("y"))) })
	})).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if n := s.Stats(); n.Abandoned != 1 || lies.in(w.h) == nil {
		t.Errorf("%d abandoned, %v", n.Abandoned, w.h)
	}
}

// A header on the heap is checked without allocating. A request without an arena does not check it.
func TestHeaderAllocations(t *testing.T) {
	testkit.NeedsReuse(t)
	if goroutine.Traced || check.Race {
		t.Skip("see TestAllocations")
	}
	value := []string{"value"}
	for _, asks := range []bool{true, false} {
		h := arenahttp.Handler(arena.NewAutoPool(0), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if asks {
				arena.FromContext(r.Context()).AllocString("x")
			}
			w.Header()["X"] = value
			w.WriteHeader(200)
		}))
		w, r := plain{http.Header{}}, httptest.NewRequest("GET", "/", nil)
		if n := testing.AllocsPerRun(1000, func() { h.ServeHTTP(w, r) }); n > 2 {
			t.Errorf("asks %t: %v allocations a request, want 2", asks, n)
		}
	}
}
