package bench

import (
	"fmt"
	"testing"

	"github.com/ebbpool/arena"
)

// link is a list element with a text.
type link struct {
	text string
	next *link
}

func list(a *arena.Arena, n int) (head *link) {
	for i := range n {
		head = arena.NewOf(a, link{a.AllocString(textPiece[:i%8]), head})
	}
	return head
}

// mixedRequest allocates n objects of nine types, and a text for every third, in a.
func mixedRequest(kinds kinds, a *arena.Arena, n int) {
	for i := 0; i < n; i += 20 {
		kinds.few(a)
		sinkElement = document(a)
	}
}

var sinkLink *link

// life is the work of a cycle. On the heap it is the same code with a nil arena, or code without arenas.
type life struct {
	name        string
	heap, arena func(a *arena.Arena)
}

// lives returns small cycles of one arena.
func lives(heap, ours kinds) []life {
	method := textPiece[:3]
	return []life{
		{"life=object", func(*arena.Arena) { sinkPtr = new(ptr64) }, func(a *arena.Arena) { sinkPtr = arena.New[ptr64](a) }},
		{"life=types", heap.many, ours.many},
		{"life=Sprintf", func(*arena.Arena) { sinkStr = fmt.Sprintf("%s %d", method, 17) }, func(a *arena.Arena) { sinkStr = a.Sprintf("%s %d", method, 17) }},
		{"life=list", func(*arena.Arena) { sinkLink = list(nil, 50) }, func(a *arena.Arena) { sinkLink = arena.Escape(a, list(a, 50)) }},
	}
}

// BenchmarkLives runs small cycles, in one arena and in a new arena each (arena=new).
func BenchmarkLives(b *testing.B) {
	heap, ours := newKinds(true), newKinds(false)
	for _, x := range append(lives(heap, ours),
		life{"arena=new/objects=20", func(*arena.Arena) { sinkElement = document(nil) }, func(a *arena.Arena) { sinkElement = document(a) }},
		life{"arena=new/objects=200", func(*arena.Arena) { mixedRequest(heap, nil, 200) }, func(a *arena.Arena) { mixedRequest(ours, a, 200) }},
	) {
		b.Run(x.name+"/alloc=heap", func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				x.heap(nil)
			}
		})
		b.Run(x.name+"/alloc=arena", func(b *testing.B) {
			b.ReportAllocs()
			a := arena.NewArena(4<<10, 0)
			for range b.N {
				if x.name[0] == 'a' {
					a = arena.NewArena(64<<10, 0)
				} else {
					a.Reset()
				}
				x.arena(a)
			}
		})
	}
}
