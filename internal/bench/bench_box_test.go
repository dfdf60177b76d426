package bench

import (
	"testing"

	"github.com/ebbpool/arena"
)

type boxPair struct{ a, b string }

var (
	sinkAny  any
	sinkBoxN = 1000
	sinkBoxP = boxPair{"a pair", "of two"}
)

// BenchmarkBox stores values in interfaces, 250 in each cycle.
func BenchmarkBox(b *testing.B) {
	a := arena.NewArena(64<<10, 0)
	b.Run("type=int/alloc=heap", func(b *testing.B) {
		for i := range b.N {
			sinkAny = sinkBoxN + i
		}
	})
	b.Run("type=int/alloc=arena", func(b *testing.B) {
		for i := range b.N {
			if i%250 == 0 {
				a.Reset()
			}
			sinkAny = arena.BoxOf(a, sinkBoxN+i)
		}
	})
	b.Run("type=pair/alloc=heap", func(b *testing.B) {
		for range b.N {
			sinkAny = sinkBoxP
		}
	})
	b.Run("type=pair/alloc=arena", func(b *testing.B) {
		for i := range b.N {
			if i%250 == 0 {
				a.Reset()
			}
			sinkAny = arena.BoxOf(a, sinkBoxP)
		}
	})
}

// step is an instruction of a stack machine for values of any type: a constant, or an operation on the top
// two values.
type step struct {
	op    byte
	value any
}

// BenchmarkExpressions runs a program of numbers and texts on a stack machine that boxes each result, in an
// arena or, with a nil arena, on the heap.
func BenchmarkExpressions(b *testing.B) {
	program := []step{{0, 1500}, {0, 2500}, {'+', nil}, {0, 17}, {'*', nil}, {0, 1.5}, {'f', nil}, {0, 2.25}, {'f', nil}, {0, "total"}, {'s', nil}}
	for _, alloc := range []string{"heap", "arena"} {
		b.Run("alloc="+alloc, func(b *testing.B) {
			b.ReportAllocs()
			var a *arena.Arena
			if alloc == "arena" {
				a = arena.NewArena(64<<10, 0)
			}
			var stack [8]any
			for range b.N {
				sinkAny = evaluate(a, program, stack[:0])
				a.Reset()
			}
		})
	}
}

func evaluate(a *arena.Arena, program []step, stack []any) any {
	for i := range program {
		s, n := &program[i], len(stack)
		switch s.op {
		case 0:
			stack = append(stack, s.value)
			continue
		case '+':
			stack[n-2] = arena.BoxOf(a, stack[n-2].(int)+stack[n-1].(int))
		case '*':
			stack[n-2] = arena.BoxOf(a, stack[n-2].(int)*stack[n-1].(int))
		case 'f':
			x, ok := stack[n-2].(float64)
			if !ok {
				x = float64(stack[n-2].(int))
			}
			stack[n-2] = arena.BoxOf(a, x*stack[n-1].(float64))
		case 's':
			stack[n-2] = arena.BoxOf(a, stack[n-1].(string)[:n])
		}
		stack = stack[:n-1]
	}
	return stack[0]
}
