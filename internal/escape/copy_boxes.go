package escape

import (
	"reflect"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// An interface holds a non-pointer value in a box on the heap, which is never written: it is part of the
// interface, not shared memory. A box is copied only if it leads into the region. So is a builtin map,
// although its entries are shared.

// treatment is how the value of an interface is handled.
type treatment uint8

const (
	leave  treatment = iota // no pointers
	within                  // one pointer, stored in the interface itself
	leaf                    // a box with a string: copied if the string is in the region
	whole                   // another box: copied if it leads into the region
	inside                  // a box in the region: copied
)

// treat returns the treatment of b. The copier and the pre-scan both use it.
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

// box makes the interface at at hold a copy of its box, which is soft i.
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
	// Storing a value in an interface copies it, so this waits until the value is complete.
	c.wait(c.in, holding{s: s, at: at, d: b.dynamic, soft: i})
}

// deepest is the maximum nesting of boxes without a pre-scan, which needs no stack.
const deepest = 100

// dirtyBox returns the soft number of a box, or 0 if the box does not lead into the region. It sets c.stuck
// if a pre-scan is needed.
func (c *copier) dirtyBox(b boxed, depth int) int32 {
	if b.prog.few {
		if !c.touches(b.prog.slots, b.at, depth) {
			return 0 // checking again costs less than recording it
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

// boxed describes the value of an interface.
type boxed struct {
	*dynamic
	// The value: in its box, which is read-only, or, if its type is one pointer, in the interface itself. If
	// interfaces are not read as words, it is a copy that all interfaces with the same box share.
	at Pointer
}

// boxAt returns the value of the interface at p; a nil interface has no type.
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

// viewed identifies an interface by its type and bytes.
type viewed struct {
	typ   reflect.Type
	words string
}

// A view is the value of an interface, obtained by package reflect. It keeps the value alive, so that no
// other interface can have the same bytes and a different value.
type view struct {
	boxed
	of reflect.Value
}

// view is boxAt for builds in which interfaces are not read as words. Interfaces with equal bytes share a
// box.
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
