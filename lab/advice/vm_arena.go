package advice

import "github.com/ebbpool/arena"

func evaluateIn(a *arena.Arena, code []instruction, input []byte) float64 {
	m := arena.NewOf(a, machine{stack: arena.MakeSlice[float64](a, 0, deepest)})
	return m.run(code, input)
}
