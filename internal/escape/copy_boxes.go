package escape

import (
	"reflect"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// What an interface holds that is no pointer lies in a box on the heap, to which nobody
// writes: it is a part of the interface, not memory that others see. The same goes for
// the entries of a builtin map, though others see these. Both are copied only if
// something in them leads into the region.

// treatment tells what is done about what an interface holds.
type treatment uint8

const (
	leave  treatment = iota // it leads nowhere
	within                  // it is one pointer, in the interface itself
	leaf                    // a box with a string: copied, if that lies in the region
	whole                   // another box: copied, if it leads into the region
	inside                  // a box that lies in the region: copied
)

// treat is asked by all that look at interfaces.
func (c *copier) treat(b boxed) treatment {
	switch {
	case b.dynamic == nil:
		return leave
	case b.inPlace:
		return within
	case c.find(xunsafe.Number(b.at)) >= 0:
		return inside
	case b.text:
		return leaf
	case len(b.prog.slots) == 0:
		return leave
	}
	return whole
}

// iface is scan for the interface at p.
func (c *copier) iface(s *slot, at Pointer) {
	b := c.boxAt(s, at)
	switch c.treat(b) {
	case within:
		c.scan(b.prog.slots, b.at)
	case leaf:
		t := *textAt(b.at)
		if r := c.find(xunsafe.Number(xunsafe.TextOf(t))); r >= 0 {
			s.setBox(at, b.dynamic, boxText(c.text(r, t)))
		}
	case whole:
		if i := c.dirtyBox(b, 0); i != 0 {
			c.box(s, at, b, i)
		}
	case inside:
		c.box(s, at, b, c.softOf(ref{b.at, b.prog}))
	}
}

// box has the interface at p hold a copy of its box, which is soft i.
func (c *copier) box(s *slot, at Pointer, b boxed, i int32) {
	x := &c.list[i]
	if x.copy == nil {
		v := reflect.New(b.prog.typ)
		v.Elem().Set(xunsafe.Value(b.prog.typ, b.at))
		x.copy = v.UnsafePointer()
		c.work = append(c.work, task{x.copy, b.prog, 1})
		if !direct() {
			if c.boxes == nil {
				c.boxes = map[Pointer]int32{}
			}
			c.boxes[x.copy] = i
		}
	}
	if direct() {
		s.setBox(at, b.dynamic, x.copy)
		return
	}
	// To hold a value is to copy it there. So that waits until it is complete.
	c.wait(c.in, holding{s: s, at: at, d: b.dynamic, soft: i})
}

// deepest is how many boxes may lie one in another before a pre-scan is made, which
// has no need of a stack.
const deepest = 100

// dirtyBox returns the number of the soft that a box is, 0 if nothing in it leads into
// the region. What takes a pre-scan has c stuck.
func (c *copier) dirtyBox(b boxed, depth int) int32 {
	if b.prog.few {
		if !c.touches(b.prog.slots, b.at, depth) {
			return 0 // to ask this again is less work than to note it
		}
		return c.softOf(ref{b.at, b.prog})
	}
	i := c.softOf(ref{b.at, b.prog})
	if c.list[i].state == unknown {
		if depth == deepest {
			c.stuck = true
			return 0
		}
		state := clean
		if c.touches(b.prog.slots, b.at, depth) {
			state = dirty
		}
		c.list[i].state = state
	}
	if c.list[i].state != dirty {
		return 0
	}
	return i
}

// touches reports whether a slot of the value at p leads into the region.
func (c *copier) touches(slots []slot, p Pointer, depth int) bool {
	for i := range slots {
		s := &slots[i]
		at := xunsafe.Add(p, s.off)
		found := false
		switch s.op {
		case opPointer:
			found = c.find(xunsafe.Number(load(at))) >= 0
		case opText:
			found = c.find(xunsafe.Number(xunsafe.TextOf(*textAt(at)))) >= 0
		case opSlice:
			data, _ := s.sliceAt(at)
			found = c.find(xunsafe.Number(data)) >= 0
		case opOpaque:
			found = c.find(xunsafe.Number(s.wordAt(at))) >= 0
		case opHidden:
			found = c.hides(s, at)
		case opNumber:
			found = c.find(loadNumber(at)) >= 0
		case opMap:
			c.stuck = c.stuck || c.mayCopy(s, s.wordAt(at))
		case opIface:
			b := c.boxAt(s, at)
			switch c.treat(b) {
			case within, leaf:
				found = c.touches(b.prog.slots, b.at, depth)
			case whole:
				found = c.dirtyBox(b, depth+1) != 0
			case inside:
				found = true
			}
		case opArray:
			for j := 0; j < s.n && !found; j++ {
				found = c.touches(s.slots, xunsafe.Add(at, uintptr(j)*s.size), depth)
			}
		}
		if found || c.stuck {
			return true
		}
	}
	return false
}

// boxed describes what an interface holds.
type boxed struct {
	*dynamic
	// The value: in a box, which nobody may write to, or, of a type that is one
	// pointer, in the interface itself. Where nothing is read as words it is a copy, the
	// same one for all interfaces that share a box.
	at Pointer
}

// boxAt returns what the interface at p holds; nothing has no type.
//
//go:norace
func (c *copier) boxAt(s *slot, p Pointer) boxed {
	if !direct() {
		return c.view(s, p)
	}
	word := load(p)
	if word == nil {
		return boxed{}
	}
	d := s.dynamicOf(word, p, c.own)
	if d.inPlace {
		return boxed{d, xunsafe.Add(p, wordSize)}
	}
	return boxed{d, load(xunsafe.Add(p, wordSize))}
}

// viewed identifies an interface there: its type, and its bytes.
type viewed struct {
	typ   reflect.Type
	words string
}

// A view shows what an interface holds, by package reflect. It keeps that alive, so that
// no other interface has the same bytes and holds something else.
type view struct {
	boxed
	of reflect.Value
}

// view is boxAt where nothing is read as words. Nobody says there which interfaces
// share a box, but those do that have the same bytes, whatever these mean.
func (c *copier) view(s *slot, p Pointer) boxed {
	v := xunsafe.Value(s.typ, p)
	if v.IsNil() {
		return boxed{}
	}
	key := viewed{s.typ, bytesAt(p, s.typ.Size())}
	if known, ok := c.views[key]; ok {
		return known.boxed
	}
	held := v.Elem()
	x := reflect.New(held.Type())
	x.Elem().Set(held)
	d := &dynamic{prog: programFor(held.Type(), c.own), text: held.Kind() == reflect.String}
	if c.views == nil {
		c.views = map[viewed]view{}
	}
	b := boxed{d, x.UnsafePointer()}
	c.views[key] = view{b, held}
	return b
}
