package arenahttp_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/ebbpool/arena/internal/testkit"
)

// picky is a type whose method rejects the document.
type picky struct{}

var errPicky = errors.New("picky")

func (*picky) UnmarshalJSON([]byte) error { return errPicky }

// Every error of a body has the correct status. A malformed body that counts as the server's error would
// cause an alert.
func TestStatus(t *testing.T) {
	reader := func(text string) func(*http.Request) {
		return func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader(text)) }
	}
	failing := func(err error) func(*http.Request) {
		return func(r *http.Request) {
			r.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"items":[`), iotest.ErrReader(err)))
		}
	}
	broken := func(err error) func(*http.Request) {
		return func(r *http.Request) { r.Body = io.NopCloser(iotest.ErrReader(err)) }
	}
	for name, x := range map[string]struct {
		prepare func(*http.Request)
		v       any
		status  int
		is      error
	}{
		"no body":            {func(r *http.Request) { r.Body = nil }, new(order), 400, io.EOF},
		"http.NoBody":        {func(r *http.Request) { r.Body = http.NoBody }, new(order), 400, io.EOF},
		"an empty one":       {reader(""), new(order), 400, io.EOF},
		"blanks":             {reader(" \n "), new(order), 400, nil},
		"half of one":        {reader(`{"items":[`), new(order), 400, nil},
		"two":                {reader(`{}{}`), new(order), 400, nil},
		"another type":       {reader(`[]`), new(order), 400, nil},
		"too large a number": {reader(`300`), new(int8), 400, nil},
		"no time":            {reader(`"soon"`), new(time.Time), 400, nil},
		"a method's error":   {reader(`5`), new(picky), 400, errPicky},
		"a number in no string": {reader(`{"N":5}`), new(struct {
			N int `json:",string"`
		}), 400, nil},
		"no pointer":            {reader(`{}`), order{}, 500, nil},
		"nil":                   {reader(`{}`), nil, 500, nil},
		"an unexpected end":     {failing(io.ErrUnexpectedEOF), new(order), 400, io.ErrUnexpectedEOF},
		"whatever":              {failing(errPicky), new(order), 400, errPicky},
		"nothing but an error":  {broken(errPicky), new(order), 400, errPicky},
		"no progress":           {broken(io.ErrNoProgress), new(order), 400, io.ErrNoProgress},
		"a closed connection":   {failing(net.ErrClosed), new(order), 400, net.ErrClosed},
		"a deadline":            {failing(os.ErrDeadlineExceeded), new(order), 408, os.ErrDeadlineExceeded},
		"a connection's":        {failing(&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}), new(order), 408, os.ErrDeadlineExceeded},
		"the client went":       {failing(context.Canceled), new(order), 400, context.Canceled},
		"a context's deadline":  {failing(fmt.Errorf("body: %w", context.DeadlineExceeded)), new(order), 503, context.DeadlineExceeded},
		"closed by the program": {failing(http.ErrBodyReadAfterClose), new(order), 500, http.ErrBodyReadAfterClose},
		"too large": {func(r *http.Request) {
			r.Body = http.MaxBytesReader(nil, io.NopCloser(strings.NewReader(`{"customer":"a long name"}`)), 10)
		}, new(order), 413, nil},
		"too large, wrapped": {failing(fmt.Errorf("body: %w", &http.MaxBytesError{Limit: 10})), new(order), 413, nil},
		"gzip that is none": {func(r *http.Request) {
			r.Body = io.NopCloser(lazyGzip{strings.NewReader("no gzip at all")})
		}, new(order), 400, gzip.ErrHeader},
	} {
		for _, length := range []int64{-1, 0, 10, 1 << 40} {
			r := httptest.NewRequest("POST", "/", nil)
			x.prepare(r)
			r.ContentLength = length
			err := arenahttp.Read(r, x.v)
			if err == nil || arenahttp.Status(err) != x.status || arenahttp.Status(fmt.Errorf("reading: %w", err)) != x.status && err != io.EOF {
				t.Errorf("%s, length %d: %d for %v, want %d", name, length, arenahttp.Status(err), err, x.status)
			}
			if x.is != nil && !errors.Is(err, x.is) {
				t.Errorf("%s: %v, want %v", name, err, x.is)
			}
			if (x.is == io.EOF || x.is == io.ErrUnexpectedEOF) && err != x.is {
				t.Errorf("%s: %#v, for which programs that compare have no eye", name, err)
			}
		}
	}
	// Of errors that are not from Read, only those about a document are the client's.
	for _, err := range []error{&json.SyntaxError{}, fmt.Errorf("query: %w", &json.UnmarshalTypeError{})} {
		if got := arenahttp.Status(err); got != 400 {
			t.Errorf("%d for %v", got, err)
		}
	}
	for _, err := range []error{nil, errPicky, os.ErrNotExist, &json.UnsupportedTypeError{}} {
		if got := arenahttp.Status(err); got != 500 {
			t.Errorf("%d for %v", got, err)
		}
	}
}

// lazyGzip reports errors when it is read.
type lazyGzip struct{ r io.Reader }

func (l lazyGzip) Read(p []byte) (int, error) {
	z, err := gzip.NewReader(l.r)
	if err != nil {
		return 0, err
	}
	return z.Read(p)
}

// A limit's error that a handler has recovered has the same status as in Handler.
func TestStatusOfALimit(t *testing.T) {
	pool := arena.NewArenaPool(4096, 0)
	pool.SetLimit(64<<10, 96<<10)
	for n, want := range map[int]int{1 << 20: 413, 60 << 10: 503} {
		other := pool.Get()
		if want == 503 {
			other.AllocBytes(50 << 10)
		}
		handled(pool, func(_ http.ResponseWriter, r *http.Request) {
			defer func() {
				if err, _ := recover().(error); arenahttp.Status(err) != want {
					t.Errorf("%d bytes: %d for %v, want %d", n, arenahttp.Status(err), err, want)
				}
			}()
			arena.FromContext(r.Context()).AllocBytes(n)
		})
		pool.Put(other)
	}
}

// The same with a server and a client.
func TestStatusThroughAServer(t *testing.T) {
	pool := arena.NewAutoPool(0)
	status := make(chan int, 1)
	s := serve(t, pool, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/soon" {
			http.NewResponseController(w).SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		}
		err := arenahttp.Read(r, new(order))
		status <- arenahttp.Status(err)
		if err == nil {
			t.Error("no error")
		}
	})
	const chunked = "Transfer-Encoding: chunked\r\n\r\n"
	for name, x := range map[string]struct {
		path, rest string
		cut        bool // the client stops sending
		status     int
	}{
		"no length of a chunk":  {"/", chunked + "xyz\r\n{}\r\n0\r\n\r\n", false, 400},
		"no number at all":      {"/", chunked + "\r\n{}\r\n0\r\n\r\n", false, 400},
		"too long a number":     {"/", chunked + "fffffffffffffffff\r\n{}", false, 400},
		"too long a line":       {"/", chunked + strings.Repeat("1", 10_000), false, 400},
		"a chunk without end":   {"/", chunked + "2\r\n{}xx0\r\n\r\n", false, 400},
		"a bare line feed":      {"/", chunked + "2;x=\n\r\n{}\r\n0\r\n\r\n", false, 400},
		"no last chunk":         {"/", chunked + "2\r\n{}\r\n", true, 400},
		"half a chunk":          {"/", chunked + "10\r\n{}\r\n", true, 400},
		"a bad trailer":         {"/", chunked + "2\r\n{}\r\n0\r\n: : :\r\nx", true, 400},
		"less than the length":  {"/", "Content-Length: 100\r\n\r\n{}", true, 400},
		"nothing of the length": {"/", "Content-Length: 100\r\n\r\n", true, 400},
		"too slow":              {"/soon", "Content-Length: 100\r\n\r\n{", false, 408},
		"too slow, chunked":     {"/soon", chunked + "10\r\n{", false, 408},
		"no JSON":               {"/", "Content-Length: 2\r\n\r\n{]", false, 400},
	} {
		c, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, "POST "+x.path+" HTTP/1.1\r\nHost: x\r\n"+x.rest)
		if x.cut {
			c.(*net.TCPConn).CloseWrite()
		}
		select {
		case got := <-status:
			if got != x.status {
				t.Errorf("%s: %d, want %d", name, got, x.status)
			}
		case <-time.After(time.Minute):
			t.Errorf("%s: no answer", name)
		}
		c.Close()
	}
	awaitIdle(t, pool)
}

// teller is a body that records the sizes of the buffers passed to Read.
type teller struct {
	r     io.Reader
	read  int
	most  int // room beyond max(firstRoom, 16 times the bytes read)
	last  int // where the last buffer ended
	first int // room before the first byte
}

func (r *teller) Read(p []byte) (int, error) {
	const slack = 64
	if r.read == 0 {
		r.first = len(p)
	}
	r.most = max(r.most, len(p)-max(16<<10, 16*r.read)-slack)
	r.last = r.read + len(p)
	n, err := r.r.Read(p)
	r.read += n
	return n, err
}

func (r *teller) Close() error { return nil }

// A false Content-Length costs nothing, because only received bytes count. A true one saves memory.
func TestContentLength(t *testing.T) {
	for _, n := range []int{2, 3, 1000, 16 << 10, 16<<10 + 1, 100_000, 3 << 20} {
		text := `"` + strings.Repeat("x", n-2) + `"`
		for _, length := range []int64{-1, 0, 1, int64(n) / 2, int64(n), int64(n) + 1, 10 * int64(n), 1 << 32, math.MaxInt64} {
			for _, whole := range []bool{false, true} {
				if !whole && n > 20_000 {
					continue
				}
				from := &teller{r: strings.NewReader(text)}
				if !whole {
					from.r = iotest.OneByteReader(from.r)
				}
				r := httptest.NewRequest("POST", "/", nil)
				r.Body, r.ContentLength = from, length
				var s string
				err := arenahttp.Read(r, &s)
				if err != nil || len(s) != n-2 {
					t.Fatalf("%d bytes, length %d: %v", n, length, err)
				}
				if length <= 0 && from.first < 400 {
					t.Errorf("%d bytes, length %d: a first room of %d", n, length, from.first)
				}
				if from.most > 0 {
					t.Errorf("%d bytes, length %d: %d bytes more room than what had come allows", n, length, from.most)
				}
				if length == int64(n) && n != 16<<10+1 && from.last > n+1 { // then the end is the end of the first buffer
					t.Errorf("room for %d bytes, and a length of %d", from.last, n)
				}
			}
		}
	}
}

// A body uses little more arena memory than its size, with and without Content-Length.
func TestLargeBody(t *testing.T) {
	testkit.NeedsReuse(t)
	const n = 10 << 20
	text := `"` + strings.Repeat("x", n) + `"`
	took := map[bool]int{}
	for _, known := range []bool{false, true} {
		pool := arena.NewAutoPool(0)
		handled(pool, func(_ http.ResponseWriter, r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), -1
			if known {
				r.ContentLength = int64(len(text))
			}
			if err := arenahttp.Read(r, new(string)); err != nil {
				t.Error(err)
			}
		})
		took[known] = pool.Stats().LargestArena
	}
	if took[true] > n*21/20 || took[false] > n*21/20 {
		t.Errorf("%d bytes took %d with a length, %d without", n, took[true], took[false])
	}
}

// A body of unknown or wrongly stated length can be read under a limit of 1.25 times its size, and so can the
// same body with its length.
func TestChunkedBodyAndLimit(t *testing.T) {
	testkit.NeedsReuse(t)
	for n := 20_000; n < 1<<20; n = n*3/2 + 1 {
		text := `{"customer":"` + strings.Repeat("x", n-15) + `"}`
		pool := arena.NewAutoPool(0)
		pool.SetLimit(n*5/4, 0)
		for _, length := range []int64{-1, int64(n), 1 << 40} {
			handled(pool, func(_ http.ResponseWriter, r *http.Request) {
				r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), length
				if err := arenahttp.Read(r, new(order)); err != nil {
					t.Errorf("%d bytes, length %d: %v", n, length, err)
				}
			})
		}
	}
}

// A length beyond the arena's limit is refused once it is believed. A length within the limit fits as without
// one.
func TestContentLengthAndLimit(t *testing.T) {
	testkit.NeedsReuse(t)
	pool := arena.NewArenaPool(4096, 0)
	pool.SetLimit(1<<20, 0)
	for n, want := range map[int]int{100_000: 200, 300_000: 200, 2 << 20: 413} {
		text := `"` + strings.Repeat("x", n) + `"`
		h := arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := arenahttp.Read(r, new(string)); err != nil {
				w.WriteHeader(arenahttp.Status(err))
			}
		}))
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(text)))
		if w.Code != want {
			t.Errorf("%d bytes: %d, want %d", n, w.Code, want)
		}
	}
}
