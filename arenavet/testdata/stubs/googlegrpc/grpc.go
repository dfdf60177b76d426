// Package grpc has the part of google.golang.org/grpc that the tests need.
package grpc

import "context"

type (
	UnaryServerInfo  struct{ FullMethod string }
	StreamServerInfo struct{ FullMethod string }

	UnaryHandler            func(ctx context.Context, req any) (any, error)
	StreamHandler           func(srv any, stream ServerStream) error
	UnaryServerInterceptor  func(ctx context.Context, req any, info *UnaryServerInfo, handler UnaryHandler) (any, error)
	StreamServerInterceptor func(srv any, ss ServerStream, info *StreamServerInfo, handler StreamHandler) error
)

type ServerStream interface {
	Context() context.Context
	SetTrailer(map[string][]string)
	SendMsg(m any) error
	RecvMsg(m any) error
}

type ServerOption interface{ apply(*options) }

type options struct {
	unary  UnaryServerInterceptor
	chain  []UnaryServerInterceptor
	stream StreamServerInterceptor
}

type option func(*options)

func (f option) apply(o *options) { f(o) }

func UnaryInterceptor(i UnaryServerInterceptor) ServerOption {
	return option(func(o *options) { o.unary = i })
}

func ChainUnaryInterceptor(interceptors ...UnaryServerInterceptor) ServerOption {
	return option(func(o *options) { o.chain = append(o.chain, interceptors...) })
}

func StreamInterceptor(i StreamServerInterceptor) ServerOption {
	return option(func(o *options) { o.stream = i })
}

func ForceServerCodecV2(codec any) ServerOption { return option(func(*options) {}) }

type Server struct{ opts options }

func NewServer(opts ...ServerOption) *Server {
	s := new(Server)
	for _, o := range opts {
		o.apply(&s.opts)
	}
	return s
}

func (s *Server) RegisterService(desc, impl any) {}
