package arenafasthttp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	arenafasthttp "github.com/ebbpool/arena/adapters/fasthttp"
	"github.com/ebbpool/arena/internal/testkit"
	"github.com/valyala/fasthttp"
)

// BenchmarkServer is fasthttp's own benchmark of its server, with 10 requests per connection: a GET and a
// POST with fixed responses, for which Handler is pure overhead, and one that reads and writes JSON.
func BenchmarkServer(b *testing.B) {
	fixed := func(ctx *fasthttp.RequestCtx) { ctx.Success("text/plain", []byte("Hello, world!")) }
	var doc strings.Builder
	for i := range 20 {
		fmt.Fprintf(&doc, `"item number %d",`, i)
	}
	order := `{"customer":"Jo","items":[` + strings.TrimSuffix(doc.String(), ",") + `]}`
	p := arena.NewAutoPool(0)
	for _, x := range []struct {
		name, request string
		theirs, ours  fasthttp.RequestHandler
	}{
		{"Get10ReqPerConn", "GET /foobar?baz HTTP/1.1\r\nHost: google.com\r\nUser-Agent: aaa/bbb/ccc/ddd/eee Firefox Chrome MSIE Opera\r\n" +
			"Referer: http://example.com/aaa?bbb=ccc\r\n\r\n", fixed, arenafasthttp.Handler(p, fixed)},
		{"Post10ReqPerConn", post("abcdef"), fixed, arenafasthttp.Handler(p, fixed)},
		{"JSON10ReqPerConn", post(order), plainAnswer, arenafasthttp.Handler(p, answer)},
	} {
		b.Run(x.name, func(b *testing.B) {
			ran := func(h fasthttp.RequestHandler) func() {
				s := &fasthttp.Server{Handler: h, Logger: quiet{}}
				c := &client{requests: []byte(strings.Repeat(x.request, 10))}
				return func() {
					c.at, c.answers = 0, 0
					s.ServeConn(c)
					if c.answers != 10 {
						b.Fatalf("%d answers", c.answers)
					}
				}
			}
			testkit.Duel(b, ran(x.theirs), ran(x.ours))
		})
	}
}

func post(body string) string {
	return fmt.Sprintf("POST /foobar?baz HTTP/1.1\r\nHost: google.com\r\nContent-Type: foo/bar\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// plainAnswer is answer with encoding/json.
func plainAnswer(ctx *fasthttp.RequestCtx) {
	var o order
	if err := json.Unmarshal(ctx.PostBody(), &o); err != nil {
		ctx.Error(err.Error(), 400)
		return
	}
	o.Items = append(o.Items, "a present for "+o.Customer)
	doc, err := json.Marshal(&o)
	if err != nil {
		ctx.Error(err.Error(), 500)
		return
	}
	ctx.SetStatusCode(fasthttp.StatusCreated)
	ctx.SetContentType("application/json")
	ctx.SetBody(doc)
}

// client is a connection that provides requests and counts responses.
type client struct {
	net.Conn
	requests    []byte
	at, answers int
}

func (c *client) Read(p []byte) (int, error) {
	if c.at == len(c.requests) {
		return 0, net.ErrClosed
	}
	n := copy(p, c.requests[c.at:])
	c.at += n
	return n, nil
}

func (c *client) Write(p []byte) (int, error) {
	c.answers += bytes.Count(p, []byte("HTTP/1.1 20"))
	return len(p), nil
}

func (c *client) Close() error                     { return nil }
func (c *client) LocalAddr() net.Addr              { return address }
func (c *client) RemoteAddr() net.Addr             { return address }
func (c *client) SetDeadline(time.Time) error      { return nil }
func (c *client) SetReadDeadline(time.Time) error  { return nil }
func (c *client) SetWriteDeadline(time.Time) error { return nil }

var address = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}
