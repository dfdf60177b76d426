package arenaconnect

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"connectrpc.com/connect"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/goroutine"
	"github.com/ebbpool/arena/internal/hooks"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// interceptor wraps each method of a handler with Option.
type interceptor struct{}

var (
	errEnded   = errors.New("arenaconnect: the call ended before its method began")
	errReadsOn = errors.New("arenaconnect: the method has returned")
)

func (interceptor) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, request connect.AnyRequest) (reply connect.AnyResponse, err error) {
		if c, _ := ctx.Value(callKey{}).(*call); c != nil && !c.enter() {
			return nil, connect.NewError(connect.CodeCanceled, errEnded)
		}
		defer func() {
			if v := recover(); v != nil {
				reply, err = nil, refusal(v)
			}
		}()
		defer arena.ExplainFaults()
		return next(ctx, request)
	}
}

func (interceptor) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) (err error) {
		s := &stream{Context: ctx, StreamingHandlerConn: conn, main: goroutine.Self()}
		if c, _ := ctx.Value(callKey{}).(*call); c != nil {
			s.pool = c.pool
		}
		defer func() {
			v := hooks.OwnPanic(recover())
			err = s.end(err)
			if v != nil {
				err = refusal(v)
			}
		}()
		defer arena.ExplainFaults()
		return next(s, s)
	}
}

func (interceptor) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

// refusal converts the panic v to an error if it was caused by a limit. It panics again otherwise.
func refusal(v any) error {
	over := refusedBy(v)
	if over == nil {
		panic(v)
	}
	return exhausted(over)
}

// refusedBy returns the limit's error in v, an error or a panic's value, or nil.
func refusedBy(v any) *arena.LimitError {
	err, _ := v.(error)
	if err == nil {
		return nil
	}
	var over *arena.LimitError
	errors.As(err, &over)
	return over
}

// exhausted returns the error that is sent to the client if a limit was exceeded.
func exhausted(over *arena.LimitError) error {
	err := connect.NewError(connect.CodeResourceExhausted, over)
	if over.Retry {
		err.Meta().Set("Retry-After", "1")
	}
	return err
}

// own returns err without memory of r in the parts that connect sends, or err itself if there is none.
func own(r *machine.Region, err error) error {
	text, meta := err.Error(), http.Header(nil)
	var from *connect.Error
	if errors.As(err, &from) {
		text, meta = from.Message(), from.Meta()
	}
	held := r.Holds(xunsafe.TextOf(text))
	for field, values := range meta {
		held = held || r.Holds(xunsafe.TextOf(field)) || r.Holds(xunsafe.DataOf(values))
		for _, v := range values {
			held = held || r.Holds(xunsafe.TextOf(v))
		}
	}
	if !held {
		return err
	}
	code := connect.CodeOf(err)
	switch {
	case from != nil:
	case errors.Is(err, context.Canceled): // as in connect
		code = connect.CodeCanceled
	case errors.Is(err, context.DeadlineExceeded):
		code = connect.CodeDeadlineExceeded
	}
	fresh := connect.NewError(code, errors.New(strings.Clone(text)))
	for field, values := range meta {
		for _, v := range values {
			fresh.Meta().Add(strings.Clone(field), strings.Clone(v))
		}
	}
	if from != nil {
		for _, d := range from.Details() {
			fresh.AddDetail(d)
		}
	}
	return fresh
}
