package wrong

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"example.com/idioms/wrong/shared"
	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
)

type api struct {
	mu    sync.Mutex
	seen  map[string]int
	last  *shared.User
	cache shared.Cache
	queue shared.Queue
	names sync.Map
	log   chan string
}

var users = shared.Cache{}

// idiom: a handler that counts by name

func (s *api) count(w http.ResponseWriter, r *http.Request) {
	name := arena.FromContext(r.Context()).ToLower(r.URL.Path)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[name]++
}

// idiom: a handler that keeps what it has read

func (s *api) create(w http.ResponseWriter, r *http.Request) {
	var u shared.User
	if err := arenahttp.Read(r, &u); err != nil {
		http.Error(w, err.Error(), arenahttp.Status(err))
		return
	}
	s.cache.Put(&u)
}

// idiom: a handler with a cache that is a global of its package

func cached(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	users.Put(arena.NewOf(a, shared.User{Name: r.URL.Path}))
}

// idiom: a handler whose helper of another package allocates

func (s *api) helped(w http.ResponseWriter, r *http.Request) {
	s.last = shared.Parse(r.Context(), r.URL.Path)
}

// idiom: a handler as a function literal with a captured map

func newHandler() http.Handler {
	seen := map[string]bool{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen[arena.FromContext(r.Context()).AllocString(r.URL.Path)] = true
	})
}

// idiom: a handler whose goroutine goes on

func (s *api) logged(w http.ResponseWriter, r *http.Request) {
	text := arena.FromContext(r.Context()).Concat(r.Method, r.URL.Path)
	go func() { println(text) }()
}

// idiom: a handler whose callback another package calls later

func (s *api) async(w http.ResponseWriter, r *http.Request) {
	u := shared.Parse(r.Context(), r.URL.Path)
	shared.Async(func() { println(u.Name) })
}

// idiom: a handler that pushes to a queue of another package

func (s *api) pushed(w http.ResponseWriter, r *http.Request) {
	s.queue.TryPush(shared.Parse(r.Context(), r.URL.Path))
}

// idiom: a handler with a sync.Map and a derived context

func (s *api) mapped(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), time.Second)
	defer cancel()
	s.names.Store(arena.FromContext(ctx).ToUpper(r.URL.Path), true)
}

// idiom: a handler that sends on a channel

func (s *api) sent(w http.ResponseWriter, r *http.Request) {
	s.log <- arena.FromContext(r.Context()).Concat(r.Method, r.URL.Path)
}

// idiom: a handler of gin

func (s *api) gin(c *gin.Context) {
	a := arena.FromContext(c.Request.Context())
	s.seen[a.ToLower(c.Request.URL.Path)]++
}

// idiom: a helper with a context that stores in a global

var current *shared.User

func remember(ctx context.Context, text string) {
	current = arena.NewOf(arena.FromContext(ctx), shared.User{Name: text})
}

// idiom: a handler whose goroutine uses its arena

func (s *api) shared(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	go func() { a.AllocString("later") }()
	a.AllocString(r.URL.Path)
}

// idiom: a handler that stores an element in a callback of another package

func (s *api) each(w http.ResponseWriter, r *http.Request) {
	u := shared.Parse(r.Context(), r.URL.Path)
	shared.Each(strings.Fields(u.Name), func(name string) { s.seen[name]++ })
}
