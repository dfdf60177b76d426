// Package table makes its values by a map of constructors, which programs may add to: each is found
// by its code, and what a program has put there runs as it is. That such a value keeps to itself what it gets is
// assumed where others can only embed a type of the package: who is open may keep its head.
package table

// Shape is what the table's functions make.
type Shape interface {
	Name() string
	Head() *Head
	read(data []byte) // sets what is in it
}

// Constructors are the shapes' by their kind.
var Constructors = map[byte]func() Shape{
	'c': func() Shape { return new(circle) },
	's': func() Shape { return &square{} },
}

// Head is a part of each.
type Head struct{ Kind string }

// Open is for others.
type Open interface{ Head() *Head }

// Opens make some.
var Opens = map[byte]func() Open{'c': func() Open { return new(circle) }}

type circle struct {
	head Head
	name string
}

type square struct {
	head Head
	name string
}

func (c *circle) Head() *Head { return &c.head }
func (s *square) Head() *Head { return &s.head }

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
	*s.Head() = Head{string(data[:1])}
	if o, ok := Opens[data[0]]; ok {
		*o().Head() = Head{string(data[1:])}
	}
	s.read(data[1:])
	return s
}
