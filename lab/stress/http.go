package stress

import (
	"fmt"
	"net"

	"github.com/valyala/fasthttp"

	"github.com/ebbpool/arena/lab/handlers"
)

// server is a fasthttp server on a free port of the loopback interface, and
// the client that its workers share. fasthttp recycles its own requests,
// responses and buffers, so that what is allocated is the handler's.
type server struct {
	http fasthttp.Server
	ln   net.Listener
	done chan error
	host fasthttp.HostClient
}

func serve(h handlers.Handler, workers int) (*server, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{ln: ln, done: make(chan error, 1)}
	s.http = fasthttp.Server{
		Name: "lab",
		Handler: func(ctx *fasthttp.RequestCtx) {
			// The response's own body buffer takes the answer.
			dst := ctx.Response.SwapBody(nil)
			out, err := h.Serve(dst[:0], ctx.PostBody())
			ctx.Response.SwapBody(out)
			if err != nil {
				ctx.Error(err.Error(), fasthttp.StatusBadRequest)
			}
		},
	}
	s.host = fasthttp.HostClient{Addr: ln.Addr().String(), MaxConns: workers}
	go func() { s.done <- s.http.Serve(ln) }()
	return s, nil
}

func (s *server) close() {
	s.host.CloseIdleConnections()
	_ = s.http.Shutdown() // the run is over; nobody waits for an answer
	<-s.done
}

func (s *server) client() client {
	c := &httpClient{host: &s.host}
	c.req.Header.SetMethod(fasthttp.MethodPost)
	c.req.SetRequestURI("http://" + s.host.Addr + "/ingest")
	return c
}

type httpClient struct {
	host *fasthttp.HostClient
	req  fasthttp.Request
	resp fasthttp.Response
}

func (c *httpClient) send(payload []byte) ([]byte, error) {
	c.req.SetBodyRaw(payload)
	if err := c.host.Do(&c.req, &c.resp); err != nil {
		return nil, err
	}
	if code := c.resp.StatusCode(); code != fasthttp.StatusOK {
		return nil, fmt.Errorf("status %d: %s", code, c.resp.Body())
	}
	return c.resp.Body(), nil
}
