//go:build !ebbpool_other

package builds

type state struct{ n int }

type lower struct{}

func (lower) make(name string) *Node { return &Node{Name: name} }

func system(name string) *Node { return &Node{Name: name, Sub: make([]*Node, 0, len(name))} }
