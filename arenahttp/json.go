package arenahttp

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
)

// Read reads r's body, one JSON document, into what v points to, as
// arenajson.UnmarshalRead does into the request's arena; without one, on the heap.
// An empty body is io.EOF. Status says what to answer to an error.
//
// What a limit of the arena refuses panics with the *arena.LimitError, for Handler
// to answer.
func Read(r *http.Request, v any) error {
	a := arena.FromContext(r.Context())
	body := arena.NewOf(a, firstByte{r: r.Body})
	err := arenajson.UnmarshalRead(a, body, v)
	if err == nil {
		return nil
	}
	mustFit(err)
	var syntax *json.SyntaxError
	if !body.seen && errors.As(err, &syntax) {
		return io.EOF
	}
	return err
}

// mustFit panics with err if it is that of a limit.
func mustFit(err error) {
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

// Write answers r with v as JSON: with the status, the type application/json and the
// length, and nothing before all of v could be written. An error is that of
// arenajson.Marshal, of which nothing was written, or of w.
//
// What a limit of the arena refuses panics, as in Read: a handler that has nothing to
// do about an error can leave it.
func Write(w http.ResponseWriter, r *http.Request, status int, v any) error {
	doc, err := arenajson.Marshal(arena.FromContext(r.Context()), v)
	if err != nil {
		mustFit(err)
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(doc)))
	w.WriteHeader(status)
	_, err = w.Write(doc)
	return err
}

// Status is what an error of Read should be answered with: 413 for a body that is
// beyond http.MaxBytesReader's limit, 400 for one that is empty, no JSON, or other
// JSON than its variable can hold, and 500 for the rest, such as a connection that broke.
func Status(err error) int {
	var large *http.MaxBytesError
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &large):
		return http.StatusRequestEntityTooLarge
	case errors.As(err, &syntax), errors.As(err, &wrong), err == io.EOF:
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}
