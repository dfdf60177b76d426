package arenahttp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
)

// lentText is a request's body that reports each Read and Close after the loan is over.
type lentText struct {
	t      *testing.T
	name   string
	r      io.Reader
	closed atomic.Int64
	over   atomic.Bool
}

func (b *lentText) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.over.Load() {
		b.t.Errorf("%s: the body was read after RoundTrip", b.name)
	}
	return n, err
}

func (b *lentText) Close() error {
	b.closed.Add(1)
	if b.over.Load() {
		b.t.Errorf("%s: the body was closed after RoundTrip", b.name)
	}
	if c, ok := b.r.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answerOf(text string) *http.Response {
	return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(text))}
}

var errRoundTrip = errors.New("round trip")

// When RoundTrip returns, the body has been closed once and is never read again, whatever the inner
// RoundTripper does within its contract, and in some cases outside of it.
func TestTransportEndsTheLoan(t *testing.T) {
	later := func(f func()) { time.AfterFunc(20*time.Millisecond, f) }
	for name, x := range map[string]struct {
		do   func(r *http.Request, wait *sync.WaitGroup) (*http.Response, error)
		body func() io.Reader
		err  error
	}{
		"reads and closes": {do: func(r *http.Request, _ *sync.WaitGroup) (*http.Response, error) {
			io.Copy(io.Discard, r.Body)
			return answerOf("x"), r.Body.Close()
		}},
		"closes late": {do: func(r *http.Request, w *sync.WaitGroup) (*http.Response, error) {
			w.Add(1)
			later(func() { defer w.Done(); r.Body.Close() })
			return answerOf("x"), nil
		}},
		"reads and closes late": {do: func(r *http.Request, w *sync.WaitGroup) (*http.Response, error) {
			w.Add(1)
			later(func() {
				defer w.Done()
				if got, err := io.ReadAll(r.Body); len(got) != 10_000 || err != nil {
					t.Errorf("%d bytes, error %v", len(got), err)
				}
				r.Body.Close()
			})
			return answerOf("x"), nil
		}},
		"reads to the end and never closes": {do: func(r *http.Request, _ *sync.WaitGroup) (*http.Response, error) {
			io.Copy(io.Discard, r.Body)
			return answerOf("x"), nil
		}},
		"never reads nor closes": {do: func(r *http.Request, w *sync.WaitGroup) (*http.Response, error) {
			w.Add(1)
			time.AfterFunc(400*time.Millisecond, func() {
				defer w.Done()
				if n, err := r.Body.Read(make([]byte, 1)); n != 0 || err == nil {
					t.Errorf("late Read = %d, %v, want an error", n, err)
				}
				if n, err := r.Body.Read(make([]byte, 1)); n != 0 || err == nil {
					t.Errorf("late Read = %d, %v, want an error", n, err)
				}
			})
			return answerOf("x"), nil
		}},
		"fails and closes": {do: func(r *http.Request, _ *sync.WaitGroup) (*http.Response, error) {
			r.Body.Close()
			return nil, errRoundTrip
		}, err: errRoundTrip},
		"fails and never closes": {do: func(r *http.Request, w *sync.WaitGroup) (*http.Response, error) {
			w.Add(1)
			later(func() { defer w.Done(); io.Copy(io.Discard, r.Body) })
			return nil, errRoundTrip
		}, err: errRoundTrip},
		"fails while it reads": {do: func(r *http.Request, w *sync.WaitGroup) (*http.Response, error) {
			w.Add(1)
			begun := make(chan bool)
			go func() {
				defer w.Done()
				close(begun)
				io.Copy(io.Discard, r.Body)
			}()
			<-begun
			time.Sleep(time.Millisecond)
			return nil, errRoundTrip
		}, body: func() io.Reader { r, _ := io.Pipe(); return r }, err: errRoundTrip},
		"sends again": {do: func(r *http.Request, w *sync.WaitGroup) (*http.Response, error) {
			r.Body.Close()
			again, err := r.GetBody()
			if err != nil {
				return nil, err
			}
			w.Add(1)
			later(func() {
				defer w.Done()
				if got, err := io.ReadAll(again); len(got) != 10_000 || err != nil {
					t.Errorf("%d bytes, error %v", len(got), err)
				}
				again.Close()
			})
			return answerOf("x"), nil
		}},
		"a read error": {do: func(r *http.Request, _ *sync.WaitGroup) (*http.Response, error) {
			_, err := io.Copy(io.Discard, r.Body)
			_, again := r.Body.Read(make([]byte, 1))
			if err != errPicky || again != errPicky {
				t.Errorf("Read: %v, then %v, want %v", err, again, errPicky)
			}
			return nil, err
		}, body: func() io.Reader { return io.MultiReader(strings.NewReader("x"), errReader{}) }, err: errPicky},
	} {
		var bodies []*lentText
		newBody := func() *lentText {
			b := &lentText{t: t, name: name, r: bytes.NewReader(make([]byte, 10_000))}
			if x.body != nil {
				b.r = x.body()
			}
			bodies = append(bodies, b)
			return b
		}
		r, err := http.NewRequest("POST", "http://x/", newBody())
		if err != nil {
			t.Fatal(err)
		}
		r.GetBody = func() (io.ReadCloser, error) { return newBody(), nil }
		var wait sync.WaitGroup
		resp, err := arenahttp.Transport(roundTripper(func(r *http.Request) (*http.Response, error) { return x.do(r, &wait) })).RoundTrip(r)
		for _, b := range bodies {
			b.over.Store(true)
			if n := b.closed.Load(); n != 1 {
				t.Errorf("%s: a body was closed %d times", name, n)
			}
		}
		if err != x.err {
			t.Errorf("%s: error %v, want %v", name, err, x.err)
		}
		if err == nil {
			got, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if string(got) != "x" {
				t.Errorf("%s: answer %q", name, got)
			}
		}
		wait.Wait()
	}
}

// If the inner transport breaks the contract of RoundTripper, its panic continues, nil results are left to
// http.Client, and the body has been closed.
func TestTransportThatBreaksTheContract(t *testing.T) {
	noBody := &http.Response{StatusCode: 200}
	for name, x := range map[string]struct {
		rt      roundTripper
		want    *http.Response
		wantErr error
		panics  bool
	}{
		"panics":               {rt: func(*http.Request) (*http.Response, error) { panic(errRoundTrip) }, panics: true},
		"panics after a Read":  {rt: func(r *http.Request) (*http.Response, error) { r.Body.Read(make([]byte, 1)); panic(errRoundTrip) }, panics: true},
		"no response":          {rt: func(*http.Request) (*http.Response, error) { return nil, nil }},
		"no body":              {rt: func(*http.Request) (*http.Response, error) { return noBody, nil }, want: noBody},
		"response and error":   {rt: func(*http.Request) (*http.Response, error) { return noBody, errRoundTrip }, want: noBody, wantErr: errRoundTrip},
		"no body but it reads": {rt: func(r *http.Request) (*http.Response, error) { io.ReadAll(r.Body); return noBody, nil }, want: noBody},
	} {
		body := &lentText{t: t, name: name, r: strings.NewReader("text")}
		r, err := http.NewRequest("POST", "http://localhost", body)
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() {
				if v := recover(); (v == errRoundTrip) != x.panics {
					t.Errorf("%s: RoundTrip panicked with %v", name, v)
				}
			}()
			resp, err := arenahttp.Transport(x.rt).RoundTrip(r)
			if resp != x.want || err != x.wantErr || resp != nil && resp.Body != nil {
				t.Errorf("%s: RoundTrip() = %v, %v", name, resp, err)
			}
		}()
		if body.over.Store(true); body.closed.Load() != 1 {
			t.Errorf("%s: the body was closed %d times", name, body.closed.Load())
		}
	}
}

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, errPicky }

// A Read after the end blocks until the response is read, closed or canceled. If it failed, net/http would
// close the connection and cut off the response.
func TestTransportHoldsLateReads(t *testing.T) {
	for name, end := range map[string]func(resp *http.Response, sent *http.Request, cancel func()){
		"the answer is read":   func(resp *http.Response, _ *http.Request, _ func()) { io.Copy(io.Discard, resp.Body) },
		"the answer is closed": func(resp *http.Response, _ *http.Request, _ func()) { resp.Body.Close() },
		"the request ends":     func(_ *http.Response, _ *http.Request, cancel func()) { cancel() },
		"the body is closed":   func(_ *http.Response, sent *http.Request, _ func()) { sent.Body.Close() },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r, _ := http.NewRequestWithContext(ctx, "POST", "http://x/", struct{ io.Reader }{strings.NewReader("body")})
		var sent *http.Request
		resp, err := arenahttp.Transport(roundTripper(func(r *http.Request) (*http.Response, error) {
			sent = r
			return answerOf("answer"), nil
		})).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		go func() {
			_, err := sent.Body.Read(make([]byte, 1))
			done <- err
		}()
		select {
		case err := <-done:
			t.Errorf("%s: a late Read returned %v before", name, err)
			continue
		case <-time.After(20 * time.Millisecond):
		}
		end(resp, sent, cancel)
		select {
		case err := <-done:
			if err == nil || err == io.EOF {
				t.Errorf("%s: a late Read returned %v", name, err)
			}
		case <-time.After(5 * time.Second):
			t.Errorf("%s: a late Read waits", name)
		}
	}
}

// A transport that calls GetBody after RoundTrip has returned gets no arena memory.
func TestTransportLateGetBody(t *testing.T) {
	r, _ := http.NewRequest("POST", "http://x/", strings.NewReader("body"))
	var sent *http.Request
	arenahttp.Transport(roundTripper(func(r *http.Request) (*http.Response, error) {
		sent = r
		return answerOf(""), r.Body.Close()
	})).RoundTrip(r)
	b, err := sent.GetBody()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(b); len(got) != 0 || err == nil {
		t.Errorf("ReadAll = %q, %v, want an error", got, err)
	}
}

// The body of 101 Switching Protocols is writable and must not be wrapped.
func TestTransportSwitchingProtocols(t *testing.T) {
	r, _ := http.NewRequest("POST", "http://x/", strings.NewReader("body"))
	resp := &http.Response{StatusCode: http.StatusSwitchingProtocols, Body: struct {
		io.ReadCloser
		io.Writer
	}{io.NopCloser(strings.NewReader("")), io.Discard}}
	got, err := arenahttp.Transport(roundTripper(func(r *http.Request) (*http.Response, error) { return resp, nil })).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := got.Body.(io.Writer); !ok {
		t.Errorf("Body is a %T, want an io.Writer", got.Body)
	}
}

// A request without a body is passed through.
func TestTransportPassesThrough(t *testing.T) {
	for _, body := range []io.ReadCloser{nil, http.NoBody} {
		r, _ := http.NewRequest("GET", "http://u:p@x/a%2Fb?q#f", nil)
		r.Body = body
		base := answerOf("")
		resp, err := arenahttp.Transport(roundTripper(func(sent *http.Request) (*http.Response, error) {
			if sent.Body != body || sent == r || sent.URL.String() != r.URL.String() || sent.Trailer != nil {
				t.Errorf("sent %+v for %+v", sent, r)
			}
			base.Request = sent
			return base, nil
		})).RoundTrip(r)
		if resp != base || err != nil || resp.Request != r {
			t.Errorf("RoundTrip = %p, %v with Request %p, want %p with %p", resp, err, resp.Request, base, r)
		}
	}
	closes := &closing{}
	(&http.Client{Transport: arenahttp.Transport(closes)}).CloseIdleConnections()
	if closes.n != 1 {
		t.Errorf("CloseIdleConnections called %d times", closes.n)
	}
	(&http.Client{Transport: arenahttp.Transport(roundTripper(nil))}).CloseIdleConnections()
}

type closing struct {
	http.RoundTripper
	n int
}

func (c *closing) CloseIdleConnections() { c.n++ }

// Strings of the request are copied, because transports keep them after the request.
func TestTransportCopiesStrings(t *testing.T) {
	a := arena.NewArena(4096, 0)
	secret := func() string { return a.Concat("sec", "ret") }
	r := &http.Request{
		Method: secret(), Host: secret(),
		URL:     &url.URL{Scheme: secret(), Opaque: secret(), Host: secret(), Path: secret(), RawPath: secret(), RawQuery: secret(), Fragment: secret(), RawFragment: secret(), User: url.UserPassword(secret(), secret())},
		Header:  http.Header{secret(): {secret(), secret()}},
		Trailer: http.Header{secret(): nil},
	}
	body := strings.NewReader("x")
	r.Body = io.NopCloser(readers{body, func() { r.Trailer["secret"] = arena.SliceOf(a, secret()) }})
	var sent *http.Request
	arenahttp.Transport(roundTripper(func(r *http.Request) (*http.Response, error) {
		io.Copy(io.Discard, r.Body)
		sent = r
		return answerOf(""), nil
	})).RoundTrip(r)
	password, _ := sent.URL.User.Password()
	u := sent.URL
	got := []string{sent.Method, sent.Host, u.Scheme, u.Opaque, u.Host, u.Path, u.RawPath, u.RawQuery, u.Fragment, u.RawFragment, u.User.Username(), password}
	for _, h := range []http.Header{sent.Header, sent.Trailer} {
		n := 0
		for field, values := range h {
			got = append(append(got, field), values...)
			n += len(values)
		}
		if n == 0 {
			t.Errorf("header %v has no values", h)
		}
	}
	a.Reset()
	for range 100 {
		a.AllocString("public")
	}
	for i, s := range got {
		if s != "secret" {
			t.Errorf("string %d is %q", i, s)
		}
	}
}

type readers struct {
	io.Reader
	end func()
}

func (r readers) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err == io.EOF {
		r.end()
	}
	return n, err
}

// earlyServer responds before it has read the body: one path stops reading, one continues, one redirects.
// verify gets the body that the second one has read.
func earlyServer(t *testing.T, h2 bool, verify func(http.Header, []byte)) *httptest.Server {
	large := strings.Repeat("answer ", 20_000)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/stops":
			w.WriteHeader(http.StatusBadGateway)
			io.WriteString(w, large)
		case "/goes-on":
			http.NewResponseController(w).EnableFullDuplex()
			w.WriteHeader(http.StatusOK)
			http.NewResponseController(w).Flush()
			b, _ := io.ReadAll(r.Body)
			verify(r.Header, b)
			io.WriteString(w, large)
		case "/redirects":
			http.Redirect(w, r, "/reads", http.StatusTemporaryRedirect)
		case "/reads":
			b, _ := io.ReadAll(r.Body)
			verify(r.Header, b)
			io.WriteString(w, large)
		}
	}))
	s.EnableHTTP2 = h2
	if h2 {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s
}

// Clients with requests in arenas get complete responses from servers that respond early, and no server gets
// a byte of another request.
func TestTransportEarlyAnswers(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		s := earlyServer(t, h2, func(h http.Header, body []byte) {
			id := h.Get("X-Id")
			for i, c := range body {
				if len(id) == 0 || c != id[0] {
					t.Errorf("HTTP/2 %t: byte %d is %q in request %q", h2, i, c, id)
					break
				}
			}
		})
		client := s.Client()
		client.Transport = arenahttp.Transport(client.Transport)
		client.Timeout = 20 * time.Second
		pool := arena.NewArenaPool(64<<10, 64<<20)
		var found atomic.Int64
		pool.SetMisuseSampling(2, func(*arena.MisuseReport) { found.Add(1) })
		var wg sync.WaitGroup
		whole := map[string]*atomic.Int64{"/stops": {}, "/goes-on": {}, "/redirects": {}, "/reads": {}}
		end := time.Now().Add(map[bool]time.Duration{true: 300 * time.Millisecond, false: 2 * time.Second}[testing.Short()])
		for g := range 4 {
			wg.Go(func() {
				for i := g; time.Now().Before(end); i++ {
					path := []string{"/stops", "/goes-on", "/redirects", "/reads"}[i%4]
					err := sendFromArena(pool, client, s.URL+path, byte('a'+i%26), i)
					if err == nil {
						whole[path].Add(1)
					} else if path != "/goes-on" && path != "/stops" { // on a busy machine one may stall and one close early
						t.Errorf("HTTP/2 %t: %s: %v", h2, path, err)
					}
				}
			})
		}
		wg.Wait()
		for path, n := range whole {
			if n.Load() == 0 {
				t.Errorf("HTTP/2 %t: %s: no request had a whole answer", h2, path)
			}
		}
		if n := found.Load(); n != 0 {
			t.Errorf("HTTP/2 %t: %d uses of arena memory after its end", h2, n)
		}
	}
}

func sendFromArena(pool *arena.ArenaPool, client *http.Client, url string, id byte, i int) error {
	a := pool.Get()
	defer pool.Put(a)
	b := a.AllocBytes(1 << (10 + 3*(i%5))) // up to 4 MB
	for i := range b {
		b[i] = id
	}
	var body io.Reader = bytes.NewReader(b)
	if i%3 == 0 {
		body = io.MultiReader(body) // chunked, and cannot be sent again
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "POST", a.AllocString(url), body)
	if err != nil {
		return err
	}
	r.Header.Set("X-Id", a.Sprintf("%c", id))
	canceled := i%7 == 0
	if canceled {
		time.AfterFunc(time.Duration(i%5)*time.Millisecond, cancel)
	}
	resp, err := client.Do(r)
	if err != nil {
		if canceled {
			return nil
		}
		return err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if canceled || resp.StatusCode == http.StatusTemporaryRedirect { // the body cannot be sent again
		return nil
	}
	if err != nil || len(got) != len("answer ")*20_000 {
		return fmt.Errorf("status %d, %d bytes, error %w", resp.StatusCode, len(got), err)
	}
	return nil
}

// HTTP/2's header compression compares fields with those sent before. If it kept strings of an arena, it
// would send another request's value.
func TestTransportHeaderCompression(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Header.Get("X-User")) }))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	client := s.Client()
	client.Transport = arenahttp.Transport(client.Transport)
	a := arena.NewArena(4096, 0)
	for range 10 {
		for _, user := range []string{"alice", "bobby"} {
			r, _ := http.NewRequest("GET", s.URL, nil)
			r.Header.Set("X-User", a.AllocString(user))
			resp, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if string(got) != user {
				t.Fatalf("the server saw %q, sent was %q", got, user)
			}
			a.Reset()
		}
	}
}
