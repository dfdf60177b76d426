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
