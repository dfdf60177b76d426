package arenahttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Transport returns a RoundTripper for requests whose body, URL or header is in an arena. After its RoundTrip returns,
// rt does not read the request's body, and keeps no string of its URL or header. A nil rt means
// [http.DefaultTransport].
//
//	client := &http.Client{Transport: arenahttp.Transport(nil)}
//
// Without it a client returns as soon as the server has answered. If that is before the server has read
// the body, net/http goes on reading the body in another goroutine, and the server may receive bytes of
// the next request that uses the arena.
//
// RoundTrip waits until the body has been read to its end or closed. If the server has responded and reads nothing of
// the body for a quarter of a second, RoundTrip returns the response, and the rest of the body is not sent. So a
// program cannot use Transport to write a body while it reads the response. If rt fails, for example because the
// context was canceled, RoundTrip closes the body. It always waits for a Read of the body that is in progress.
//
// The URL and the header are copied for each request.
func Transport(rt http.RoundTripper) http.RoundTripper { return &transport{rt} }

type transport struct{ next http.RoundTripper }

func (t *transport) base() http.RoundTripper {
	if t.next == nil {
		return http.DefaultTransport
	}
	return t.next
}

// CloseIdleConnections is called by the method of http.Client.
func (t *transport) CloseIdleConnections() {
	if c, ok := t.base().(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	sent, l := ownRequest(r)
	defer l.end() // also if rt panics
	resp, err := t.base().RoundTrip(sent)
	if err == nil && !l.awaitEnd() && resp != nil && resp.Body != nil && resp.StatusCode != http.StatusSwitchingProtocols {
		resp.Body = &heldAnswer{resp.Body, l.hold()}
	}
	if resp != nil && resp.Request == sent {
		resp.Request = r
	}
	return resp, err
}

// ownRequest returns a copy of r whose strings and body a transport may keep. For example, the header compression of
// HTTP/2 keeps header fields, and a connection pool keeps the host.
func ownRequest(r *http.Request) (*http.Request, *loan) {
	sent := r.WithContext(r.Context())
	sent.Method, sent.Host = strings.Clone(r.Method), strings.Clone(r.Host)
	sent.URL = ownURL(r.URL)
	sent.Header = r.Header.Clone()
	keep(sent.Header, nil)
	l := &loan{ctx: r.Context(), changed: make(chan struct{}, 1)}
	if r.Trailer != nil {
		sent.Trailer = make(http.Header, len(r.Trailer))
		for field := range r.Trailer {
			sent.Trailer[strings.Clone(field)] = nil
		}
		l.trailer = sync.OnceFunc(func() {
			for field, values := range r.Trailer { // at the end of the body, which sets the values
				sent.Trailer[strings.Clone(field)] = values
			}
			keep(sent.Trailer, nil)
		})
	}
	if r.Body == nil || r.Body == http.NoBody {
		return sent, l
	}
	sent.Body = l.lend(r.Body)
	if r.GetBody != nil {
		sent.GetBody = func() (io.ReadCloser, error) {
			b, err := r.GetBody()
			if err != nil || b == http.NoBody {
				return b, err
			}
			return l.lend(b), nil
		}
	}
	return sent, l
}

// ownURL returns a copy of u and its strings.
func ownURL(u *url.URL) *url.URL {
	if u == nil {
		return nil
	}
	c := *u
	for _, s := range []*string{&c.Scheme, &c.Opaque, &c.Host, &c.Path, &c.RawPath, &c.RawQuery, &c.Fragment, &c.RawFragment} {
		*s = strings.Clone(*s)
	}
	if u.User != nil {
		name := strings.Clone(u.User.Username())
		if password, ok := u.User.Password(); ok {
			c.User = url.UserPassword(name, strings.Clone(password))
		} else {
			c.User = url.User(name)
		}
	}
	return &c
}

// A loan has the bodies of one request: Body, and results of GetBody if a transport sends the request again.
type loan struct {
	ctx     context.Context
	trailer func() // copies the trailer; nil if there is none
	reads   atomic.Int64
	changed chan struct{} // receives when a body has ended

	mu       sync.Mutex
	ended    bool
	bodies   []*lentBody
	released chan struct{} // closed by release; nil before hold
	release  func()
}

const (
	// stalled is the time without a Read of the body after which RoundTrip returns the response. A server of
	// net/http closes the connection after 500 ms, even if the client has not read the response.
	stalled = 250 * time.Millisecond

	// answerTime is the time to read the response if the server continues to read the body. It is finite
	// because the server may send the rest of the response only after the body.
	answerTime = 5 * time.Second
)

var errLoanEnded = errors.New("arenahttp: Transport: body read after RoundTrip has returned")

func (l *loan) lend(b io.ReadCloser) io.ReadCloser {
	x := &lentBody{loan: l, body: b}
	l.mu.Lock()
	ended := l.ended
	l.bodies = append(l.bodies, x)
	l.mu.Unlock()
	if ended {
		x.Close()
	}
	return x
}

// awaitEnd waits until all bodies have ended. It returns false if no body is read for the time of stalled.
func (l *loan) awaitEnd() bool {
	if l.allEnded() {
		return true
	}
	before := l.reads.Load()
	tick := time.NewTicker(stalled)
	defer tick.Stop()
	for !l.allEnded() {
		select {
		case <-l.changed:
		case <-tick.C:
			now := l.reads.Load()
			if now == before {
				return false
			}
			before = now
		}
	}
	return true
}

func (l *loan) allEnded() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range l.bodies {
		if !b.ended.Load() {
			return false
		}
	}
	return true
}

// hold makes Reads after the end wait until the response has been read, or for answerTime, because their error makes a
// transport close the connection. The Reads continue when release is called.
func (l *loan) hold() (release func()) {
	released := make(chan struct{})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.released, l.release = released, sync.OnceFunc(func() { close(released) })
	return l.release
}

// end closes all bodies and waits for the Reads in progress.
func (l *loan) end() {
	l.mu.Lock()
	l.ended = true
	bodies := l.bodies
	l.mu.Unlock()
	for _, b := range bodies {
		b.finish()
		b.reading.Lock() // a Read that comes later sees ended
		b.reading.Unlock()
	}
}

// late returns the error of a Read after the end.
func (l *loan) late() error {
	l.mu.Lock()
	released := l.released
	l.mu.Unlock()
	if released != nil {
		select {
		case <-released:
		case <-l.ctx.Done():
		case <-time.After(answerTime):
		}
	}
	return errLoanEnded
}

// heldAnswer is the body of a response that arrived before the request's body was read.
type heldAnswer struct {
	io.ReadCloser
	release func()
}

func (a *heldAnswer) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	if err != nil {
		a.release()
	}
	return n, err
}

func (a *heldAnswer) Close() error {
	a.release()
	return a.ReadCloser.Close()
}

// lentBody reads body until that returns an error or is closed. It hides other methods, such as WriteTo, so
// that no transport keeps the memory that body reads from.
type lentBody struct {
	loan    *loan
	body    io.ReadCloser
	ended   atomic.Bool
	reading sync.Mutex // held during a Read
	readErr error      // of the Read that ended the body
	once    sync.Once
	err     error // of Close
}

func (b *lentBody) Read(p []byte) (int, error) {
	b.reading.Lock()
	if b.ended.Load() {
		err := b.readErr
		b.reading.Unlock()
		if err == nil {
			err = b.loan.late()
		}
		return 0, err
	}
	defer b.reading.Unlock()
	n, err := b.body.Read(p)
	b.loan.reads.Add(1)
	if err == io.EOF && b.loan.trailer != nil {
		b.loan.trailer()
	}
	if err != nil {
		b.readErr = err
		b.end()
	}
	return n, err
}

func (b *lentBody) end() {
	b.ended.Store(true)
	select {
	case b.loan.changed <- struct{}{}:
	default:
	}
}

// Close is called by the transport. A Read may be in progress, which Close may have to unblock.
func (b *lentBody) Close() error {
	b.finish()
	b.loan.mu.Lock()
	release := b.loan.release
	b.loan.mu.Unlock()
	if release != nil {
		release()
	}
	return b.err
}

func (b *lentBody) finish() {
	b.end()
	b.once.Do(func() { b.err = b.body.Close() })
}
