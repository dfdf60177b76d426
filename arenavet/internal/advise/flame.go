package advise

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ebbpool/arena/arenavet/internal/profile"
)

// flame is a frame of a flame graph.
type flame struct {
	name     string
	nanos    float64
	arena    float64 // part of nanos that moves into the arena
	heap     float64 // part of nanos in the allocator and the collector that stays
	children map[string]*flame
}

func (f *flame) add(s profile.Sample, arena, heap float64) {
	for i := len(s.All) - 1; ; i-- {
		f.nanos += s.Nanos
		f.arena += arena
		f.heap += heap
		if i < 0 {
			return
		}
		name := s.All[i].Function
		if f.children == nil {
			f.children = map[string]*flame{}
		}
		if f.children[name] == nil {
			f.children[name] = &flame{name: name}
		}
		f = f.children[name]
	}
}

// flame returns the CPU profile as a tree.
func (a *adviser) flame() *flame {
	var taken, all float64
	for _, s := range a.all() {
		all += s.Bytes
		if s.Moves {
			taken += s.Bytes
		}
	}
	root := &flame{name: "all"}
	for _, s := range a.cpu.Samples {
		var arena, heap float64
		switch t := a.site(s.Frames); {
		case s.Class == profile.Collector:
			arena = s.Nanos * taken / max(all, 1)
			heap = s.Nanos - arena
		case t.codec > 0:
			arena = s.Nanos * (1 - 1/t.codec)
		case s.Class == profile.Malloc && t.Moves:
			arena = s.Nanos
		case s.Class == profile.Malloc:
			heap = s.Nanos
		}
		root.add(s, arena, heap)
	}
	return root
}

// Box is a drawn frame of the flame graph.
type Box struct {
	Name, Title string
	Left, Width float64 // per cent
	Depth       int
	Color       string
}

// minWidth is the part of the time, in per cent, below which a frame is not drawn.
const minWidth = 0.15

// boxes lays out a flame graph, the callers on top.
func (f *flame) boxes() (all []Box) {
	var lay func(f *flame, left float64, depth int)
	lay = func(g *flame, left float64, depth int) {
		width := 100 * g.nanos / f.nanos
		if width < minWidth {
			return
		}
		all = append(all, Box{
			Name: short(g.name), Left: left, Width: width, Depth: depth, Color: g.color(),
			Title: fmt.Sprintf("%s: %.1f %% of the time; %.0f %% of that an arena takes, %.0f %% stays with the allocator and the collector",
				g.name, width, 100*g.arena/g.nanos, 100*g.heap/g.nanos),
		})
		children := make([]*flame, 0, len(g.children))
		for _, c := range g.children {
			children = append(children, c)
		}
		slices.SortFunc(children, func(x, y *flame) int {
			return cmp.Or(cmp.Compare(y.nanos, x.nanos), cmp.Compare(x.name, y.name))
		})
		for _, c := range children {
			lay(c, left, depth+1)
			left += 100 * c.nanos / f.nanos
		}
	}
	lay(f, 0, 0)
	return all
}

// color mixes grey for the program itself, green for time that an arena saves, and red for allocation and
// collection that stay.
func (f *flame) color() string {
	arena, heap := f.arena/f.nanos, f.heap/f.nanos
	mix := func(grey, green, red float64) int {
		return int(grey + (green-grey)*arena + (red-grey)*heap)
	}
	return fmt.Sprintf("#%02x%02x%02x", mix(214, 60, 226), mix(214, 170, 92), mix(214, 90, 70))
}
