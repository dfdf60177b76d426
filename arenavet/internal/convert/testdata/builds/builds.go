// Package builds has functions, a method of an interface and a struct of which another build has another text. What
// is in them stays on the heap: there it would not compile.
package builds

// Node is one of the tree's.
type Node struct {
	Name string
	Sub  []*Node
}

type maker interface{ make(name string) *Node }

type upper struct{}

func (upper) make(name string) *Node { return &Node{Name: name} }

// Parse is the root.
func Parse(name string) *Node {
	n := &Node{Name: name}
	var m maker = lower{}
	if name == "" {
		m = upper{}
	}
	n.Sub = append(n.Sub, m.make(name), system(name))
	s := &state{}
	for _, do := range steps {
		n.Sub = append(n.Sub, do(s))
	}
	return n
}

var steps = []func(*state) *Node{step}

func step(s *state) *Node {
	s.n++
	return &Node{}
}
