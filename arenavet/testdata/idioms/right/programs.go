package right

import (
	"context"
	"encoding/json"
	"fmt"
	"html/template"
	"log"
	"net/http"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"example.com/grpc/pb"
	"github.com/ebbpool/arena"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"
	"github.com/ebbpool/arena/arenahttp"
)

// idiom: a view that is made for each request and renders itself

type view struct {
	Title string
	Items []string
}

var page = template.Must(template.New("page").Parse("{{.Title}}"))

func (v *view) render(w http.ResponseWriter, ctx context.Context, path string) {
	a := arena.FromContext(ctx)
	v.Title = a.ToUpper(path)
	v.Items = arena.Append(a, v.Items, a.Concat("item of ", path))
	page.Execute(w, v)
}

func show(w http.ResponseWriter, r *http.Request) {
	v := &view{}
	v.render(w, r.Context(), r.URL.Path)
}

// idiom: middleware that records the status of a response

type recorder struct {
	http.ResponseWriter
	status int
	line   string
}

func (r *recorder) WriteHeader(status int) { r.status = status; r.ResponseWriter.WriteHeader(status) }

func logging(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := &recorder{ResponseWriter: w}
		rec.line = arena.FromContext(r.Context()).Concat(r.Method, r.URL.Path)
		next.ServeHTTP(rec, r)
		log.Println(rec.line, rec.status)
	})
}

// idiom: a limiter with a key of the request, looked up and copied when it is new

type limiter struct {
	mu   sync.Mutex
	hits map[string]*atomic.Int64
}

func (l *limiter) allow(w http.ResponseWriter, r *http.Request) bool {
	key := arena.FromContext(r.Context()).Concat(r.RemoteAddr, r.URL.Path)
	l.mu.Lock()
	n := l.hits[key]
	if n == nil {
		n = new(atomic.Int64)
		l.hits[strings.Clone(key)] = n
	}
	l.mu.Unlock()
	if n.Add(1) > 100 {
		http.Error(w, "slow down", http.StatusTooManyRequests)
		return false
	}
	return true
}

// idiom: a pool of workers with an arena each

type job struct {
	line string
	done chan int
}

func workers(jobs <-chan job, n int) {
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			a := arena.NewArena(0, 0)
			for j := range jobs {
				fields := arena.Collect(a, strings.FieldsSeq(j.line))
				j.done <- len(fields)
				a.Reset()
			}
		})
	}
	wg.Wait()
}

// idiom: a handler that sends a job of the heap to a worker

func (s *api) enqueue(jobs chan<- job) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		name := a.ToLower(r.URL.Path)
		j := job{line: strings.Clone(name), done: make(chan int, 1)}
		jobs <- j
		fmt.Fprintln(w, name, <-j.done)
	}
}

// idiom: a handler that fans out, each goroutine with an arena of its own

func fan(pool *arena.ArenaPool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		parts := strings.Split(r.URL.Path, "/")
		lengths := make([]int, len(parts))
		var wg sync.WaitGroup
		for i, p := range parts {
			wg.Go(func() {
				pool.Do(func(a *arena.Arena) { lengths[i] = len(a.ToUpper(p)) })
			})
		}
		wg.Wait()
		json.NewEncoder(w).Encode(lengths)
	}
}

// idiom: an error that carries a copy

type badName struct{ name string }

func (e *badName) Error() string { return "bad name " + e.name }

func (s *api) checked(w http.ResponseWriter, r *http.Request) error {
	name := arena.FromContext(r.Context()).ToLower(r.URL.Path)
	if strings.Contains(name, "..") {
		return &badName{strings.Clone(name)}
	}
	_, err := fmt.Fprintln(w, name)
	return err
}

// idiom: a sorted list of a request in a handler value without fields

type sorted struct{}

func (sorted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	var words []string
	for _, f := range strings.Split(r.URL.RawQuery, "&") {
		words = arena.Append(a, words, a.ToLower(f))
	}
	sort.Strings(words)
	arenahttp.Write(w, r, http.StatusOK, words)
}

// idiom: metrics with numbers of a request

type metrics struct {
	bytes   atomic.Int64
	slowest atomic.Pointer[string]
	last    time.Time
}

func (m *metrics) observe(w http.ResponseWriter, r *http.Request) {
	res := parse(r.Context(), r.URL.Path)
	m.bytes.Add(int64(len(res.Name)))
	m.last = time.Now()
	name := strings.Clone(res.Name)
	m.slowest.Store(&name)
	w.Header().Set("X-Length", strconv.Itoa(len(res.Name)))
	w.Header().Set("X-Name", res.Name)
}

// idiom: a gRPC service that answers from its request and caches numbers

type ledger struct {
	pb.UnimplementedOrdersServer
	mu    sync.Mutex
	lines map[string]int
	last  *pb.Receipt
}

func (c *ledger) Create(ctx context.Context, r *pb.Order) (*pb.Receipt, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.lines[r.Name]; !ok {
		c.lines[strings.Clone(r.Name)] = 0
	}
	c.lines[strings.Clone(r.Name)] += len(r.Lines)
	done := make(chan struct{})
	go func() { defer close(done); fmt.Println(r.Name) }()
	<-done
	return &pb.Receipt{}, nil
}

func newLedger() *grpc.Server {
	s := grpc.NewServer(grpc.ForceServerCodecV2(arenagrpc.Codec()))
	pb.RegisterOrdersServer(arenagrpc.Wrap(s, pool), &ledger{lines: map[string]int{}})
	return s
}

// idiom: a handler that hands its buffer back to a sync.Pool, emptied

var lists = sync.Pool{New: func() any { return new([]string) }}

func pooled(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	l := lists.Get().(*[]string)
	*l = append(*l, a.ToLower(r.URL.Path))
	fmt.Fprintln(w, strings.Join(*l, ","))
	clear(*l)
	*l = (*l)[:0]
	lists.Put(l)
}

// idiom: a handler that streams events

func events(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	prefix := a.Concat("data: ", r.URL.Path)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case t := <-tick.C:
			m := a.Mark()
			fmt.Fprintln(w, a.Sprintf("%s %d", prefix, t.Unix()))
			a.Rewind(m)
		}
	}
}

// idiom: options of a builder that lives for a request

type builder struct {
	a     *arena.Arena
	parts []string
}

func newBuilder(ctx context.Context) *builder {
	a := arena.FromContext(ctx)
	return arena.NewOf(a, builder{a: a})
}

func (b *builder) with(s string) *builder {
	b.parts = arena.Append(b.a, b.parts, b.a.ToLower(s))
	return b
}

func (b *builder) writeTo(w http.ResponseWriter) { fmt.Fprintln(w, b.parts) }

func built(w http.ResponseWriter, r *http.Request) {
	newBuilder(r.Context()).with(r.Method).with(r.URL.Path).writeTo(w)
}

// idiom: a state machine for each request, with steps as methods

type machine struct {
	name  string
	next  func(http.ResponseWriter, *http.Request)
	steps int
}

func (m *machine) first(w http.ResponseWriter, r *http.Request) {
	m.name = arena.FromContext(r.Context()).ToLower(r.URL.Path)
	m.next = m.second
}

func (m *machine) second(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintln(w, m.name)
	m.next = nil
}

func run(w http.ResponseWriter, r *http.Request) {
	m := machine{}
	m.next = m.first
	for m.next != nil {
		m.next(w, r)
		m.steps++
	}
}

// idiom: a result that a closure of the handler fills

func closure(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	var names []string
	add := func(w http.ResponseWriter, s string) {
		names = arena.Append(a, names, a.ToLower(s))
	}
	first := ""
	each := func(w http.ResponseWriter, r *http.Request) {
		add(w, r.Method)
		first = arena.FromContext(r.Context()).ToLower(r.URL.Path)
	}
	each(w, r)
	for p := range strings.SplitSeq(r.URL.Path, "/") {
		add(w, p)
	}
	fmt.Fprintln(w, first, names)
}
