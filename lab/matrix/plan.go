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
	Within    time.Duration `json:",omitempty"` // after which no further round is begun; 0: no bound
	Full      bool          // all sizes
	Workloads []string      // empty: all
	Subjects  []string      // empty: all
	Builds    []Build       `json:",omitempty"` // besides the plain one
	Misuse    bool          `json:",omitempty"` // the use-after-free program runs
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
	names := map[string]bool{Plain: true}
	for _, b := range s.Builds {
		if names[b.Name] {
			return fmt.Errorf("there are two builds of the name %s: leave one out", b.Name)
		}
		names[b.Name] = true
	}
	if s.Rounds < 1 {
		return fmt.Errorf("%d rounds: at least one is needed, and %d for a spread", s.Rounds, LeastRounds)
	}
	return nil
}

// Everything reports whether no workload and no subject is left out.
func (s Settings) Everything() bool { return len(s.Workloads) == 0 && len(s.Subjects) == 0 }

// Programs are those that the run needs, the plain one first.
func (s Settings) Programs() ([]Program, error) {
	var all []Program
	add := func(p Program, err error) error {
		if err == nil && !slices.Contains(all, p) {
			all = append(all, p)
		}
		return err
	}
	for _, group := range s.groups() {
		for _, c := range group {
			if err := add(c.Program()); err != nil {
				return nil, err
			}
		}
	}
	for _, f := range s.Misuses() {
		if err := add(f.Program()); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(all, func(a, b Program) int { return len(a.Build+a.Experiment) - len(b.Build+b.Experiment) })
	return all, nil
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
				if round > countedRounds && counted(c) {
					continue
				}
				all = append(all, Step{c, round})
			}
		}
	}
	return all
}

// countedRounds is how often cells are run that count instead of timing: what
// is corrupt, what the collector did.
const countedRounds = 2

func counted(c Cell) bool {
	w, err := workloads.Find(c.Workload)
	return err == nil && (w.Kind == workloads.Reads || w.Kind == workloads.Collect)
}

// groups are the cells by build, workload and size. The plain build has all
// that is wanted; of another one's list it is what is wanted, too, in a quick
// run with the smallest size.
func (s Settings) groups() [][]Cell {
	groups := s.groupsOf(Build{})
	for _, b := range s.Builds {
		if len(b.Workloads) > 0 {
			groups = append(groups, s.groupsOf(b)...)
		}
	}
	return groups
}

func (s Settings) groupsOf(b Build) [][]Cell {
	// wanted reports whether a name is in both lists; an empty one has all.
	wanted := func(name string, lists ...[]string) bool {
		return !slices.ContainsFunc(lists, func(l []string) bool { return len(l) > 0 && !slices.Contains(l, name) })
	}
	var groups [][]Cell
	for _, w := range workloads.Catalog() {
		if !wanted(w.Name, s.Workloads, b.Workloads) {
			continue
		}
		sizes := slices.Clone(w.Sizes)
		if s.Full {
			sizes = append(sizes, w.Full...)
		} else if b.Name != "" {
			sizes = sizes[:1]
		}
		for _, n := range sizes {
			var group []Cell
			for _, a := range subjects.Allocators() {
				if _, lacks := a.Lacks[w.Need]; !lacks && wanted(a.Name, s.Subjects, b.Subjects) {
					group = append(group, Cell{w.Name, n, a.Name, b.Name})
				}
			}
			groups = append(groups, group)
		}
	}
	return groups
}
