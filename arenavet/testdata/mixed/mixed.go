package mixed

import (
	"encoding/json"
	"iter"
	"net/http"
	"strings"

	"github.com/ebbpool/arena"
)

type result struct {
	names map[string][]string
	first *Item
}

func leavesInMap(text string) map[string]*Item {
	a := pool.Get()
	defer pool.Put(a)
	out := map[string]*Item{}
	it, err := parse(a, text)
	if err != nil {
		return nil
	}
	out[text] = it
	return out // want `return of it, memory of arena a|return of memory of arena a`
}

func leavesInSlice(text string) []string {
	a := pool.Get()
	defer pool.Put(a)
	var out []string
	for _, w := range strings.Fields(text) {
		out = append(out, a.AllocString(w))
	}
	return out // want `return of memory of arena a`
}

func leavesAsMapKey(text string) map[string]bool {
	a := pool.Get()
	defer pool.Put(a)
	seen := map[string]bool{}
	for _, w := range strings.Fields(a.AllocString(text)) {
		seen[w] = true
	}
	return seen // want `return of memory of arena a`
}

func leavesInStruct(text string) (r result) {
	a := pool.Get()
	defer pool.Put(a)
	r.first, _ = parse(a, text)
	return r // want `return of r.first, memory of arena a`
}

func leavesEmbedded() *Item {
	c := &Ctx{Arena: pool.Get()}
	defer c.done()
	return c.item("x") // want `return of memory of`
}

func collected(seq iter.Seq[int]) []int {
	a := pool.Get()
	defer pool.Put(a)
	return collect(a, seq) // want `return of memory of arena a`
}

func sessionAfterClose() string {
	s, err := finePutOnError("x")
	if err != nil {
		return ""
	}
	it := s.first
	s.close()
	return it.Name // want `use of|return of`
}

func encodedLate(w http.ResponseWriter, text string) error {
	a := pool.Get()
	it, err := parse(a, text)
	pool.Put(a)
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(it) // want `use of it, memory of arena a|use of memory of arena a`
}

func putThenLoop(words []string) {
	a := pool.Get() // want `Get without Put`
	for _, w := range words {
		a.AllocString(w) // want `use of arena a, which Put`
		if w == "" {
			pool.Put(a) // want `second Put of arena a`
		}
	}
}

func rowsAfterReset(a *arena.Arena) int {
	var table [4][]int
	for i := range table {
		table[i] = arena.MakeSlice[int](a, 4, 4)
	}
	a.Reset()
	return table[1][2] // want `use of memory of arena a`
}

func swapped() {
	cur, next := arena.NewArena(4096, 0), arena.NewArena(4096, 0)
	s := arena.MakeSlice[int](cur, 1, 1)
	t := arena.MakeSlice[int](next, 1, 1)
	cur.Reset()
	t[0] = 1
	s[0] = 2 // want `use of s, memory of arena cur`
}

func methodValue(c *Ctx) {
	it := c.item("x")
	reset := c.Reset
	reset()
	it.N = 1 // want `use of it, memory of arena c.Arena`
}

func inSwitch(kind int) {
	a := pool.Get() // want `Get without Put`
	switch kind {
	case 1:
		pool.Put(a)
	case 2:
		a.AllocString("x")
	default:
		pool.Put(a)
	}
}

func convertedType(a *arena.Arena) string {
	type text string
	s := text(a.AllocString("x"))
	a.Reset()
	return string(s) + "!" // want `use of s, memory of arena a|use of memory of arena a`
}

func interfaceMethod(a *arena.Arena, err error) {
	type named struct{ error }
	e := arena.New[named](a)
	e.error = err
	a.Release()
	_ = e.Error() // want `use of e, memory of arena a`
}

func treeAfterclear() int {
	t := newTree()
	t.insert(1)
	n := t.root
	t.nodes.Reset()
	return n.key // want `use of memory of`
}

// The first Put is in another file: the line says which.
func doPutBack() {
	pool.Do(finePutBack) // want `second Put of the arena, which Put on line \d+ of owners.go has taken back`
}
