package arenafasthttp

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
	"github.com/valyala/fasthttp"
)

// Read reads the request's body, one JSON document, into what v points to, as
// arenajson.Unmarshal does into the request's arena; without one, on the heap. A body
// that the server streams is read into the arena as it comes. An empty body is io.EOF.
// Status says what to answer to an error.
//
// What a limit of the arena refuses panics with the *arena.LimitError, for Handler to
// answer.
func Read(ctx *fasthttp.RequestCtx, v any) error {
	a := FromContext(ctx)
	var err error
	if ctx.Request.IsBodyStream() {
		body := firstByte{r: ctx.RequestBodyStream()}
		if err = arenajson.UnmarshalRead(a, &body, v); err != nil && !body.seen && isSyntax(err) {
			return io.EOF
		}
	} else {
		body := ctx.Request.Body()
		if len(body) == 0 {
			return io.EOF
		}
		err = arenajson.Unmarshal(a, body, v)
	}
	if err != nil {
		panicOverLimit(err)
	}
	return err
}

func isSyntax(err error) bool {
	var syntax *json.SyntaxError
	return errors.As(err, &syntax)
}

func panicOverLimit(err error) {
	var over *arena.LimitError
	if errors.As(err, &over) {
		panic(over)
	}
}

// firstByte notes whether there was any.
type firstByte struct {
	r    io.Reader
	seen bool
}

func (f *firstByte) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	f.seen = f.seen || n > 0
	return n, err
}

// Write answers the request with v as JSON, with the status and the type
// application/json. It copies the document into the answer, which is sent later. An error
// is that of arenajson.Marshal, and the answer is unchanged then.
func Write(ctx *fasthttp.RequestCtx, status int, v any) error {
	a := FromContext(ctx)
	m := a.Mark()
	doc, err := arenajson.Marshal(a, v)
	if err != nil {
		panicOverLimit(err)
		return err
	}
	ctx.SetStatusCode(status)
	ctx.SetContentType("application/json")
	ctx.SetBody(doc)
	a.Rewind(m)
	return nil
}

// Status is what an error of Read should be answered with: 413 for a body that is beyond
// the server's MaxRequestBodySize, 400 for one that is empty, no JSON, or other JSON than
// its variable can hold, and 500 for the rest, such as a connection that broke.
func Status(err error) int {
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		return fasthttp.StatusRequestEntityTooLarge
	case isSyntax(err), errors.As(err, &wrong), errors.Is(err, io.EOF):
		return fasthttp.StatusBadRequest
	}
	return fasthttp.StatusInternalServerError
}
