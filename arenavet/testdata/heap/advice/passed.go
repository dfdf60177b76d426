package advice

import (
	"context"
	"net/http"
	"sync"

	"example.com/heap/maker"
	"github.com/ebbpool/arena"
)

var held *node

func hold(n *node)                 { held = n }
func (p parser) hold(n *node)      { held = n }
func holdFirst(n, m *node)         { held = n }
func same(n *node) *node           { return n }
func sendTo(c chan *node, n *node) { c <- n }
func start(f func())               { go f() }
func (n *node) work()              {}

// What a function keeps, sends, or has a goroutine use is not for the arena, nor what
// it returns to one who does.
func (p parser) finePassed(c chan *node, h http.Header, g *sync.WaitGroup, ctx context.Context, s string) context.Context {
	hold(&node{})
	p.hold(&node{})
	sendTo(c, &node{})
	held = same(&node{})
	start((&node{}).work)
	g.Go((&node{}).work)
	h.Set("name", s+"x")
	return context.WithValue(ctx, c, &node{})
}

// A function that takes an arena may make its result there.
func fineTaken(a *arena.Arena, w *maker.Writer, b []byte) (string, string) {
	return maker.InArena(a, b), w.Text(b)
}

// Another parameter may be kept.
func (p parser) passed(n *node) {
	holdFirst(n, &node{}) // want `&node\{\} on the heap`
}
