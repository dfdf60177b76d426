package arenafasthttp

import (
	"errors"
	"io"

	"github.com/ebbpool/arena/arenajson"
	"github.com/ebbpool/arena/internal/hooks"
	"github.com/ebbpool/arena/internal/jsonbody"
	"github.com/valyala/fasthttp"
)

// Read reads the request's body, one JSON document, into what v points to, as
// arenajson.Unmarshal does into the request's arena; without one, on the heap. A body
// that the server streams is read into the arena as it comes, into room for what its
// Content-Length says, but never for more than 16 KB, or 16 times what has come so far. An
// empty body is io.EOF. Status says what to answer to an error.
//
// What a limit of the arena refuses panics with the *arena.LimitError, for Handler to
// answer.
func Read(ctx *fasthttp.RequestCtx, v any) error {
	a := FromContext(ctx)
	if ctx.Request.IsBodyStream() {
		return jsonbody.Read(a, ctx.RequestBodyStream(), int64(ctx.Request.Header.ContentLength()), v, known)
	}
	body := ctx.Request.Body()
	if len(body) == 0 {
		return io.EOF
	}
	err := arenajson.Unmarshal(a, body, v)
	if err != nil {
		jsonbody.MustFit(err)
		return jsonbody.Data(err)
	}
	return nil
}

// Write answers the request with v as JSON, with the status and the type
// application/json: with what encoding/json's Encoder writes, the document and a line end.
// It copies that into the answer, which is sent later, and gives back what it took of the
// arena as arenajson.MarshalWrite does. An error is that of arenajson.Marshal, and the answer
// is unchanged then.
func Write(ctx *fasthttp.RequestCtx, status int, v any) error {
	err := arenajson.MarshalWrite(FromContext(ctx), (*answer)(ctx), v, hooks.LineEnd)
	if err != nil {
		jsonbody.MustFit(err)
		return err
	}
	ctx.SetStatusCode(status)
	ctx.SetContentType("application/json")
	return nil
}

// answer is a request's body, as a Writer of all of it.
type answer fasthttp.RequestCtx

func (w *answer) Write(doc []byte) (int, error) {
	(*fasthttp.RequestCtx)(w).SetBody(doc)
	return len(doc), nil
}

// Status returns the status that an error of Read should be answered with:
//
//	400  a body that is empty, cut off or malformed, no JSON, other JSON than its variable
//	     can hold, or refused by an UnmarshalJSON or UnmarshalText; a client that went away
//	408  a body that did not come before the connection's deadline
//	413  one beyond the server's MaxRequestBodySize, or the arena's limit (see Handler)
//	503  one that did not come before its context's deadline; and an arena's limit that
//	     lets it pass when other requests have ended
//	500  all else: the program's mistake, and errors that are not from Read
//
// Errors of Read are those of package json, io and fasthttp, and of the body's own reader;
// some are wrapped, for errors.Is and errors.As.
func Status(err error) int { return jsonbody.Status(err, known) }

// known is the status of fasthttp's own errors, 0 for others.
func known(err error) int {
	if errors.Is(err, fasthttp.ErrBodyTooLarge) {
		return fasthttp.StatusRequestEntityTooLarge
	}
	return 0
}
