// Package wrong has programs with one mistake each. Each begins with a comment that names it.
package wrong

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"connectrpc.com/connect"
	"google.golang.org/grpc"

	"example.com/grpc/pb"
	"example.com/idioms/wrong/impl"
	"example.com/idioms/wrong/setup"
	"example.com/idioms/wrong/shared"
	"github.com/ebbpool/arena"
	arenaconnect "github.com/ebbpool/arena/adapters/connect"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"
	"github.com/ebbpool/arena/arenajson"
)

type Node struct {
	Key  string
	Next *Node
}

var (
	pool    = arena.NewAutoPool(0)
	tenants = arena.NewKeyedPool[string](0)
	server  *grpc.Server
)

// idiom: a handler of another package that stores its request in a global

func register1() { pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), impl.Global{}) }

// idiom: a key of an LRU cache in another package

func register2() { pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), impl.Lru{}) }

// idiom: two handlers with one sync.Map

func register3() { pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), impl.Map{}) }

// idiom: a handler that sends text of its request

func register4() { pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), impl.Queue{}) }

// idiom: a stream's handler that counts by name

func register5() { pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), impl.Stream{}) }

// idiom: a handler that keeps a closure

func register6() { pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), &impl.Closure{}) }

// idiom: an embedded implementation

type wrapped struct{ impl.Global }

func register7() { pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), wrapped{}) }

// idiom: RegisterService without generated code

func register8() { arenagrpc.Wrap(server, pool).RegisterService(nil, impl.Global{}) }

// idiom: registration by a helper of another package

func register9() { setup.Register(arenagrpc.Wrap(server, pool), impl.Global{}) }

// idiom: registration by a helper that takes any service

func register10() { setup.RegisterAny(arenagrpc.Wrap(server, pool), impl.Global{}) }

// idiom: registration by a helper that wraps

func register11() { setup.Serve(server, impl.Global{}) }

// idiom: registration by a helper of the same package

func help(r arenagrpc.Registrar, s pb.OrdersServer) {
	pb.RegisterOrdersServer(r, s)
}

func register12() { help(arenagrpc.Wrap(server, pool), impl.Queue{}) }

// idiom: an interceptor of another package with a label from the request

func serve1() {
	server = grpc.NewServer(grpc.ForceServerCodecV2(arenagrpc.Codec()), grpc.UnaryInterceptor(impl.Count))
}

// idiom: an interceptor in a chain that asks for a name

func serve2() {
	server = grpc.NewServer(grpc.ForceServerCodecV2(arenagrpc.Codec()), grpc.ChainUnaryInterceptor(impl.Tenant))
}

// idiom: an interceptor that a function returns, with a captured list

func serve3() {
	opts := []grpc.ServerOption{grpc.ForceServerCodecV2(arenagrpc.Codec()), grpc.UnaryInterceptor(keepLast(new([]any)))}
	server = grpc.NewServer(opts...)
}

func keepLast(last *[]any) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		*last = append(*last, req)
		return next(ctx, req)
	}
}

// idiom: an interceptor that is a method

type metrics struct{ byTenant map[string]int }

func (m *metrics) unary(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	m.byTenant[req.(*pb.Order).Name]++
	return next(ctx, req)
}

func serve4(m *metrics) {
	server = grpc.NewServer(grpc.ForceServerCodecV2(arenagrpc.Codec()), grpc.UnaryInterceptor(m.unary))
}

// idiom: a stream's interceptor that keeps a received message

type watched struct {
	grpc.ServerStream
	last any
}

var lastSeen any

func (w *watched) RecvMsg(m any) error {
	err := w.ServerStream.RecvMsg(m)
	lastSeen = m
	return err
}

func watch(srv any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	return next(srv, &watched{ServerStream: ss})
}

func serve5() {
	server = grpc.NewServer(grpc.ForceServerCodecV2(arenagrpc.Codec()), grpc.StreamInterceptor(watch))
}

// idiom: an interceptor that a function of another package returns

func serve6() {
	server = grpc.NewServer(grpc.ForceServerCodecV2(arenagrpc.Codec()), grpc.ChainUnaryInterceptor(impl.Audit()))
}

// idiom: a service that a function of another package returns as an interface

func register13() { pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), impl.NewGlobal()) }

// idiom: a registrar that a function of another package wraps

func register14() { pb.RegisterOrdersServer(setup.Registrar(server), impl.Global{}) }

// idiom: options that a function returns

func options() []connect.HandlerOption {
	return []connect.HandlerOption{connect.WithCompression(), arenaconnect.Option()}
}

func connect3() *connect.Handler {
	return connect.NewUnaryHandler("/keep", impl.Keep, options()...)
}

// idiom: an interceptor of connect-go in this package

func connect4() connect.HandlerOption {
	var last []any
	return connect.WithInterceptors(connect.UnaryInterceptorFunc(func(next connect.UnaryFunc) connect.UnaryFunc {
		return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
			last = append(last, req.Any())
			return next(ctx, req)
		}
	}))
}

// idiom: an interceptor of connect-go that a function of another package returns

func connect5() connect.HandlerOption { return connect.WithInterceptors(impl.ByName()) }

// idiom: an interceptor of connect-go as a type of another package

func connect6() connect.HandlerOption { return connect.WithInterceptors(&impl.Audited{}) }

// idiom: an interceptor of connect-go as an interface from another package

func connect7() connect.HandlerOption { return connect.WithInterceptors(impl.NewAudited()) }

// idiom: a connect handler of another package

func connect1() *connect.Handler {
	return connect.NewUnaryHandler("/keep", impl.Keep, arenaconnect.Option())
}

// idiom: a connect handler that stores a part

func connect2() *connect.Handler {
	return connect.NewUnaryHandler("/keep", impl.KeepLine, arenaconnect.Option())
}

// idiom: a closure in a global

var last func() string

func closure() {
	pool.Do(func(a *arena.Arena) {
		s := a.AllocString("x")
		last = func() string { return s }
	})
}

// idiom: an iterator in a global

var all iter.Seq[string]

func iterator() {
	pool.Do(func(a *arena.Arena) {
		all = slices.Values(arena.SliceOf(a, "x"))
	})
}

// idiom: a default logger with text of an arena

func logger() {
	a := pool.Get()
	defer pool.Put(a)
	slog.SetDefault(slog.With("k", a.AllocString("v")))
}

// idiom: a generic helper of another package returns its callback's memory

func generic1() string {
	return setup.With(func(a *arena.Arena) string { return a.AllocString("x") })
}

// idiom: a generic helper with an error

func generic2() (*Node, error) {
	return setup.Try(func(a *arena.Arena) (*Node, error) { return arena.New[Node](a), nil })
}

// idiom: a generic helper of this package

func with[T any](f func(*arena.Arena) T) T {
	a := pool.Get()
	defer pool.Put(a)
	return f(a)
}

func generic3(text string) *Node {
	return with(func(a *arena.Arena) *Node { return arena.NewOf(a, Node{Key: a.ToUpper(text)}) })
}

// idiom: a callback that stores, and a generic helper that puts

var newest *Node

func generic4() int {
	return setup.With(func(a *arena.Arena) int {
		newest = arena.New[Node](a)
		return 1
	})
}

// idiom: a value of a document is kept

var config arenajson.Value

func parse1(data []byte) {
	a := pool.Get()
	defer pool.Put(a)
	v, err := arenajson.Parse(a, data)
	if err == nil {
		config = v.Get("config")
	}
}

// idiom: a string of a document is returned

func parse2(data []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	v, _ := arenajson.Parse(a, data)
	return v.Get("name").String()
}

// idiom: names of a document as keys of a map

func parse3(data []byte) map[string]int64 {
	a := pool.Get()
	defer pool.Put(a)
	v, _ := arenajson.Parse(a, data)
	out := map[string]int64{}
	for k, x := range v.Object() {
		out[k] = x.Int()
	}
	return out
}

// idiom: a document that is decoded after Put

func parse4(data []byte) (n Node, err error) {
	a := pool.Get()
	v, err := arenajson.Parse(a, data)
	pool.Put(a)
	if err != nil {
		return n, err
	}
	return n, v.Decode(&n)
}

// idiom: memory of a tenant's arena is returned

func tenant(name string) *Node {
	a := tenants.Get(name)
	defer tenants.Put(a)
	return arena.NewOf(a, Node{Key: name})
}

// idiom: a body of a request without a transport that waits

func post(url string) {
	a := pool.Get()
	defer pool.Put(a)
	res, err := http.Post(url, "", strings.NewReader(a.Sprintf("%d", 1)))
	if err == nil {
		res.Body.Close()
	}
}

// idiom: standard input of a command that goes on

func command() error {
	a := pool.Get()
	defer pool.Put(a)
	c := exec.Command("cat")
	c.Stdin = strings.NewReader(a.Sprintf("%d", 1))
	return c.Start()
}

// idiom: a goroutine that is not waited for

func async(text string) {
	a := pool.Get()
	defer pool.Put(a)
	s := a.AllocString(text)
	go fmt.Println(s)
}

// idiom: a WaitGroup that waits after Put

func late(text string) {
	var wg sync.WaitGroup
	a := pool.Get()
	wg.Go(func() { a.AllocString(text) })
	pool.Put(a)
	wg.Wait()
}

// idiom: an early return without Put

func lost(text string) error {
	a := pool.Get()
	if text == "" {
		return fmt.Errorf("empty")
	}
	a.AllocString(text)
	pool.Put(a)
	return nil
}

// idiom: Escape of what leads to memory of the arena by a slice on the heap

func escaped(text string) []string {
	a := pool.Get()
	defer pool.Put(a)
	return arena.Escape(a, strings.Fields(a.AllocString(text)))
}

// idiom: a generic helper with Do

func within[T any](f func(*arena.Arena) T) (out T) {
	pool.Do(func(a *arena.Arena) { out = f(a) })
	return out
}

func generic5() string {
	return within(func(a *arena.Arena) string { return a.AllocString("x") })
}

// idiom: a helper that passes its callback to Do

func withDo(f func(*arena.Arena)) { pool.Do(f) }

func passed(text string) (s string) {
	withDo(func(a *arena.Arena) { s = a.ToLower(text) })
	return s
}

// idiom: a helper of another package with a goroutine that is not waited for

func deferred(text string) {
	a := pool.Get()
	defer pool.Put(a)
	u := arena.NewOf(a, shared.User{Name: text})
	shared.Async(func() { users.Put(u) })
}

// idiom: a queue of another package that gives up when it is full

func pushed(q *shared.Queue, text string) {
	a := pool.Get()
	defer pool.Put(a)
	q.TryPush(arena.NewOf(a, shared.User{Name: text}))
}

// idiom: names that a callback of another package collects

func collected(names []string) (out []string) {
	a := pool.Get()
	defer pool.Put(a)
	shared.Each(names, func(name string) { out = append(out, a.ToUpper(name)) })
	return out
}
