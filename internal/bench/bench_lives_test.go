package bench

import (
	"fmt"
	"testing"

	"github.com/ebbpool/arena"
)

// link is an element of a list with a text.
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

// mixedRequest makes n objects of nine types, a text for each third, in a.
func mixedRequest(kinds kinds, a *arena.Arena, n int) {
	for i := 0; i < n; i += 20 {
		kinds.few(a)
		sinkElement = document(a)
	}
}

var sinkLink *link

// life is what an epoch makes. The heap's side is the same code with a nil arena, or as a
// program without one has it.
type life struct {
	name        string
	heap, arena func(a *arena.Arena)
}

// lives are small epochs of one arena.
func lives(heap, ours kinds) []life {
	method := textPiece[:3]
	return []life{
		{"life=object", func(*arena.Arena) { sinkPtr = new(ptr64) }, func(a *arena.Arena) { sinkPtr = arena.New[ptr64](a) }},
		{"life=types", heap.many, ours.many},
		{"life=Sprintf", func(*arena.Arena) { sinkStr = fmt.Sprintf("%s %d", method, 17) }, func(a *arena.Arena) { sinkStr = a.Sprintf("%s %d", method, 17) }},
		{"life=list", func(*arena.Arena) { sinkLink = list(nil, 50) }, func(a *arena.Arena) { sinkLink = arena.Escape(a, list(a, 50)) }},
	}
}

// BenchmarkLives has epochs that are small: of one arena, and of a new one each (arena=new).
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
