package advice

import (
	"math/rand/v2"

	"github.com/ebbpool/arena"
)

// instruction is an operation of the machine, with a number for some operations.
type instruction struct {
	op byte // 'n' a number, 'x' a field of the input, or an operator
	n  float64
}

// machine is the state of one evaluation: a stack and a counter.
type machine struct {
	stack []float64
	steps int
}

// deepest is the length of the stack.
const deepest = 16

// formula returns a long expression in postfix form: sums and products of fields.
func formula() (code []instruction) {
	rng := rand.New(rand.NewPCG(1, 2))
	code = append(code, instruction{'n', 1})
	for range 150 {
		if rng.IntN(2) == 0 {
			code = append(code, instruction{'x', float64(rng.IntN(16))})
		} else {
			code = append(code, instruction{'n', rng.Float64()})
		}
		code = append(code, instruction{"+-*<"[rng.IntN(4)], 0})
	}
	return code
}

func evaluate(code []instruction, input []byte) float64 {
	m := &machine{stack: make([]float64, 0, deepest)}
	return m.run(code, input)
}

func (m *machine) run(code []instruction, input []byte) float64 {
	for _, in := range code {
		m.steps++
		switch in.op {
		case 'n':
			m.stack = append(m.stack, in.n)
		case 'x':
			m.stack = append(m.stack, float64(input[int(in.n)]))
		default:
			n := len(m.stack)
			x, y := m.stack[n-2], m.stack[n-1]
			m.stack = m.stack[:n-1]
			switch in.op {
			case '+':
				x += y
			case '-':
				x -= y
			case '*':
				x *= y
			case '<':
				if x < y {
					x = y
				}
			}
			m.stack[n-2] = x
		}
	}
	return m.stack[0]
}

func newVM() (inputs [][]byte, plain Serve, inArena func(*arena.Arena, []byte) uint64) {
	code := formula()
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		b := make([]byte, 16)
		for i := range b {
			b[i] = byte(rng.IntN(256))
		}
		inputs = append(inputs, b)
	}
	return inputs, func(b []byte) uint64 { return uint64(int64(evaluate(code, b))) },
		func(a *arena.Arena, b []byte) uint64 { return uint64(int64(evaluateIn(a, code, b))) }
}
