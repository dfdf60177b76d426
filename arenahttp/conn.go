package arenahttp

import (
	"context"
	"net"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/hooks"
)

// ConnContext is for the field of http.Server that has its name: with it, Handler gives the
// requests of HTTP/1 to the next handler as they are, and saves the copy that it makes of
// others, about 320 bytes of some 2,000 that such a request allocates.
//
//	s := http.Server{Handler: arenahttp.Handler(pool, mux), ConnContext: arenahttp.ConnContext}
//
// A request's context leads to its arena as without it, and so do contexts that are made from
// it, but those of context.WithoutCancel: for them arena.FromContext is nil, which means
// the heap. A context that was kept leads to no arena when its request has ended, whichever
// the connection serves then. To ask a context that has a deadline or a cancellation of its
// own takes some hundred nanoseconds.
//
// Requests of HTTP/2, and those that reach Handler in another way, through a timeout or a
// middleware that gives them another context, are as without it.
func ConnContext(ctx context.Context, _ net.Conn) context.Context {
	if l := lineageOf(); l != nil {
		return &connection{Context: ctx, lineage: l}
	}
	return ctx
}

// connection is the context of a connection, and leads those who ask a request's own, which
// nobody else can make, to the request in progress: all that lie between are the server's.
type connection struct {
	context.Context
	lineage *lineage
	now     atomic.Pointer[request]

	mu     sync.Mutex
	served context.Context // of the last request that was served so
}

func (c *connection) Value(key any) any {
	switch key.(type) {
	case hooks.ContextKey, requestKey:
		return c
	}
	return c.Context.Value(key)
}

// Lend returns the arena of the request that ctx belongs to.
func (c *connection) Lend(ctx context.Context) any {
	if q := c.requestOf(ctx); q != nil {
		return q.lend()
	}
	return arena.FromContext(c.Context)
}

// requestOf returns the request in progress if ctx is its context, or made from that.
func (c *connection) requestOf(ctx context.Context) *request {
	q := c.now.Load()
	if q == nil || ctx != q.Context && !c.lineage.has(ctx, q.Context) {
		return nil
	}
	return q
}

// serve has the connection lead to q, if q is the server's own: one at a time, and one for
// each context, which would lead from a Handler that has ended to the next one.
func (c *connection) serve(q *request) bool {
	if q.Context.Value(c.lineage.key) != any(q.Context) {
		return false // not what context.WithCancel has returned
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now.Load() != nil || c.served == q.Context {
		return false
	}
	c.served, q.conn = q.Context, c
	c.now.Store(q)
	return true
}

// lineage tells which context another one was made from, of those that can be canceled.
// Package context finds the nearest of them by a key that it hands to every Value.
type lineage struct {
	key     any
	cancels reflect.Type // a struct that begins with the context that it was made from
}

// has reports whether ctx was made from root. What it can't look into was not.
func (l *lineage) has(ctx, root context.Context) bool {
	for ctx != nil {
		near := ctx.Value(l.key)
		if near == any(root) {
			return true
		}
		if reflect.TypeOf(near) != l.cancels {
			return false
		}
		ctx, _ = reflect.ValueOf(near).Elem().Field(0).Interface().(context.Context)
	}
	return false
}

// lineageOf returns nil if package context is not as it was in Go 1.25 to 1.27.
var lineageOf = sync.OnceValue(func() *lineage {
	root, end := context.WithCancel(context.Background())
	defer end()
	var k keeper
	context.Cause(&k)
	l := &lineage{k.key, reflect.TypeOf(root)}
	if t := l.cancels; t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct || t.Elem().NumField() == 0 || !t.Elem().Field(0).IsExported() {
		return nil
	}
	child, end := context.WithCancel(context.WithValue(root, requestKey{}, l))
	defer end()
	if k.key == nil || root.Value(l.key) != any(root) || !l.has(child, root) || l.has(root, child) {
		return nil
	}
	return l
})

// keeper keeps the key that it was asked for.
type keeper struct {
	context.Context
	key any
}

func (*keeper) Err() error          { return context.Canceled }
func (k *keeper) Value(key any) any { k.key = key; return nil }
