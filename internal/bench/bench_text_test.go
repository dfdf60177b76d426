package bench

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
)

const (
	textCycles = 64 // texts in a cycle
	textPieces = 40 // writes to each text
	textPiece  = "a piece of a text, 30 bytes. \n"
)

// BenchmarkBuffer writes texts of 1,200 bytes in 40 pieces; an operation is one text.
func BenchmarkBuffer(b *testing.B) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"presized", textPieces * len(textPiece)}, {"grows", 0}} {
		b.Run("size="+size.name+"/alloc=heap", func(b *testing.B) {
			for range b.N {
				var w strings.Builder
				w.Grow(size.bytes)
				for range textPieces {
					w.WriteString(textPiece)
				}
				sinkStr = w.String()
			}
		})
		b.Run("size="+size.name+"/alloc=arena", func(b *testing.B) {
			a := arena.NewArena(256<<10, 0)
			for i := range b.N {
				if i%textCycles == 0 {
					a.Reset()
				}
				w := arena.NewBuffer(a, size.bytes)
				for range textPieces {
					w.WriteString(textPiece)
				}
				sinkStr = w.String()
			}
		})
		b.Run("size="+size.name+"/alloc=nil", func(b *testing.B) {
			for range b.N {
				w := arena.NewBuffer(nil, size.bytes)
				for range textPieces {
					w.WriteString(textPiece)
				}
				sinkStr = w.String()
			}
		})
	}
}

// BenchmarkSprintf formats a line of three ints and two strings. The ints are small, because boxing large
// ones allocates.
func BenchmarkSprintf(b *testing.B) {
	method, path := strings.Clone("GET"), strings.Clone("/index.html")
	b.Run("alloc=heap", func(b *testing.B) {
		for i := range b.N {
			n := i & 127
			sinkStr = fmt.Sprintf("%s %s status=%d bytes=%d ms=%d", method, path, n, n, n)
		}
	})
	b.Run("alloc=arena", func(b *testing.B) {
		a := arena.NewArena(256<<10, 0)
		for i := range b.N {
			if i%1024 == 0 {
				a.Reset()
			}
			n := i & 127
			sinkStr = a.Sprintf("%s %s status=%d bytes=%d ms=%d", method, path, n, n, n)
		}
	})
}

// BenchmarkNewOf allocates values of 136 bytes, one per operation.
func BenchmarkNewOf(b *testing.B) {
	b.Run("how=new", func(b *testing.B) {
		a := arena.NewArena(256<<10, 0)
		for range cycles(b) {
			a.Reset()
			for i := range cycleLen {
				p := arena.New[node136](a)
				*p = node136{name: textPiece, n: [13]int{1: i, 12: i}, next: sinkNode}
				sinkNode = p
			}
			sinkNode = nil
		}
	})
	b.Run("how=newof", func(b *testing.B) {
		a := arena.NewArena(256<<10, 0)
		for range cycles(b) {
			a.Reset()
			for i := range cycleLen {
				sinkNode = arena.NewOf(a, node136{name: textPiece, n: [13]int{1: i, 12: i}, next: sinkNode})
			}
			sinkNode = nil
		}
	})
	b.Run("how=flatnew", func(b *testing.B) {
		a := arena.NewArena(256<<10, 0)
		for range cycles(b) {
			a.Reset()
			for i := range cycleLen {
				p := arena.New[flat136](a)
				*p = flat136{1: i, 12: i}
				sinkFlat136 = p
			}
		}
	})
	b.Run("how=flatnewof", func(b *testing.B) {
		a := arena.NewArena(256<<10, 0)
		for range cycles(b) {
			a.Reset()
			for i := range cycleLen {
				sinkFlat136 = arena.NewOf(a, flat136{1: i, 12: i})
			}
		}
	})
}

type node136 struct {
	name string
	n    [13]int
	next *node136
	last *node136
}

type flat136 [17]int

var (
	sinkNode    *node136
	sinkFlat136 *flat136
)
