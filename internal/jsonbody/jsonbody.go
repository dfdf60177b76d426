// Package jsonbody contains the parts of Read, Write and Status that the HTTP packages share: reading a
// request's body, bounding the memory that a Content-Length may claim, and the status of each error.
package jsonbody

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
)

// Read reads a document from r into the value pointed to by v, like [arenajson.UnmarshalRead]. length is the
// stated length of r, or 0 or less if it is unknown. The error for an empty body is io.EOF. known returns the
// status of errors that only the caller knows, and 0 for other errors.
func Read(a *arena.Arena, r io.Reader, length int64, v any, known func(error) int, opts []arenajson.Option) error {
	b, err := newBody(a, r, length)
	if err != nil {
		return err
	}
	err = arenajson.UnmarshalRead(a, b, v, opts...)
	if err == nil {
		return nil
	}
	var syntax *json.SyntaxError
	switch {
	case b.read == 0 && errors.As(err, &syntax):
		return io.EOF
	case known(err) != 0 || Known(err) != 0:
		return err
	case b.err != io.EOF:
		return ofBody(err)
	}
	return Data(err)
}

func newBody(a *arena.Arena, r io.Reader, length int64) (b *body, err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *arena.LimitError:
			err = v
		default:
			panic(v)
		}
	}()
	return arena.NewOf(a, body{r: r, length: length}), nil
}

// Recovered returns the status of a recovered panic value that is a limit's error.
func Recovered(v any) (status int, ok bool) {
	err, _ := v.(error)
	var over *arena.LimitError
	if !errors.As(err, &over) {
		return 0, false
	}
	return Refused(over), true
}

// MustFit panics with err if it is a limit's error.
func MustFit(err error) {
	var over *arena.LimitError
	if errors.As(err, &over) {
		panic(over)
	}
}

// body is a request's body. It records how reading has ended.
type body struct {
	r            io.Reader
	length, read int64 // length is the stated length
	err          error
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.read, b.err = b.read+int64(n), err
	return n, err
}

// Len returns the rest of the stated length, or 0. It may be wrong; callers treat it as a hint.
func (b *body) Len() int { return int(min(max(0, b.length-b.read), math.MaxInt)) }

// failed is an error with a status that only Read knows.
type failed struct {
	error
	status int
}

func (f *failed) Unwrap() error { return f.error }

// ofBody returns the error of a body that could not be read to its end. It is the client's error unless it is
// a timeout.
func ofBody(err error) error {
	var slow interface{ Timeout() bool }
	switch {
	case errors.Is(err, context.DeadlineExceeded): // it also has a method Timeout
		return &failed{err, http.StatusServiceUnavailable}
	case errors.As(err, &slow) && slow.Timeout():
		return &failed{err, http.StatusRequestTimeout}
	}
	return &failed{err, http.StatusBadRequest}
}

// Data returns the error of a body that was read. It is the client's if the document does not fit the types,
// including errors of their methods.
func Data(err error) error {
	var program *json.InvalidUnmarshalError
	if Known(err) != 0 || errors.As(err, &program) {
		return err
	}
	return &failed{err, http.StatusBadRequest}
}

// Status returns the status for an error of Read, and 500 for other errors.
func Status(err error, known func(error) int) int {
	var f *failed
	if errors.As(err, &f) {
		return f.status
	}
	for _, of := range []func(error) int{known, Known} {
		if status := of(err); status != 0 {
			return status
		}
	}
	return http.StatusInternalServerError
}

// Known returns the status of errors that imply one, and 0 for others.
func Known(err error) int {
	var over *arena.LimitError
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &over):
		return Refused(over)
	case errors.As(err, &syntax), errors.As(err, &wrong), err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF):
		return http.StatusBadRequest
	}
	return 0
}

// Refused returns the status for a request that exceeded a limit.
func Refused(over *arena.LimitError) int {
	if over.Retry {
		return http.StatusServiceUnavailable
	}
	return http.StatusRequestEntityTooLarge
}
