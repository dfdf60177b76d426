package arenahttp

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/door"
)

// exchange is all that a request needs here, in one allocation.
type exchange struct {
	context requestContext
	view    view
}

// requestContext is the request's context. It lies on the heap and not in the arena:
// contexts are kept by all kinds of code, and one that is asked late must know that
// its arena is gone.
type requestContext struct {
	context.Context
	pool  *arena.ArenaPool
	arena atomic.Pointer[arena.Arena] // nil before it is asked for, and when the request has been handled
	mu    sync.Mutex
	ended bool        // under mu: the request has been handled
	timed atomic.Bool // a context with a deadline may have been derived
}

func (c *requestContext) Value(key any) any {
	if _, ok := key.(door.ContextKey); ok {
		if a := c.arena.Load(); a != nil {
			return a
		}
		return c.take()
	}
	return c.Context.Value(key)
}

// take gets the arena when it is first asked for: a request that waits, in a queue or
// for a database, has none before it needs one.
func (c *requestContext) take() *arena.Arena {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.arena.Load()
	if a == nil && !c.ended {
		a = c.pool.Get()
		c.arena.Store(a)
	}
	return a
}

// end returns the arena, nil if it was never asked for, and leads to none from now on.
// What may go on keeps the one that it has, and gets no other.
func (c *requestContext) end(goesOn bool) *arena.Arena {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if goesOn {
		return nil
	}
	return c.arena.Swap(nil)
}

// Deadline is what context.WithTimeout and context.WithDeadline ask first.
func (c *requestContext) Deadline() (time.Time, bool) {
	c.timed.Store(true)
	return c.Context.Deadline()
}

// response notes what has become of the answer, for what can't be told from an
// http.ResponseWriter.
type response struct {
	http.ResponseWriter
	status   int // 0 until the header is written
	hijacked bool
}

func (w *response) WriteHeader(status int) {
	if w.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) { // else it is informational
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *response) wrote() {
	if w.status == 0 {
		w.status = http.StatusOK
	}
}

func (w *response) Write(b []byte) (int, error) {
	w.wrote()
	return w.ResponseWriter.Write(b)
}

func (w *response) WriteString(s string) (int, error) {
	w.wrote()
	return io.WriteString(w.ResponseWriter, s)
}

// ReadFrom is what lets io.Copy use the system's way from a file to a connection.
func (w *response) ReadFrom(r io.Reader) (int64, error) {
	w.wrote()
	return io.Copy(w.ResponseWriter, r)
}

// Unwrap is for http.ResponseController.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// FlushError is what http.ResponseController looks for first; without it a flush
// would go past status.
func (w *response) FlushError() error {
	err := http.NewResponseController(w.ResponseWriter).Flush()
	if err == nil {
		w.wrote()
	}
	return err
}

func (w *response) flush() {
	w.wrote()
	w.ResponseWriter.(http.Flusher).Flush()
}

func (w *response) hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := w.ResponseWriter.(http.Hijacker).Hijack()
	w.hijacked = w.hijacked || err == nil
	return conn, buffered, err
}

func (w *response) push(target string, opts *http.PushOptions) error {
	return w.ResponseWriter.(http.Pusher).Push(target, opts)
}

// A view is a response. What of http.Flusher, http.Hijacker and http.Pusher the
// writer has is said by its type, since programs ask with a type assertion: one type
// for each set, all of one layout, so that one exchange can be any of them.
type (
	view struct{ response }
	f    view
	h    view
	p    view
	fh   view
	fp   view
	hp   view
	fhp  view
)

func (w *f) Flush()   { w.flush() }
func (w *fh) Flush()  { w.flush() }
func (w *fp) Flush()  { w.flush() }
func (w *fhp) Flush() { w.flush() }

func (w *h) Hijack() (net.Conn, *bufio.ReadWriter, error)   { return w.hijack() }
func (w *fh) Hijack() (net.Conn, *bufio.ReadWriter, error)  { return w.hijack() }
func (w *hp) Hijack() (net.Conn, *bufio.ReadWriter, error)  { return w.hijack() }
func (w *fhp) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.hijack() }

func (w *p) Push(target string, o *http.PushOptions) error   { return w.push(target, o) }
func (w *fp) Push(target string, o *http.PushOptions) error  { return w.push(target, o) }
func (w *hp) Push(target string, o *http.PushOptions) error  { return w.push(target, o) }
func (w *fhp) Push(target string, o *http.PushOptions) error { return w.push(target, o) }

// writer is the exchange as an http.ResponseWriter that can what the one before it
// can.
func (x *exchange) writer() http.ResponseWriter {
	v, w := &x.view, x.view.ResponseWriter
	_, flushes := w.(http.Flusher)
	_, hijacks := w.(http.Hijacker)
	_, pushes := w.(http.Pusher)
	switch {
	case flushes && hijacks && pushes:
		return (*fhp)(v)
	case flushes && hijacks:
		return (*fh)(v)
	case flushes && pushes:
		return (*fp)(v)
	case hijacks && pushes:
		return (*hp)(v)
	case flushes:
		return (*f)(v)
	case hijacks:
		return (*h)(v)
	case pushes:
		return (*p)(v)
	}
	return v
}
