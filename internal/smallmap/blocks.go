package smallmap

import (
	"math/bits"
	"reflect"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Most is how many maps are made in one piece of the heap at most: a map that a program
// keeps has the collector keep the others, with all that they hold, and with what each held
// when it grew (see Leave).
const Most = 8

// Maker makes small maps of a type on the heap.
type Maker struct {
	size   uintptr // of a header and its group
	group  reflect.Type
	blocks [1 + mostDouble]reflect.Type // of 1, 2, 4 and 8 of them

	places       bool    // Place knows where keys belong
	entry, value uintptr // the size of a slot, and where its value is
}

const mostDouble = 3 // 1<<mostDouble is Most

// MakerOf returns a Maker for maps of type t, nil where the runtime has to make them, as in
// checked builds.
func MakerOf(t reflect.Type) *Maker {
	if check.On {
		return nil
	}
	one := TypeOf(t)
	if one == nil {
		return nil
	}
	k := &Maker{size: one.Size}
	for i := range k.blocks {
		k.blocks[i] = reflect.ArrayOf(1<<i, one.Reflect)
	}
	k.group = one.Reflect.Field(1).Type
	slot := k.group.Field(1).Type.Elem()
	k.entry, k.value = slot.Size(), slot.Field(1).Offset
	k.places = t.Key().Kind() == reflect.String && hashes()
	return k
}

// Source hands out maps of a type to a task, as the reading of a document. The first piece has
// as many as the task before needed, up to twice what was usual then; each further one as many
// as the task has had by then. So what is made and not used is less than Most maps.
type Source struct {
	next  xunsafe.Pointer // of the current piece
	left  int             // maps in it from next on
	made  int             // by this task
	usual int             // that a task makes, as far as is known; Most at most
}

// Take returns the next map of k's type. The caller knows that k is the same for all of a task.
func (s *Source) Take(k *Maker) xunsafe.Pointer {
	if s.left == 0 {
		n := s.made
		if n < s.usual {
			n = s.usual - n
		}
		double := bits.Len(uint(min(max(n, 1), Most))) - 1
		s.next, s.left = reflect.New(k.blocks[double]).UnsafePointer(), 1<<double
	}
	p := s.next
	if s.left--; s.left > 0 {
		s.next = xunsafe.Add(p, k.size)
	} else {
		s.next = nil // the address behind is another's
	}
	s.made++
	Init(p)
	return p
}

// Leave clears the group of m, a map of k's type that Take returned, if the runtime has moved
// its entries into a table since: else it would keep what was there alive as long as m. Nobody
// may be ranging over m.
func (k *Maker) Leave(m xunsafe.Pointer) {
	group := xunsafe.Add(m, xunsafe.SizeOf[mapHeader]())
	if xunsafe.Cast[mapHeader](m).groups != group {
		xunsafe.Value(k.group, group).SetZero()
	}
}

// End ends a task. The source leads to no memory any more.
func (s *Source) End() {
	if s.made > 0 {
		s.usual = min(s.made, max(1, 2*s.usual), Most)
	}
	s.next, s.left, s.made = nil, 0, 0
}
