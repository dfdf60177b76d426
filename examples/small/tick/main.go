// Command tick is the loop of a small game. Ships and shots live across ticks and end one by one, so they are
// in pools of fixed capacity. The findings of a tick, such as neighbors and hits, end with the tick, so they
// are in an arena.
package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
)

const (
	size     = 200 // of the field, which wraps around
	cell     = 10  // of the grid for finding neighbors
	maxShips = 48
	maxShots = 256
)

type ship struct {
	id, x, y, dx, dy, health int
}

type shot struct {
	by, x, y, dx, dy, left int
}

// hit is a decision of a tick. Hits are applied at the end of the tick, so that the order of ships does not
// matter.
type hit struct {
	ship *ship
	shot *shot
}

type game struct {
	rng   *rand.Rand
	ships *fixedpool.Pool[ship]
	shots *fixedpool.Pool[shot]
	alive []*ship
	fired []*shot
	tick  *arena.Arena
	next  int
	sunk  int
}

type place struct{ x, y int }

func (g *game) spawn() {
	s := g.ships.Allocate()
	if s == nil {
		return // the maximum number of shots
	}
	*s = ship{id: g.next, x: g.rng.IntN(size), y: g.rng.IntN(size), dx: g.rng.IntN(5) - 2, dy: g.rng.IntN(5) - 2, health: 3}
	g.next++
	g.alive = append(g.alive, s)
}

func (g *game) fire(s *ship) {
	t := g.shots.Allocate()
	if t == nil {
		return
	}
	*t = shot{by: s.id, x: s.x, y: s.y, dx: g.rng.IntN(9) - 4, dy: g.rng.IntN(9) - 4, left: 12}
	g.fired = append(g.fired, t)
}

// step is one tick.
func (g *game) step() {
	g.tick.Reset() // frees the findings of the last tick
	g.spawn()
	grid := arena.NewMap[place, []*ship](g.tick, maxShips)
	for _, s := range g.alive {
		s.x, s.y = wrap(s.x+s.dx), wrap(s.y+s.dy)
		at := place{s.x / cell, s.y / cell}
		near, _ := grid.Get(at)
		grid.Set(at, arena.Append(g.tick, near, s))
		if g.rng.IntN(4) == 0 {
			g.fire(s)
		}
	}
	var hits []hit
	for _, t := range g.fired {
		t.x, t.y, t.left = wrap(t.x+t.dx), wrap(t.y+t.dy), t.left-1
		near, _ := grid.Get(place{t.x / cell, t.y / cell})
		for _, s := range near {
			if s.id != t.by && abs(s.x-t.x) <= 4 && abs(s.y-t.y) <= 4 {
				hits = arena.Append(g.tick, hits, hit{s, t})
			}
		}
	}
	for _, h := range hits {
		h.ship.health--
		h.shot.left = 0
	}
	g.bury()
}

// bury frees ships and shots that have ended, and keeps the order of the others.
func (g *game) bury() {
	alive := g.alive[:0]
	for _, s := range g.alive {
		if s.health > 0 {
			alive = append(alive, s)
			continue
		}
		g.sunk++
		g.ships.Deallocate(s)
	}
	g.alive = alive
	fired := g.fired[:0]
	for _, t := range g.fired {
		if t.left > 0 {
			fired = append(fired, t)
			continue
		}
		g.shots.Deallocate(t)
	}
	g.fired = fired
}

func wrap(x int) int { return (x + size) % size }

func abs(x int) int { return max(x, -x) }

func main() {
	g := &game{
		rng:   rand.New(rand.NewPCG(1, 2)),
		ships: fixedpool.New[ship](maxShips),
		shots: fixedpool.New[shot](maxShots),
		tick:  arena.NewArena(16<<10, 0),
	}
	for tick := 1; tick <= 1000; tick++ {
		g.step()
		if tick%250 == 0 {
			fmt.Printf("tick %4d: %d ships, %d shots, %d sunk\n", tick, g.ships.Used(), g.shots.Used(), g.sunk)
		}
	}
}
