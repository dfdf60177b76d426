package advice

import "github.com/ebbpool/arena"

func routeIn(a *arena.Arena, b []byte) uint64 { return sumOfWay(shortestWayIn(a, grid{20, b})) }

func shortestWayIn(a *arena.Arena, g grid) []int {
	goal := len(g.cost) - 1
	seen := arena.NewMap[int, *step](a, 0)
	start := arena.NewOf(a, step{rank: g.distance(0, goal)})
	seen.Set(0, start)
	open := arena.SliceOf(a, start)
	for len(open) > 0 {
		s := open[0]
		open = removeFirst(open)
		if s.done {
			continue
		}
		s.done = true
		if s.cell == goal {
			var way []int
			for ; s != nil; s = s.from {
				way = arena.Append(a, way, s.cell)
			}
			return way
		}
		for _, next := range g.around(s.cell) {
			cost := s.cost + int(g.cost[next])
			known, _ := seen.Get(next)
			if known != nil && (known.done || known.cost <= cost) {
				continue
			}
			t := arena.NewOf(a, step{cell: next, cost: cost, rank: cost + g.distance(next, goal), from: s})
			seen.Set(next, t)
			open = arena.Append(a, open, t)
			rise(open)
		}
	}
	return nil
}
