package wrong

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"example.com/grpc/pb"
	"example.com/idioms/wrong/shared"
	"github.com/ebbpool/arena"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"
	"github.com/ebbpool/arena/arenahttp"
)

type site struct {
	mu      sync.RWMutex
	hits    map[string]*atomic.Int64
	latest  atomic.Pointer[shared.User]
	recent  []string
	jobs    chan job
	onClose []func()
	err     error
	byTeam  map[string][]shared.User
	ring    [8]string
	n       int
	top     struct{ name string }
	inner   *site
}

type job struct {
	name string
	done chan int
}

// idiom: a limiter whose key is text of the request

func (s *site) limit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := arena.FromContext(r.Context()).Concat(r.RemoteAddr, r.URL.Path)
		s.mu.Lock()
		n := s.hits[key]
		if n == nil {
			n = new(atomic.Int64)
			s.hits[key] = n
		}
		s.mu.Unlock()
		n.Add(1)
		next.ServeHTTP(w, r)
	})
}

// idiom: the newest value in an atomic pointer

func (s *site) newest(w http.ResponseWriter, r *http.Request) {
	u := arena.NewOf(arena.FromContext(r.Context()), shared.User{})
	s.latest.Store(u)
}

// idiom: a list of recent paths in the receiver

func (s *site) visited(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recent = append(s.recent, arena.FromContext(r.Context()).ToLower(r.URL.Path))
}

// idiom: a ring of recent paths

func (s *site) ringed(w http.ResponseWriter, r *http.Request) {
	s.ring[s.n%len(s.ring)] = arena.FromContext(r.Context()).ToLower(r.URL.Path)
	s.n++
}

// idiom: a job for a worker pool

func (s *site) submit(w http.ResponseWriter, r *http.Request) {
	j := job{name: arena.FromContext(r.Context()).ToLower(r.URL.Path), done: make(chan int, 1)}
	select {
	case s.jobs <- j:
	default:
		http.Error(w, "busy", http.StatusServiceUnavailable)
	}
}

// idiom: a callback for the server's end

func (s *site) closing(w http.ResponseWriter, r *http.Request) {
	name := arena.FromContext(r.Context()).ToLower(r.URL.Path)
	s.onClose = append(s.onClose, func() { fmt.Println(name) })
}

// idiom: the last error with text of the request

func (s *site) failed(w http.ResponseWriter, r *http.Request) {
	var u shared.User
	if err := arenahttp.Read(r, &u); err == nil {
		s.err = fmt.Errorf("user %w", errors.New(u.Name))
	}
}

// idiom: elements of what was read in a map of slices

func (s *site) team(w http.ResponseWriter, r *http.Request) {
	var list []shared.User
	if err := arenahttp.Read(r, &list); err != nil {
		return
	}
	for _, u := range list {
		team := strings.Clone(u.Name)
		s.byTeam[team] = append(s.byTeam[team], u)
	}
}

// idiom: a timer that runs after the request

func (s *site) delayed(w http.ResponseWriter, r *http.Request) {
	name := arena.FromContext(r.Context()).ToLower(r.URL.Path)
	time.AfterFunc(time.Second, func() { fmt.Println(name) })
}

// idiom: a method of the server that stores for its handler

func (s *site) note(name string) { s.inner.top.name = name }

func (s *site) noted(w http.ResponseWriter, r *http.Request) {
	s.note(strings.TrimSpace(arena.FromContext(r.Context()).ToLower(r.URL.Path)))
}

// idiom: a generic adapter that decodes for a function, and keeps the last value

func decoded[T any](h func(context.Context, *T) error) http.HandlerFunc {
	var last *T
	return func(w http.ResponseWriter, r *http.Request) {
		in := arena.New[T](arena.FromContext(r.Context()))
		if err := arenahttp.Read(r, in); err != nil {
			http.Error(w, err.Error(), arenahttp.Status(err))
			return
		}
		if err := h(r.Context(), in); err != nil && last == nil {
			last = in
		}
	}
}

// idiom: a gRPC service that publishes to its subscribers

type feed struct {
	pb.UnimplementedOrdersServer
	mu   sync.Mutex
	subs map[chan *pb.Order]struct{}
}

func (f *feed) Create(_ context.Context, r *pb.Order) (*pb.Receipt, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.subs {
		select {
		case c <- r:
		default:
		}
	}
	return &pb.Receipt{}, nil
}

func newFeed() {
	s := grpc.NewServer(grpc.ForceServerCodecV2(arenagrpc.Codec()))
	pb.RegisterOrdersServer(arenagrpc.Wrap(s, pool), &feed{})
}

// idiom: a gRPC service that goes on in a goroutine

type goesOn struct {
	pb.UnimplementedOrdersServer
}

func (goesOn) Create(ctx context.Context, r *pb.Order) (*pb.Receipt, error) {
	go func() {
		time.Sleep(time.Second)
		fmt.Println(r.Name, len(r.Lines))
	}()
	return &pb.Receipt{}, nil
}

func newAsync() {
	s := grpc.NewServer(grpc.ForceServerCodecV2(arenagrpc.Codec()))
	pb.RegisterOrdersServer(arenagrpc.Wrap(s, pool), goesOn{})
}

// idiom: a worker that returns memory of the arena it resets

func work(lines <-chan string, out chan<- []string) {
	a := arena.NewArena(0, 0)
	for l := range lines {
		fields := arena.Collect(a, strings.FieldsSeq(l))
		out <- fields
		a.Reset()
	}
}

// idiom: a worker pool whose workers share an arena

func workersOf(lines []string) {
	a := arena.NewArena(0, 0)
	var wg sync.WaitGroup
	for _, l := range lines {
		wg.Add(1)
		go func() {
			defer wg.Done()
			a.ToLower(l)
		}()
	}
	wg.Wait()
}

// idiom: a batch that is flushed after its arena was put back

type batch struct {
	mu    sync.Mutex
	lines []string
}

func (b *batch) fill(p *arena.ArenaPool, text string) {
	p.Do(func(a *arena.Arena) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.lines = append(b.lines, a.ToLower(text))
	})
}
