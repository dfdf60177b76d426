package advice

import (
	"math/rand/v2"

	"github.com/ebbpool/arena"
)

// grid is a square of cells with costs.
type grid struct {
	side int
	cost []byte
}

// step is a cell that was reached, and its predecessor.
type step struct {
	cell, cost, rank int
	from             *step
	done             bool
}

// shortestWay returns the shortest path from the first cell to the last, by A*.
func shortestWay(g grid) []int {
	goal := len(g.cost) - 1
	seen := map[int]*step{}
	start := &step{rank: g.distance(0, goal)}
	seen[0] = start
	open := []*step{start}
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
				way = append(way, s.cell)
			}
			return way
		}
		for _, next := range g.around(s.cell) {
			cost := s.cost + int(g.cost[next])
			known := seen[next]
			if known != nil && (known.done || known.cost <= cost) {
				continue
			}
			t := &step{cell: next, cost: cost, rank: cost + g.distance(next, goal), from: s}
			seen[next] = t
			open = append(open, t)
			rise(open)
		}
	}
	return nil
}

func (g grid) distance(x, y int) int {
	return abs(x%g.side-y%g.side) + abs(x/g.side-y/g.side)
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// around returns the neighbors of a cell.
func (g grid) around(cell int) []int {
	cells := make([]int, 0, 4)
	x, y := cell%g.side, cell/g.side
	if x > 0 {
		cells = append(cells, cell-1)
	}
	if x < g.side-1 {
		cells = append(cells, cell+1)
	}
	if y > 0 {
		cells = append(cells, cell-g.side)
	}
	if y < g.side-1 {
		cells = append(cells, cell+g.side)
	}
	return cells
}

// rise moves the last element of a heap up to its place.
func rise(heap []*step) {
	for i := len(heap) - 1; i > 0; {
		up := (i - 1) / 2
		if heap[up].rank <= heap[i].rank {
			return
		}
		heap[up], heap[i] = heap[i], heap[up]
		i = up
	}
}

func removeFirst(heap []*step) []*step {
	n := len(heap) - 1
	heap[0] = heap[n]
	heap = heap[:n]
	for i := 0; ; {
		least := i
		for _, c := range [2]int{2*i + 1, 2*i + 2} {
			if c < n && heap[c].rank < heap[least].rank {
				least = c
			}
		}
		if least == i {
			return heap
		}
		heap[i], heap[least] = heap[least], heap[i]
		i = least
	}
}

func sumOfWay(way []int) uint64 {
	sum := uint64(len(way))
	for _, c := range way {
		sum = sum*31 ^ uint64(c)
	}
	return sum
}

func newRoute() (inputs [][]byte, plain Serve, inArena func(*arena.Arena, []byte) uint64) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 20 {
		b := make([]byte, 20*20)
		for i := range b {
			b[i] = byte(1 + rng.IntN(9))
		}
		inputs = append(inputs, b)
	}
	return inputs, func(b []byte) uint64 { return sumOfWay(shortestWay(grid{20, b})) }, routeIn
}
