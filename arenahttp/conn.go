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

// ConnContext is a value for the ConnContext field of [http.Server]. With it, [Handler] does not copy requests of
// HTTP/1, which saves about 320 of the 2,000 bytes that such a request allocates.
//
//	s := http.Server{Handler: arenahttp.Handler(pool, mux), ConnContext: arenahttp.ConnContext}
//
// [arena.FromContext] returns the arena for the context of the request and for contexts derived from it, except that it
// returns nil for contexts of context.WithoutCancel. It returns nil after the request has ended, also while the
// connection serves another request. It takes a few hundred nanoseconds for a context that has its own deadline or
// cancellation.
//
// ConnContext has no effect on requests of HTTP/2, and on requests whose context was replaced by a timeout or a
// middleware outside of Handler.
func ConnContext(ctx context.Context, _ net.Conn) context.Context {
	if l := lineageOf(); l != nil {
		return &connection{Context: ctx, lineage: l}
	}
	return ctx
}

// connection is the context of a connection. It is an ancestor of the context of each request that the connection
// serves. Between them are only contexts of the server, so it can find the request in progress.
type connection struct {
	context.Context
	lineage *lineage
	now     atomic.Pointer[request]

	mu     sync.Mutex
	served context.Context // of the last request that serve accepted
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

// requestOf returns the request in progress if ctx is its context or derived from it, and else nil.
func (c *connection) requestOf(ctx context.Context) *request {
	q := c.now.Load()
	if q == nil || ctx != q.Context && !c.lineage.has(ctx, q.Context) {
		return nil
	}
	return q
}

// serve makes q the request in progress and reports whether it did. The context of q must be a context of the server.
// It accepts one request at a time, and one for each context, so that a context never leads to a later Handler.
func (c *connection) serve(q *request) bool {
	if q.Context.Value(c.lineage.key) != any(q.Context) {
		return false // not a context of context.WithCancel
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

// lineage finds the cancelable ancestors of a context. Package context finds the nearest one by a key that it passes to
// Value.
type lineage struct {
	key     any
	cancels reflect.Type // a struct that begins with its parent
}

// has reports whether ctx is derived from root. It returns false if it finds a context of an unknown type.
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

// lineageOf returns nil if package context differs from Go 1.25 to 1.27.
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

// keeper records the key of a call of Value.
type keeper struct {
	context.Context
	key any
}

func (*keeper) Err() error          { return context.Canceled }
func (k *keeper) Value(key any) any { k.key = key; return nil }
