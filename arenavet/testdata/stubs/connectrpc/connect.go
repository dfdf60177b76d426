// Package connect stands in for the real one, as far as the analyzer's tests call it.
package connect

import "context"

type Request[T any] struct {
	Msg    *T
	header map[string][]string
}

type Response[T any] struct{ Msg *T }

type HandlerOption interface{ option() }

type Handler struct{ serve func() }

func NewUnaryHandler[Req, Res any](procedure string, unary func(context.Context, *Request[Req]) (*Response[Res], error), options ...HandlerOption) *Handler {
	return &Handler{func() { unary(context.Background(), &Request[Req]{}) }}
}

func WithCompression() HandlerOption { return nil }

type AnyRequest interface {
	Any() any
	Header() map[string][]string
}

type AnyResponse interface{ Any() any }

type (
	UnaryFunc            func(context.Context, AnyRequest) (AnyResponse, error)
	StreamingHandlerConn interface{ Receive(any) error }
	StreamingHandlerFunc func(context.Context, StreamingHandlerConn) error
)

type Interceptor interface {
	WrapUnary(UnaryFunc) UnaryFunc
	WrapStreamingHandler(StreamingHandlerFunc) StreamingHandlerFunc
}

type UnaryInterceptorFunc func(UnaryFunc) UnaryFunc

func (f UnaryInterceptorFunc) WrapUnary(next UnaryFunc) UnaryFunc { return f(next) }

func (f UnaryInterceptorFunc) WrapStreamingHandler(next StreamingHandlerFunc) StreamingHandlerFunc {
	return next
}

type interceptors []Interceptor

func (interceptors) option() {}

func WithInterceptors(list ...Interceptor) HandlerOption { return interceptors(list) }
