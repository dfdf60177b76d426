// Package impl has handlers and interceptors that keep parts of their requests.
package impl

import (
	"context"
	"sync"

	"connectrpc.com/connect"
	lru "github.com/hashicorp/golang-lru/v2"
	"google.golang.org/grpc"

	"example.com/grpc/pb"
)

var (
	Newest *pb.Order
	byName sync.Map
	queue  = make(chan string, 10)
	counts = map[string]int{}
	cache  = newCache()
)

func newCache() *lru.Cache[string, int] {
	c, _ := lru.New[string, int](10)
	return c
}

type Global struct{ pb.UnimplementedOrdersServer }

func (Global) Create(_ context.Context, r *pb.Order) (*pb.Receipt, error) {
	Newest = r
	return nil, nil
}

type Lru struct{ pb.UnimplementedOrdersServer }

func (Lru) Create(_ context.Context, r *pb.Order) (*pb.Receipt, error) {
	cache.Add(r.Name, 1)
	return nil, nil
}

type Map struct{ pb.UnimplementedOrdersServer }

func (Map) Create(_ context.Context, r *pb.Order) (*pb.Receipt, error) {
	byName.Store(r.Name, 1)
	return nil, nil
}

func (Map) List(r *pb.Order, _ pb.Stream) error {
	byName.Store(1, r)
	return nil
}

type Queue struct{ pb.UnimplementedOrdersServer }

func (Queue) Create(_ context.Context, r *pb.Order) (*pb.Receipt, error) {
	queue <- r.Name
	return nil, nil
}

type Stream struct{ pb.UnimplementedOrdersServer }

func (Stream) Talk(both pb.Stream) error {
	for {
		r, err := both.Recv()
		if err != nil {
			return err
		}
		counts[r.Name]++
	}
}

type Closure struct {
	pb.UnimplementedOrdersServer
	Later []func() string
}

func (c *Closure) Create(_ context.Context, r *pb.Order) (*pb.Receipt, error) {
	c.Later = append(c.Later, func() string { return r.Name })
	return nil, nil
}

func Keep(_ context.Context, r *connect.Request[pb.Order]) (*connect.Response[pb.Receipt], error) {
	counts[r.Msg.Name]++
	return nil, nil
}

func KeepLine(_ context.Context, r *connect.Request[pb.Order]) (*connect.Response[pb.Receipt], error) {
	byName.Store("line", r.Msg.Lines[0])
	return nil, nil
}

// Count is an interceptor.
func Count(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if r, ok := req.(*pb.Order); ok {
		counts[r.Name]++
	}
	return next(ctx, req)
}

type named interface{ GetName() string }

// Tenant is an interceptor that asks any message for its name.
func Tenant(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if r, ok := req.(named); ok {
		byName.Store(r.GetName(), true)
	}
	return next(ctx, req)
}

// Audit keeps whole requests.
func Audit() grpc.UnaryServerInterceptor {
	var last []any
	return func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		last = append(last, req)
		return next(ctx, req)
	}
}

// Audited is an interceptor of connect-go, as a type.
type Audited struct{ last []any }

func (a *Audited) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
		a.last = append(a.last, req.Any())
		return next(ctx, req)
	}
}

func (a *Audited) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return next
}

// NewAudited returns it as an interface.
func NewAudited() connect.Interceptor { return &Audited{} }

// ByName is an interceptor of connect-go, as a function.
func ByName() connect.UnaryInterceptorFunc {
	return func(next connect.UnaryFunc) connect.UnaryFunc {
		return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
			if r, ok := req.Any().(*pb.Order); ok {
				counts[r.Name]++
			}
			return next(ctx, req)
		}
	}
}

// NewGlobal returns a service as an interface.
func NewGlobal() pb.OrdersServer { return Global{} }
