package arenafasthttp

import (
	"errors"
	"io"

	"github.com/ebbpool/arena/arenajson"
	"github.com/ebbpool/arena/internal/jsonbody"
	"github.com/valyala/fasthttp"
)

// Read reads the request's body, one JSON document, into what v points to, like [arenajson.Unmarshal]
// with the request's arena, or the heap if there is none. A body that the server streams is read into the
// arena as it arrives. The error for an empty body is io.EOF. If a limit of the arena is exceeded, the
// error wraps or is a [*arena.LimitError]. [Status] returns the status for each error.
func Read(ctx *fasthttp.RequestCtx, v any, opts ...arenajson.Option) error {
	a := FromContext(ctx)
	if ctx.Request.IsBodyStream() {
		return jsonbody.Read(a, ctx.RequestBodyStream(), int64(ctx.Request.Header.ContentLength()), v, known, opts)
	}
	body := ctx.Request.Body()
	if len(body) == 0 {
		return io.EOF
	}
	if err := arenajson.Unmarshal(a, body, v, opts...); err != nil {
		return jsonbody.Data(err)
	}
	return nil
}

// Write responds with status and the JSON encoding of v, followed by a newline, like the Encoder of
// encoding/json. It copies the encoding into the response, which is sent later. Content-Type is
// application/json unless the handler has set a type other than the server's default. Errors are those of
// [arenajson.Marshal]; the response is then unchanged.
//
// If a limit of the arena is exceeded, Write panics with a [*arena.LimitError], so that a handler that
// ignores the error of Write does not send an empty response; see [Recovered].
func Write(ctx *fasthttp.RequestCtx, status int, v any, opts ...arenajson.Option) error {
	all := append(make([]arenajson.Option, 0, 8), arenajson.LineEnd)
	err := arenajson.MarshalWrite(FromContext(ctx), (*answer)(ctx), v, append(all, opts...)...)
	if err != nil {
		jsonbody.MustFit(err)
		return err
	}
	ctx.SetStatusCode(status)
	switch string(ctx.Response.Header.ContentType()) {
	case "", "text/plain; charset=utf-8": // unset, or fasthttp's default
		ctx.SetContentType("application/json")
	}
	return nil
}

// answer implements io.Writer for the response body. It is called once.
type answer fasthttp.RequestCtx

func (w *answer) Write(doc []byte) (int, error) {
	(*fasthttp.RequestCtx)(w).SetBody(doc)
	return len(doc), nil
}

// Status returns the status to answer an error of Read with:
//
//	400  the body is empty, truncated or malformed, is not JSON or does not fit v, or was refused by an
//	     UnmarshalJSON or UnmarshalText method; or the client went away
//	408  the body did not arrive before the connection's deadline
//	413  the body exceeds the server's MaxRequestBodySize, or the arena's limit (see [Handler])
//	503  the body did not arrive before its context's deadline, or the arena's limit would allow it once
//	     other requests have ended
//	500  all other errors: a mistake in the program, and errors that are not from Read
//
// Syntax and type errors of arenajson and encoding/json have status 400 even if they are not from Read.
//
// Errors of Read are those of encoding/json, io, fasthttp and the body's reader. Some are wrapped, so use
// errors.Is and errors.As.
func Status(err error) int { return jsonbody.Status(err, known) }

// Recovered returns the status for the response to a request that panicked with v, if v is or wraps a
// [*arena.LimitError]: 503 if the request can succeed once other requests have ended, and 413 otherwise. Use
// it in recovery middleware between [Handler] and the handlers, such as fiber's.
func Recovered(v any) (status int, ok bool) { return jsonbody.Recovered(v) }

// known returns the status of fasthttp's own errors, and 0 for others.
func known(err error) int {
	if errors.Is(err, fasthttp.ErrBodyTooLarge) {
		return fasthttp.StatusRequestEntityTooLarge
	}
	return 0
}
