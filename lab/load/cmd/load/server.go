//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"

	"github.com/ebbpool/arena/arenahttp"
	"github.com/ebbpool/arena/lab/load"
	"github.com/ebbpool/arena/lab/load/handlers"
	"github.com/ebbpool/arena/lab/load/payloads"
)

// onFasthttp is the prefix of sides that are not net/http servers.
const onFasthttp = "fasthttp+"

// serve serves one side on net/http, or on fasthttp, which reuses its requests, responses and buffers. live
// is the number of live objects.
func serve(ctx context.Context, side, live string, l net.Listener) error {
	n, err := strconv.Atoi(live)
	if err != nil {
		return err
	}
	name, fast := strings.CutPrefix(side, onFasthttp)
	h, err := handlers.New(name)
	if err != nil {
		return err
	}
	objects := load.NewLive(n)
	go objects.Replace(ctx)
	defer runtime.KeepAlive(objects)
	if fast {
		s := fasthttp.Server{Handler: func(ctx *fasthttp.RequestCtx) {
			out, err := h.Serve(ctx.Response.SwapBody(nil)[:0], ctx.PostBody()) // the response uses its buffer
			ctx.Response.SwapBody(out)
			if err != nil {
				ctx.Error(err.Error(), fasthttp.StatusBadRequest)
			}
		}}
		context.AfterFunc(ctx, func() { _ = s.Shutdown() })
		return s.Serve(l)
	}
	s := http.Server{Handler: h, ConnContext: arenahttp.ConnContext} // ConnContext affects only arenahttp's requests
	context.AfterFunc(ctx, func() { _ = s.Close() })
	if err := s.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

// client sends payloads. It is fasthttp's, which uses less processor time than net/http's.
type client struct {
	host   *fasthttp.HostClient
	source *payloads.Source
	body   []byte
	large  int // one request in large has the largest body; 0 means none
	req    fasthttp.Request
	resp   fasthttp.Response
}

func (c *client) Prepare(i int) {
	c.body = c.source.AppendPayload(c.body[:0], i)
	if c.large != 0 && i%c.large == c.large/2 {
		c.body = append(c.body, bytes.Repeat([]byte{' '}, largest)...)
	}
}

func (c *client) Send(int) ([]byte, error) {
	c.req.SetBodyRaw(c.body)
	if err := c.host.Do(&c.req, &c.resp); err != nil {
		return nil, err
	}
	if code := c.resp.StatusCode(); code != fasthttp.StatusOK {
		return nil, fmt.Errorf("status %d: %s", code, c.resp.Body())
	}
	return c.resp.Body(), nil
}

// largest is the size of rare large bodies.
const largest = 10 << 20

// shifting returns senders with one largest body in 10,000 requests.
func shifting(addr string, workers, requests int, seed uint64) (all []load.Sender, end func(), err error) {
	all, end, err = senders(addr, workers, requests, seed)
	for _, s := range all {
		s.(*client).large = 10_000
	}
	return all, end, err
}

func senders(addr string, workers, requests int, seed uint64) (all []load.Sender, end func(), err error) {
	host := &fasthttp.HostClient{Addr: addr, MaxConns: workers}
	source := payloads.NewSource(seed, requests)
	for range workers {
		c := &client{host: host, source: source}
		c.req.Header.SetMethod(fasthttp.MethodPost)
		c.req.SetRequestURI("http://" + addr + "/")
		all = append(all, c)
	}
	return all, host.CloseIdleConnections, nil
}
