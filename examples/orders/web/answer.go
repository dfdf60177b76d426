package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
)

// Fail responds with an error, in the common form of all errors of the service.
func Fail(w http.ResponseWriter, status int, reason string) {
	text, err := json.Marshal(struct {
		Error string `json:"error"`
	}{reason})
	if err != nil {
		panic(err) // a string can always be marshaled
	}
	h := w.Header()
	h.Del("Content-Length")
	h.Set("Content-Type", "application/json")
	if status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	w.Write(text)
}

// FailBody responds to a body that could not be read.
func FailBody(w http.ResponseWriter, err error) {
	var large *http.MaxBytesError
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &large):
		Fail(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has more than %d bytes", large.Limit))
	case errors.Is(err, os.ErrDeadlineExceeded):
		Fail(w, http.StatusRequestTimeout, "the body did not come in time")
	case errors.As(err, &wrong):
		Fail(w, http.StatusBadRequest, fmt.Sprintf("%q can't be a JSON %s", wrong.Field, wrong.Value))
	case err == io.EOF, errors.As(err, &syntax) && syntax.Offset == 0:
		Fail(w, http.StatusBadRequest, "the body is empty")
	case errors.As(err, &syntax):
		Fail(w, http.StatusBadRequest, fmt.Sprintf("the body is no JSON: %s, at byte %d", syntax, syntax.Offset))
	default: // the connection is broken; the response is not read
		Fail(w, http.StatusBadRequest, "the body ends too early")
	}
}

// FailStore responds to an error of the database.
func FailStore(w http.ResponseWriter, r *http.Request, o *Options, err error) {
	if r.Context().Err() == context.Canceled { // the client has left
		Fail(w, statusGone, "canceled")
		return
	}
	o.Log.LogAttrs(r.Context(), slogError, "database", slogErr(err))
	Fail(w, http.StatusServiceUnavailable, "the database does not answer")
}

// statusGone is logged for a request whose client has left.
const statusGone = 499
