package arenahttp

import (
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
	"github.com/ebbpool/arena/internal/jsonbody"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Read reads the JSON document in r's body and stores it in the value pointed to by v, like [arenajson.UnmarshalRead]. It
// uses the request's arena, or the heap if there is none. The error for an empty body is io.EOF. If a limit of the
// arena is exceeded, the error wraps or is a [*arena.LimitError]. [Status] returns the status for each error.
//
// Read sizes its buffer from Content-Length, up to the larger of 16 KB and 16 times the bytes received so
// far, because a client can claim any length.
func Read(r *http.Request, v any, opts ...arenajson.Option) error {
	if r.Body == nil {
		return io.EOF // not a request of a server
	}
	return jsonbody.Read(arena.FromContext(r.Context()), r.Body, r.ContentLength, v, known, opts)
}

// Write answers r with status and the JSON encoding of v, followed by a newline, like the Encoder of
// encoding/json. It sets Content-Length, and Content-Type to application/json unless the handler has set
// one. Write encodes all of v before it writes, so the handler can still respond after an error of
// [arenajson.Marshal]. It also returns the errors of w.Write.
//
// If a limit of the arena is exceeded, Write panics with a [*arena.LimitError], so a handler that ignores
// the error of Write does not send an empty answer; see [Recovered].
func Write(w http.ResponseWriter, r *http.Request, status int, v any, opts ...arenajson.Option) error {
	all := append(make([]arenajson.Option, 0, 8), arenajson.LineEnd)
	doc, err := arenajson.Marshal(arena.FromContext(r.Context()), v, append(all, opts...)...)
	if err != nil {
		jsonbody.MustFit(err)
		return err
	}
	setHeader(w.Header(), r, len(doc))
	w.WriteHeader(status)
	_, err = w.Write(doc)
	return err
}

// setHeader sets the header fields of an answer of n bytes. If their values can be stored in the request,
// it does not allocate. That takes a request of HTTP/1, because HTTP/2's header compression would keep the
// whole request alive.
func setHeader(h http.Header, r *http.Request, n int) {
	_, typed := h["Content-Type"] // nil also counts: it stops net/http from guessing a type
	q := requestOf(r.Context())
	if q == nil || r.ProtoMajor != 1 || !q.answer.taken.CompareAndSwap(false, true) {
		if !typed {
			h.Set("Content-Type", contentType)
		}
		h.Set("Content-Length", strconv.Itoa(n))
		return
	}
	x := &q.answer
	x.fields = [2]string{contentType, xunsafe.ViewString(strconv.AppendInt(x.digits[:0], int64(n), 10))}
	if !typed {
		h["Content-Type"] = x.fields[:1:1]
	}
	h["Content-Length"] = x.fields[1:]
}

const contentType = "application/json"

// Status returns the HTTP status for an error of Read:
//
//	400  the body is empty, truncated or malformed, is not JSON or does not fit v, or was refused by an
//	     UnmarshalJSON or UnmarshalText method; or the client went away
//	408  the body did not arrive before the connection's deadline
//	413  the body exceeds the limit of http.MaxBytesReader, or the arena's (see [Handler])
//	503  the body did not arrive before its context's deadline, or the arena's limit would allow it once
//	     other requests have ended
//	500  all other errors: a mistake in the program, such as a v that is not a pointer or a closed body,
//	     and errors that are not from Read
//
// Syntax and type errors of arenajson and encoding/json have status 400 even if they are not from Read.
//
// A response of [Handler] with status 503 has the header field Retry-After: 1. A handler that responds itself
// must set it.
//
// Read returns errors of encoding/json, io, net/http and the body's reader. Some are wrapped, so use
// errors.Is and errors.As.
func Status(err error) int { return jsonbody.Status(err, known) }

// Recovered returns the HTTP status for a request that panicked with v, if v is or wraps a
// [*arena.LimitError]: 503 if the request can succeed once other requests have ended, and 413 otherwise.
// It is for recovery middleware between [Handler] and the handlers, such as a router's. Without it, such
// middleware answers 500 to a request over its limit. Like a handler, it sets Retry-After itself.
//
//	defer func() {
//		switch v := recover(); status, ok := arenahttp.Recovered(v); {
//		case ok:
//			http.Error(w, http.StatusText(status), status)
//		case v != nil:
//			panic(v)
//		}
//	}()
func Recovered(v any) (status int, ok bool) { return jsonbody.Recovered(v) }

// known returns the status of net/http's own errors, 0 for others.
func known(err error) int {
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, http.ErrBodyReadAfterClose):
		return http.StatusInternalServerError
	}
	return 0
}
