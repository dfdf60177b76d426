package arenahttp

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/ebbpool/arena/internal/goroutine"
	"github.com/ebbpool/arena/internal/machine"
)

// response records whether the response has begun, because Handler responds to an exceeded limit only before that. It
// copies header fields in the request's arena to the heap before they are sent.
type response struct {
	http.ResponseWriter
	request         *request
	begun, hijacked bool
}

// begin is called before any output.
func (w *response) begin() {
	if !w.begun {
		w.keepHeader()
		w.begun = true
	}
}

// WriteHeader copies the header at each call: 1xx responses also send it, and the header compression of HTTP/2 keeps
// fields as long as the connection.
func (w *response) WriteHeader(status int) {
	w.keepHeader()
	if status >= 200 || status == http.StatusSwitchingProtocols { // else it is informational
		w.begun = true
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(b []byte) (int, error) {
	w.begin()
	return w.ResponseWriter.Write(b)
}

func (w *response) WriteString(s string) (int, error) {
	w.begin()
	return io.WriteString(w.ResponseWriter, s)
}

// ReadFrom lets io.Copy use sendfile.
func (w *response) ReadFrom(r io.Reader) (int64, error) {
	w.begin()
	return io.Copy(w.ResponseWriter, r)
}

// Unwrap is for http.ResponseController.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// The following methods are for http.ResponseController and for programs that use type assertions. Without FlushError a
// flush would bypass begin. They return http.ErrNotSupported if the original writer does not support them.

func (w *response) control() *http.ResponseController {
	return http.NewResponseController(w.ResponseWriter)
}

func (w *response) FlushError() error {
	if !w.begun {
		w.keepHeader()
	}
	err := w.control().Flush()
	w.begun = w.begun || err == nil
	return err
}

func (w *response) SetReadDeadline(t time.Time) error  { return w.control().SetReadDeadline(t) }
func (w *response) SetWriteDeadline(t time.Time) error { return w.control().SetWriteDeadline(t) }
func (w *response) EnableFullDuplex() error            { return w.control().EnableFullDuplex() }

func (w *response) flush() {
	w.begin()
	w.ResponseWriter.(http.Flusher).Flush()
}

func (w *response) hijack() (net.Conn, *bufio.ReadWriter, error) {
	if !w.begun {
		w.keepHeader()
	}
	conn, buffered, err := w.control().Hijack()
	w.hijacked = w.hijacked || err == nil
	return conn, buffered, err
}

// push copies its arguments, because the pushed request may outlive this one.
func (w *response) push(target string, opts *http.PushOptions) error {
	if w.request.arena.Load() != nil {
		target = strings.Clone(target)
		if opts != nil {
			opts = &http.PushOptions{Method: strings.Clone(opts.Method), Header: opts.Header.Clone()}
			keep(opts.Header, nil)
		}
	}
	return w.ResponseWriter.(http.Pusher).Push(target, opts)
}

func (w *response) notify() <-chan bool {
	return w.ResponseWriter.(http.CloseNotifier).CloseNotify()
}

// A view is a response. Programs find out by type assertions whether a writer implements http.Flusher, http.Hijacker,
// http.Pusher and http.CloseNotifier. So there is a type for each set of these. All have the same layout, so that an
// exchange can be converted to each of them.
type (
	view struct{ response }
	f    view
	h    view
	fh   view
	p    view
	fp   view
	hp   view
	fhp  view
	c    view
	fc   view
	hc   view
	fhc  view
	pc   view
	fpc  view
	hpc  view
	fhpc view
)

func (w *f) Flush()    { w.flush() }
func (w *fh) Flush()   { w.flush() }
func (w *fp) Flush()   { w.flush() }
func (w *fhp) Flush()  { w.flush() }
func (w *fc) Flush()   { w.flush() }
func (w *fhc) Flush()  { w.flush() }
func (w *fpc) Flush()  { w.flush() }
func (w *fhpc) Flush() { w.flush() }

func (w *h) Hijack() (net.Conn, *bufio.ReadWriter, error)    { return w.hijack() }
func (w *fh) Hijack() (net.Conn, *bufio.ReadWriter, error)   { return w.hijack() }
func (w *hp) Hijack() (net.Conn, *bufio.ReadWriter, error)   { return w.hijack() }
func (w *fhp) Hijack() (net.Conn, *bufio.ReadWriter, error)  { return w.hijack() }
func (w *hc) Hijack() (net.Conn, *bufio.ReadWriter, error)   { return w.hijack() }
func (w *fhc) Hijack() (net.Conn, *bufio.ReadWriter, error)  { return w.hijack() }
func (w *hpc) Hijack() (net.Conn, *bufio.ReadWriter, error)  { return w.hijack() }
func (w *fhpc) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.hijack() }

func (w *p) Push(target string, o *http.PushOptions) error    { return w.push(target, o) }
func (w *fp) Push(target string, o *http.PushOptions) error   { return w.push(target, o) }
func (w *hp) Push(target string, o *http.PushOptions) error   { return w.push(target, o) }
func (w *fhp) Push(target string, o *http.PushOptions) error  { return w.push(target, o) }
func (w *pc) Push(target string, o *http.PushOptions) error   { return w.push(target, o) }
func (w *fpc) Push(target string, o *http.PushOptions) error  { return w.push(target, o) }
func (w *hpc) Push(target string, o *http.PushOptions) error  { return w.push(target, o) }
func (w *fhpc) Push(target string, o *http.PushOptions) error { return w.push(target, o) }

func (w *c) CloseNotify() <-chan bool    { return w.notify() }
func (w *fc) CloseNotify() <-chan bool   { return w.notify() }
func (w *hc) CloseNotify() <-chan bool   { return w.notify() }
func (w *fhc) CloseNotify() <-chan bool  { return w.notify() }
func (w *pc) CloseNotify() <-chan bool   { return w.notify() }
func (w *fpc) CloseNotify() <-chan bool  { return w.notify() }
func (w *hpc) CloseNotify() <-chan bool  { return w.notify() }
func (w *fhpc) CloseNotify() <-chan bool { return w.notify() }

// hijacks reports whether an http.ResponseController finds an http.Hijacker at w or by Unwrap. If the view did not
// implement it, a hijack would bypass hijack.
func hijacks(w http.ResponseWriter) bool {
	for {
		switch x := w.(type) {
		case http.Hijacker:
			return true
		case interface{ Unwrap() http.ResponseWriter }:
			w = x.Unwrap()
		default:
			return false
		}
	}
}

// writer returns the view with the type that implements the same interfaces as the original writer.
func (v *view) writer() http.ResponseWriter {
	set := 0
	if _, ok := v.ResponseWriter.(http.Flusher); ok {
		set |= 1
	}
	if hijacks(v.ResponseWriter) {
		set |= 2
	}
	if _, ok := v.ResponseWriter.(http.Pusher); ok {
		set |= 4
	}
	if _, ok := v.ResponseWriter.(http.CloseNotifier); ok {
		set |= 8
	}
	return [...]http.ResponseWriter{
		v, (*f)(v), (*h)(v), (*fh)(v), (*p)(v), (*fp)(v), (*hp)(v), (*fhp)(v),
		(*c)(v), (*fc)(v), (*hc)(v), (*fhc)(v), (*pc)(v), (*fpc)(v), (*hpc)(v), (*fhpc)(v),
	}[set]
}

// keepHeader copies header fields in the request's arena to the heap, because net/http may send them after the arena
// was put back. It does nothing if no goroutine has asked for the arena. The response of an outer request copies the
// fields in its own arena.
func (w *response) keepHeader() {
	q := w.request
	if q.arena.Load() == nil {
		return
	}
	self, h := goroutine.Self(), w.Header()
	q.mu.Lock() // keeps holder 0 if it is, and the request from ending
	defer q.mu.Unlock()
	a := q.arena.Load()
	if a == nil || q.strayed {
		return // an abandoned arena is never reused
	}
	r := machine.RegionOf(a)
	if holder := q.holder.Load(); holder != 0 && holder != self || r.ForksInUse() {
		r = nil // another goroutine may be using the arena
	}
	keep(h, r)
}
