// Package table makes its values by a map of constructors, which programs may add to: each is found
// by its code, and what a program has put there runs as it is.
package table

// Shape is what the table's functions make.
type Shape interface {
	Name() string
	read(data []byte) // sets what is in it
}

// Constructors are the shapes' by their kind.
var Constructors = map[byte]func() Shape{
	'c': func() Shape { return new(circle) },
	's': func() Shape { return &square{} },
}

type circle struct{ name string }

type square struct{ name string }

func (c *circle) Name() string { return c.name }
func (s *square) Name() string { return s.name }

func (c *circle) read(data []byte) { c.name = string(data) }
func (s *square) read(data []byte) { s.name = string(data) }

// Read is the root.
func Read(data []byte) Shape {
	make, ok := Constructors[data[0]]
	if !ok {
		return nil
	}
	s := make()
	s.read(data[1:])
	return s
}
