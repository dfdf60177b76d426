// Package connect has handlers of connect-go whose requests belong to their calls. What is
// wrong is reported where they are made: without the option the same handlers are right.
package connect

import (
	"context"
	"strings"

	"connectrpc.com/connect"

	arenaconnect "github.com/ebbpool/arena/adapters/connect"
)

type order struct {
	Name  string
	Lines []*line
}

type line struct{ Text string }

type receipt struct{ Name string }

// ordersHandler and newOrdersHandler are as generated code is.
type ordersHandler interface {
	Get(context.Context, *connect.Request[order]) (*connect.Response[receipt], error)
	Put(context.Context, *order) (*receipt, error)
}

func newOrdersHandler(svc ordersHandler, options ...connect.HandlerOption) *connect.Handler {
	return connect.NewUnaryHandler("/orders.Orders/Get", svc.Get, options...)
}

var newest *line

type cache struct{ last map[string]*line }

func (c *cache) Get(_ context.Context, r *connect.Request[order]) (*connect.Response[receipt], error) { // want Get:"writes"
	c.last["newest"] = r.Msg.Lines[0]
	return nil, nil
}

func (c *cache) Put(_ context.Context, r *order) (*receipt, error) { // want Put:"1 flows"
	return &receipt{r.Name}, nil
}

func registerCache() *connect.Handler {
	return newOrdersHandler(&cache{last: map[string]*line{}}, arenaconnect.Option()) // want `memory of the request is kept by Get, and`
}

func finePlain() *connect.Handler {
	return newOrdersHandler(&cache{last: map[string]*line{}}) // on the heap
}

func fineOther() *connect.Handler {
	return newOrdersHandler(&cache{last: map[string]*line{}}, connect.WithCompression())
}

type simple struct{ *cache }

func (simple) Put(_ context.Context, r *order) (*receipt, error) { // want Put:"writes"
	newest = r.Lines[1]
	return nil, nil
}

func registerSimple(s simple) *connect.Handler {
	return newOrdersHandler(s, connect.WithCompression(), arenaconnect.Option()) // want `memory of the request is kept by Get, Put, and`
}

func global(_ context.Context, r *connect.Request[order]) (*connect.Response[receipt], error) {
	newest = r.Msg.Lines[0]
	return nil, nil
}

func registerFunction() *connect.Handler {
	return connect.NewUnaryHandler("/orders.Orders/Get", global, arenaconnect.Option()) // want `memory of the request is kept by global, and`
}

func registerMethod(c *cache) *connect.Handler {
	return connect.NewUnaryHandler("/orders.Orders/Get", c.Get, arenaconnect.Option()) // want `memory of the request is kept by Get, and`
}

func registerLiteral() *connect.Handler {
	return connect.NewUnaryHandler("/orders.Orders/Get", func(_ context.Context, r *connect.Request[order]) (*connect.Response[receipt], error) {
		newest = r.Msg.Lines[0] // want `memory of the request is kept by the function literal, and`
		return nil, nil
	}, arenaconnect.Option())
}

func fineCopied() *connect.Handler {
	var names []string
	return connect.NewUnaryHandler("/orders.Orders/Get", func(_ context.Context, r *connect.Request[order]) (*connect.Response[receipt], error) {
		names = append(names, strings.Clone(r.Msg.Name))
		return &connect.Response[receipt]{Msg: &receipt{r.Msg.Name}}, nil
	}, arenaconnect.Option())
}
