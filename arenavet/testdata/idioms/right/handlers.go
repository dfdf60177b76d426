package right

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
)

type api struct {
	mu     sync.Mutex
	seen   map[string]int
	latest *Result
	byName sync.Map
	log    chan string
}

func parse(ctx context.Context, text string) *Result {
	a := arena.FromContext(ctx)
	res := arena.NewOf(a, Result{Name: a.ToLower(text)})
	for w := range strings.FieldsSeq(text) {
		res.Tags = arena.Append(a, res.Tags, w)
	}
	return res
}

// idiom: a handler that copies what it keeps

func (s *api) keep(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	res := parse(r.Context(), r.URL.Path)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[strings.Clone(res.Name)]++
	s.latest = arena.Escape(a, res)
	s.byName.Store(strings.Clone(res.Name), len(res.Tags))
	s.log <- fmt.Sprint(res.Name)
	arenahttp.Write(w, r, http.StatusOK, res)
}

// idiom: a handler as a function literal that copies

func newHandler() http.Handler {
	seen := map[string]bool{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := arena.FromContext(r.Context()).ToLower(r.URL.Path)
		if !seen[name] {
			seen[strings.Clone(name)] = true
		}
	})
}

// idiom: a handler that waits for the answer of a goroutine

func (s *api) wait(w http.ResponseWriter, r *http.Request) {
	res := parse(r.Context(), r.URL.Path)
	done := make(chan int)
	go func() { done <- len(res.Name) + len(res.Tags) }()
	fmt.Fprintln(w, <-done)
}

// idiom: an object for each request, with methods of a handler

type call struct {
	r    *http.Request
	name string
	tags []string
}

func (c *call) serve(w http.ResponseWriter, r *http.Request) {
	res := parse(r.Context(), r.URL.Path)
	c.name, c.tags = res.Name, res.Tags
	arenahttp.Write(w, r, http.StatusOK, c.tags)
}

func serveCall(w http.ResponseWriter, r *http.Request) { (&call{r: r}).serve(w, r) }

// idiom: a value for later handlers of gin

func (s *api) before(c *gin.Context) {
	res := parse(c.Request.Context(), c.Request.URL.Path)
	c.Set("result", res)
	c.Request = c.Request.WithContext(context.WithValue(c.Request.Context(), userKey{}, res.Name))
}

// idiom: a field that is empty again when the handler returns

func (s *api) current(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latest = parse(r.Context(), r.URL.Path)
	defer func() { s.latest = nil }()
	fmt.Fprintln(w, s.latest.Name)
}

// idiom: a global of heap values that a context's arena helps to make

var totals = map[string]int{}

func total(ctx context.Context, lines []string) {
	a := arena.FromContext(ctx)
	list := arena.NewMap[string, int](a, len(lines))
	for _, l := range lines {
		n, _ := list.Get(l)
		list.Set(a.ToLower(l), n+1)
	}
	for k, n := range list.All() {
		totals[strings.Clone(k)] = n
	}
}

// idiom: a goroutine that asks its context for an arena

func (s *api) ask(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	go func() { fmt.Println(len(parse(r.Context(), "later").Tags)) }()
	fmt.Fprintln(w, a.ToLower(r.URL.Path))
}
