package deep

import "github.com/ebbpool/arena"

// What lies deep within what a function is given.

func below(n *node) string { return n.One.One.One.One.One.Name }

func readBelow() string {
	a := pool.Get()
	defer pool.Put(a)
	return below(tree(a, 9)) // want `return of memory of arena a`
}

func kidsBelow(n *node) *node { return n.Kids[0].Kids[1].Kids[2].Kids[3] }

func readKids() *node {
	a := pool.Get()
	defer pool.Put(a)
	return kidsBelow(tree(a, 9)) // want `return of memory of arena a`
}

func nameOf(n *node, name string) { n.One.One.One.One.One.Name = name }

func writeBelow(n *node) {
	a := pool.Get()
	defer pool.Put(a)
	nameOf(n, a.AllocString("x")) // want `memory of arena a is stored where it outlives the function`
}

func storeBelow(n *node) {
	a := pool.Get()
	defer pool.Put(a)
	n.One.One.One.One.One = arena.New[node](a) // want `memory of arena a,? is stored where it outlives`
}

func itemBelow(l *list) string { return l.Items[0].List.Items[1].List.Items[2].List.Items[3].Name }

func readInTurn() string {
	a := pool.Get()
	defer pool.Put(a)
	return itemBelow(lists(a, 9)) // want `return of memory of arena a`
}

// Six structs, one in the other: no recursion, and further than three pointers.
type (
	one   struct{ Two *two }
	two   struct{ Three *three }
	three struct{ Four *four }
	four  struct{ Five *five }
	five  struct {
		Name  string
		Other string
	}
)

func chain(o *one, name string) { o.Two.Three.Four.Five.Name = name }

func storeInChain(o *one) {
	a := pool.Get()
	defer pool.Put(a)
	chain(o, a.AllocString("x")) // want `memory of arena a,? is stored where it outlives`
}

func endOf(o *one) string { return o.Two.Three.Four.Five.Name }

func readChain() string {
	a := pool.Get()
	defer pool.Put(a)
	o := &one{&two{&three{&four{&five{Name: a.AllocString("x")}}}}}
	return endOf(o) // want `return of memory of arena a`
}

// The loop goes further than what is told apart.
func lowest(n *node) *node {
	for n.One != nil {
		n = n.One
	}
	return n
}

func lowestOf() *node {
	a := pool.Get()
	defer pool.Put(a)
	return lowest(tree(a, 9)) // want `return of memory of arena a`
}

// Right code.

func fineBelow(n *node) string {
	a := pool.Get()
	defer pool.Put(a)
	n.One.One.One.One.N = len(tree(a, 1).Name)
	return below(n)
}

// The names of a heap tree's nodes, one of which has a text of the arena elsewhere.
func heapWithText(a *arena.Arena, name string, depth int) *node {
	n := &node{Name: name, Any: a.AllocString("x")}
	if depth > 0 {
		n.One = heapWithText(a, name, depth-1)
	}
	return n
}

func fineOtherField(name string) string {
	a := pool.Get()
	defer pool.Put(a)
	return below(heapWithText(a, name, 9))
}

func fineOtherEnd() string {
	a := pool.Get()
	defer pool.Put(a)
	o := &one{&two{&three{&four{&five{Name: "x", Other: a.AllocString("x")}}}}}
	return endOf(o)
}

func fineOwnArena(a *arena.Arena, n *node) {
	nameOf(n, a.AllocString("x"))
	chain(&one{}, a.AllocString("x"))
}

// It cuts loose what it has stored before the arena ends.
func fineCutDeep(o *one) {
	a := pool.Get()
	defer pool.Put(a)
	chain(o, a.AllocString("x"))
	chain(o, "")
}

func fineKids(n *node) *node {
	a := pool.Get()
	defer pool.Put(a)
	n.Kids[0].Kids[1].Kids[2].Kids[3].N = tree(a, 1).N
	return kidsBelow(n)
}
