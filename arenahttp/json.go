package arenahttp

import (
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
	"github.com/ebbpool/arena/internal/hooks"
	"github.com/ebbpool/arena/internal/jsonbody"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Read reads r's body, one JSON document, into what v points to, as
// arenajson.UnmarshalRead does into the request's arena; without one, on the heap.
// An empty body is io.EOF. Status says what to answer to an error.
//
// It takes room for the body at once where there is a Content-Length, but never for more
// than 16 KB, or 16 times what has come so far: a length alone costs its sender nothing.
//
// What a limit of the arena refuses panics with the *arena.LimitError, for Handler
// to answer.
func Read(r *http.Request, v any) error {
	if r.Body == nil {
		return io.EOF // a request that no server has made
	}
	return jsonbody.Read(arena.FromContext(r.Context()), r.Body, r.ContentLength, v, known)
}

// Write answers r with v as JSON: with the status, the type application/json and the
// length, and nothing before all of v could be written. The body is that of encoding/json's
// Encoder: the document and a line end. An error is that of arenajson.Marshal, of
// which nothing was written, or of w.
//
// What a limit of the arena refuses panics, as in Read: a handler that has nothing to
// do about an error can leave it.
func Write(w http.ResponseWriter, r *http.Request, status int, v any) error {
	doc, err := arenajson.Marshal(arena.FromContext(r.Context()), v, hooks.LineEnd)
	if err != nil {
		jsonbody.MustFit(err)
		return err
	}
	setHeader(w.Header(), r, len(doc))
	w.WriteHeader(status)
	_, err = w.Write(doc)
	return err
}

// setHeader sets the fields of an answer of n bytes. Where they come to lie in the request, as
// one that has none yet lets them, it allocates nothing. HTTP/2's compression would remember
// them, and keep the request.
func setHeader(h http.Header, r *http.Request, n int) {
	const kind = "application/json"
	q := requestOf(r.Context())
	if q == nil || r.ProtoMajor != 1 || n >= 1e8 || !q.answer.taken.CompareAndSwap(false, true) {
		h.Set("Content-Type", kind)
		h.Set("Content-Length", strconv.Itoa(n))
		return
	}
	x := &q.answer
	x.fields = [2]string{kind, xunsafe.ViewString(strconv.AppendInt(x.digits[:0], int64(n), 10))}
	h["Content-Type"], h["Content-Length"] = x.fields[:1:1], x.fields[1:]
}

// Status returns the status that an error of Read should be answered with:
//
//	400  a body that is empty, cut off or malformed, no JSON, other JSON than its variable
//	     can hold, or refused by an UnmarshalJSON or UnmarshalText; a client that went away
//	408  a body that did not come before the connection's deadline
//	413  one beyond http.MaxBytesReader's limit, or the arena's (see Handler)
//	503  one that did not come before its context's deadline; and an arena's limit that
//	     lets it pass when other requests have ended
//	500  all else: the program's mistake, such as a variable that is no pointer or a body
//	     that was closed, and errors that are not from Read
//
// Errors of Read are those of package json, io and net/http, and of the body's own reader;
// some are wrapped, for errors.Is and errors.As.
func Status(err error) int { return jsonbody.Status(err, known) }

// known is the status of net/http's own errors, 0 for others.
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
