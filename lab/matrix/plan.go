package matrix

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ebbpool/arena/lab/subjects"
	"github.com/ebbpool/arena/lab/workloads"
)

// Settings are what a run was told, and what it needs to go on with later.
type Settings struct {
	Seed      uint64 // of the order
	Rounds    int
	Least     time.Duration // of one measurement, after the warm-up
	Full      bool          // all sizes
	Workloads []string      // empty: all
	Subjects  []string      // empty: all
}

// LeastRounds is the fewest that say something of the spread.
const LeastRounds = 7

// Check refuses settings that no run can have.
func (s Settings) Check() error {
	for _, name := range s.Workloads {
		if _, err := workloads.Find(name); err != nil {
			return err
		}
	}
	for _, name := range s.Subjects {
		if _, err := subjects.FindAllocator(name); err != nil {
			return err
		}
	}
	if s.Rounds < 1 {
		return fmt.Errorf("%d rounds: at least one is needed, and %d for a spread", s.Rounds, LeastRounds)
	}
	return nil
}

// Step is a cell in a round.
type Step struct {
	Cell
	Round int
}

// Plan is every step in its order. Within a round each workload has its
// subjects one after the other, in a new order each time, so that what slows
// the machine for a while slows all of them, and none always follows the same
// neighbour. The same seed gives the same order.
func (s Settings) Plan() []Step {
	rng := rand.New(rand.NewPCG(s.Seed, 0x6d6174726978))
	var all []Step
	for round := 1; round <= s.Rounds; round++ {
		groups := s.groups()
		rng.Shuffle(len(groups), func(i, k int) { groups[i], groups[k] = groups[k], groups[i] })
		for _, group := range groups {
			rng.Shuffle(len(group), func(i, k int) { group[i], group[k] = group[k], group[i] })
			for _, c := range group {
				all = append(all, Step{c, round})
			}
		}
	}
	return all
}

// groups are the cells by workload and size.
func (s Settings) groups() [][]Cell {
	var groups [][]Cell
	for _, w := range workloads.Catalog() {
		if len(s.Workloads) > 0 && !slices.Contains(s.Workloads, w.Name) {
			continue
		}
		sizes := slices.Clone(w.Sizes)
		if s.Full {
			sizes = append(sizes, w.Full...)
		}
		for _, n := range sizes {
			var group []Cell
			for _, a := range subjects.Allocators() {
				_, lacks := a.Lacks[w.Need]
				if lacks || len(s.Subjects) > 0 && !slices.Contains(s.Subjects, a.Name) {
					continue
				}
				group = append(group, Cell{w.Name, n, a.Name})
			}
			groups = append(groups, group)
		}
	}
	return groups
}
