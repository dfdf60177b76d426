package right

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"

	"connectrpc.com/connect"
	"github.com/gin-gonic/gin"
	lru "github.com/hashicorp/golang-lru/v2"
	"google.golang.org/grpc"

	"example.com/grpc/pb"
	"github.com/ebbpool/arena"
	arenaconnect "github.com/ebbpool/arena/adapters/connect"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/ebbpool/arena/arenajson"
)

// idiom: a handler of net/http

type server struct {
	mu    sync.Mutex
	seen  map[string]int
	cache *lru.Cache[string, *Result]
}

type order struct {
	Name  string
	Lines []struct{ Text string }
}

func (s *server) create(w http.ResponseWriter, r *http.Request) {
	var o order
	if err := arenahttp.Read(r, &o); err != nil {
		http.Error(w, err.Error(), arenahttp.Status(err))
		return
	}
	a := arena.FromContext(r.Context())
	reply := arena.NewOf(a, Result{Name: a.Concat("order ", o.Name), Count: len(o.Lines)})
	for _, l := range o.Lines {
		reply.Tags = arena.Append(a, reply.Tags, strings.TrimSpace(l.Text))
	}
	s.mu.Lock()
	s.seen[strings.Clone(o.Name)]++
	s.mu.Unlock()
	arenahttp.Write(w, r, http.StatusOK, reply)
}

// idiom: a cache of results, copied

func (s *server) get(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	name := a.ToLower(r.PathValue("name"))
	if hit, ok := s.cache.Get(name); ok {
		arenahttp.Write(w, r, http.StatusOK, hit)
		return
	}
	res := arena.NewOf(a, Result{Name: name})
	s.cache.Add(strings.Clone(name), arena.Escape(a, res))
	arenahttp.Write(w, r, http.StatusOK, res)
}

// idiom: middleware with a value in the context

type userKey struct{}

func withUser(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		user := arena.NewOf(a, Result{Name: a.AllocString(r.Header.Get("User"))})
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), userKey{}, user)))
	})
}

// idiom: routes and a pool around them

func routes(s *server) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /orders", s.create)
	mux.HandleFunc("GET /orders/{name}", s.get)
	return arenahttp.Handler(pool, withUser(mux))
}

func routesBy(s *server) http.Handler {
	return arenahttp.HandlerBy(tenants, func(r *http.Request) string { return strings.Clone(r.Host) }, routes(s))
}

// idiom: a gin handler

func ginHandler(c *gin.Context) {
	a := arena.FromContext(c.Request.Context())
	c.Set("name", a.AllocString("x"))
}

func ginRoutes() http.Handler {
	e := gin.New()
	e.GET("/x", ginHandler)
	return arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { ginHandler(&gin.Context{Request: r}) }))
}

// idiom: a client with a body of its own arena, and a transport that waits

func post(client *http.Client, url string, v any) error {
	a := pool.Get()
	defer pool.Put(a)
	body, err := arenajson.Marshal(a, v)
	if err != nil {
		return err
	}
	res, err := client.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var out Result
	return arenajson.UnmarshalRead(a, res.Body, &out)
}

func newClient() *http.Client { return &http.Client{Transport: arenahttp.Transport(nil)} }

// idiom: a decoder's loop with Reset

func decodeLines(r io.Reader) (n int, err error) {
	a := pool.Get()
	defer pool.Put(a)
	d := arenajson.NewDecoder(a, r)
	for d.More() {
		m := a.Mark()
		var o order
		if err := d.Decode(&o); err != nil {
			return n, err
		}
		n += len(o.Lines)
		_ = m
	}
	return n, nil
}

// idiom: a document's values, read and copied

func fields(data []byte) (name string, n int64, err error) {
	a := pool.Get()
	defer pool.Put(a)
	v, err := arenajson.Parse(a, data)
	if err != nil {
		return "", 0, err
	}
	for k, item := range v.Get("items").Object() {
		if strings.HasPrefix(k, "x-") {
			n += item.Get("count").Int()
		}
	}
	return strings.Clone(v.Get("name").String()), n, nil
}

// idiom: a document that is changed and written

func rename(w io.Writer, data []byte, name string) error {
	a := pool.Get()
	defer pool.Put(a)
	v, err := arenajson.Parse(a, data)
	if err != nil {
		return err
	}
	if err := v.Set(a.ToUpper(name), "name"); err != nil {
		return err
	}
	if err := v.Append(1, "tags"); err != nil {
		return err
	}
	_, err = w.Write(v.AppendTo(nil))
	return err
}

// idiom: a logger that writes at once

func logged(log *slog.Logger, text string) {
	a := pool.Get()
	defer pool.Put(a)
	log.With("text", a.AllocString(text)).Info("seen", "words", len(strings.Fields(text)))
}

// idiom: errors by value

func failing(text string) error {
	a := pool.Get()
	defer pool.Put(a)
	words := strings.Fields(a.AllocString(text))
	if len(words) < 2 {
		return fmt.Errorf("%d words in %q", len(words), text)
	}
	var x any
	return json.Unmarshal([]byte(words[0]), &x)
}

// idiom: a gRPC service that copies what it keeps

type orders struct {
	pb.UnimplementedOrdersServer
	mu     sync.Mutex
	names  map[string]int
	newest *pb.Order
}

func (s *orders) Create(ctx context.Context, r *pb.Order) (*pb.Receipt, error) {
	a := arenagrpc.FromContext(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[strings.Clone(r.Name)]++
	s.newest = &pb.Order{Name: strings.Clone(r.Name)}
	reply := arena.New[pb.Receipt](a)
	reply.Name, reply.Lines = a.Concat("got ", r.Name), r.Lines
	return reply, nil
}

func (s *orders) List(r *pb.Order, out pb.Stream) error {
	for _, l := range r.Lines {
		if err := out.Send(&pb.Receipt{Name: l.Text}); err != nil {
			return err
		}
	}
	return nil
}

func (s *orders) Talk(both pb.Stream) error {
	seen := map[string]int{}
	for {
		r, err := both.Recv()
		if err == io.EOF {
			return both.Send(&pb.Receipt{Name: fmt.Sprint(len(seen))})
		}
		if err != nil {
			return err
		}
		seen[strings.Clone(r.Name)]++
	}
}

func serve(s *grpc.Server) {
	pb.RegisterOrdersServer(arenagrpc.Wrap(s, pool), &orders{names: map[string]int{}})
}

// idiom: a service registered by a helper

func registerAll(r arenagrpc.Registrar, s *orders) { pb.RegisterOrdersServer(r, s) }

func serveHelper(s *grpc.Server) { registerAll(arenagrpc.Wrap(s, pool), &orders{}) }

// idiom: interceptors that count, log and pass on

var calls = map[string]int{}

func counting(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	calls[info.FullMethod]++
	reply, err := next(ctx, req)
	if err != nil {
		slog.Warn("failed", "method", info.FullMethod, "request", fmt.Sprint(req), "err", err)
	}
	return reply, err
}

func tenantOf(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if o, ok := req.(*pb.Order); ok {
		ctx = context.WithValue(ctx, userKey{}, o.Name)
		calls[strings.Clone(o.Name)]++
	}
	return next(ctx, req)
}

func newServer() *grpc.Server {
	return grpc.NewServer(grpc.ForceServerCodecV2(arenagrpc.Codec()), grpc.UnaryInterceptor(counting), grpc.ChainUnaryInterceptor(tenantOf))
}

// idiom: interceptors of connect-go that count, copy and pass on

type tracing struct{ seen map[string]int }

func (t *tracing) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
		if o, ok := req.Any().(*pb.Order); ok {
			t.seen[strings.Clone(o.Name)]++
			ctx = context.WithValue(ctx, userKey{}, o.Name)
		}
		t.seen[req.Header()["Tenant"][0]]++
		return next(ctx, req)
	}
}

func (t *tracing) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return next
}

func withTracing() []connect.HandlerOption {
	limits := connect.UnaryInterceptorFunc(func(next connect.UnaryFunc) connect.UnaryFunc {
		return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
			slog.Info("call", "request", req.Any())
			return next(ctx, req)
		}
	})
	return []connect.HandlerOption{connect.WithInterceptors(limits, &tracing{seen: map[string]int{}}), arenaconnect.Option()}
}

// idiom: interceptors that give up waiting for a handler

func timeout(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	done := make(chan error, 1)
	var reply any
	go func() {
		r, err := next(ctx, req)
		reply = r
		done <- err
	}()
	select {
	case err := <-done:
		return reply, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func newTimeouts() *grpc.Server {
	return grpc.NewServer(grpc.ForceServerCodecV2(arenagrpc.Codec()), grpc.UnaryInterceptor(timeout))
}

// idiom: a stream that is kept until its handler returns

type room struct {
	pb.UnimplementedOrdersServer
	mu      sync.Mutex
	members map[pb.Stream]string
}

func (s *room) Talk(both pb.Stream) error {
	r, err := both.Recv()
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.members[both] = strings.Clone(r.Name)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.members, both)
		s.mu.Unlock()
	}()
	for {
		if r, err = both.Recv(); err != nil {
			return err
		}
		s.mu.Lock()
		for m := range s.members {
			m.Send(&pb.Receipt{Name: r.Name})
		}
		s.mu.Unlock()
	}
}

func serveRoom(s *grpc.Server) {
	pb.RegisterOrdersServer(arenagrpc.Wrap(s, pool), &room{members: map[pb.Stream]string{}})
}

// idiom: a connect service

type shop struct {
	mu   sync.Mutex
	seen map[string]int
}

func (s *shop) Get(_ context.Context, r *connect.Request[pb.Order]) (*connect.Response[pb.Receipt], error) {
	s.mu.Lock()
	s.seen[strings.Clone(r.Msg.Name)]++
	s.mu.Unlock()
	return &connect.Response[pb.Receipt]{Msg: &pb.Receipt{Name: r.Msg.Name, Lines: r.Msg.Lines}}, nil
}

func newShop() *connect.Handler {
	s := &shop{seen: map[string]int{}}
	return connect.NewUnaryHandler("/shop/Get", s.Get, arenaconnect.Option())
}

// idiom: a handler whose goroutines are waited for

func fanOut(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	var wg sync.WaitGroup
	parts := arena.MakeSlice[string](a, 2, 2)
	for i := range parts {
		f := a.Fork()
		wg.Go(func() { parts[i] = f.Sprintf("part %d", i) })
	}
	wg.Wait()
	arenahttp.Write(w, r, http.StatusOK, parts)
}
