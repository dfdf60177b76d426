// Package model is the slow, obviously right model of an arena: plain slices that record which values are
// live, what they contain and how many bytes count. It shares no code with the arena and knows no chunks,
// allocators or addresses.
//
// Tests run the same operations on a [Region] and on an arena and compare the two after each step.
package model

import "fmt"

// Class is how an allocation counts towards the used bytes.
type Class uint8

const (
	Flat   Class = iota // pointer-free objects and slices: rounded up to a multiple of 8
	Text                // strings: exact length
	Traced              // objects and slices with pointers: exact size
)

// String returns the name of the class.
func (c Class) String() string {
	switch c {
	case Flat:
		return "flat"
	case Text:
		return "text"
	case Traced:
		return "traced"
	}
	return fmt.Sprintf("Class(%d)", uint8(c))
}

// Object is one live allocation.
type Object struct {
	Class Class
	Size  int      // bytes of an element
	Len   int      // elements in use
	Elems []uint64 // content of every element up to the capacity, as a number; 0 is the zero value
	Text  string   // content of a Text object, which has no Elems
	Left  bool     // dropped by the region, but still valid
}

// Cap returns the capacity in elements.
func (o *Object) Cap() int { return len(o.Elems) }

// Bytes returns how many used bytes the object counts as.
func (o *Object) Bytes() int {
	switch o.Class {
	case Text:
		return len(o.Text)
	case Traced:
		return o.Size * len(o.Elems)
	}
	n := o.Size * len(o.Elems)
	for n%8 != 0 {
		n++
	}
	return n
}

// Mark is a position in the current cycle of a Region. The zero Mark is never valid.
type Mark struct {
	id    uint64
	forks int // number of forks ever made at that time
}

// snapshot is the state at a mark.
type snapshot struct {
	id   uint64
	used int
	live []*Object
	caps []int // capacity of each object, which may grow later
}

// Region is the model of an arena. The zero Region is empty and ready to use.
type Region struct {
	live   []*Object
	marks  []snapshot // valid marks, oldest first
	lastID uint64
	high   int
	resets int
	forks  []fork // in use, oldest first
	forked int    // number of forks ever made
	ended  bool   // r was a fork and its parent has ended
}

// fork is a Region forked from another, as its born-th fork.
type fork struct {
	*Region
	born int
}

// Make allocates n elements of the given size with the given capacity, all zero.
func (r *Region) Make(class Class, size, n, capacity int) *Object {
	if size < 0 || n < 0 || capacity < n || class == Text {
		panic(fmt.Sprintf("model: Make(%v, %d, %d, %d)", class, size, n, capacity))
	}
	o := &Object{Class: class, Size: size, Len: n, Elems: make([]uint64, capacity)}
	r.add(o)
	return o
}

// String allocates a copy of s.
func (r *Region) String(s string) *Object {
	o := &Object{Class: Text, Size: 1, Len: len(s), Text: s}
	r.add(o)
	return o
}

// Move allocates the result of an append that does not fit in place: a new object with the given elements and
// capacity. The old object stays live.
func (r *Region) Move(from *Object, elems []uint64, capacity int) *Object {
	o := r.Make(from.Class, from.Size, len(elems), capacity)
	copy(o.Elems, elems)
	return o
}

// Leave is Move for an object that the region drops: it stays valid but no longer counts. It must not be
// older than a mark.
func (r *Region) Leave(from *Object, elems []uint64, capacity int) *Object {
	for _, s := range r.marks {
		for _, o := range s.live {
			if o == from {
				panic("model: Leave: a mark needs the object")
			}
		}
	}
	from.Left = true
	return r.Move(from, elems, capacity)
}

// Grow increases the object's capacity in place. New elements are zero.
func (r *Region) Grow(o *Object, capacity int) {
	if !r.Owns(o) || capacity < o.Cap() {
		panic(fmt.Sprintf("model: Grow from %d to %d", o.Cap(), capacity))
	}
	grown := make([]uint64, capacity)
	copy(grown, o.Elems)
	o.Elems = grown
	r.see()
}

// Owns reports whether the object is live.
func (r *Region) Owns(o *Object) bool {
	for _, x := range r.live {
		if x == o {
			return true
		}
	}
	return false
}

// Mark records what is live. A mark at the position of the newest mark, with no byte allocated in between, is
// the same mark, so a loop that marks and rewinds does not accumulate marks.
func (r *Region) Mark() Mark {
	if n := len(r.marks); n > 0 && r.isAt(r.marks[n-1]) {
		return Mark{r.marks[n-1].id, r.forked}
	}
	r.lastID++
	s := snapshot{id: r.lastID, used: r.Used(), live: append([]*Object(nil), r.live...)}
	for _, o := range r.live {
		s.caps = append(s.caps, o.Cap())
	}
	r.marks = append(r.marks, s)
	return Mark{r.lastID, r.forked}
}

// isAt reports whether no byte was allocated since s. Between two marks the used bytes only grow, so
// comparing them suffices.
func (r *Region) isAt(s snapshot) bool { return r.Used() == s.used }

// Valid reports whether m may be rewound to.
func (r *Region) Valid(m Mark) bool {
	for _, s := range r.marks {
		if s.id == m.id {
			return true
		}
	}
	return false
}

// Rewind frees everything allocated since m and undoes growth since m. The mark stays valid; later marks do
// not. Values written since m stay. Forks made since m end. It reports whether m was valid; an invalid mark
// changes nothing.
func (r *Region) Rewind(m Mark) bool {
	for i, s := range r.marks {
		if s.id != m.id {
			continue
		}
		r.marks = r.marks[:i+1]
		r.endForks(m.forks)
		r.live = append([]*Object(nil), s.live...)
		for j, o := range r.live {
			if o.Class == Text {
				continue
			}
			o.Elems = o.Elems[:s.caps[j]]
			o.Len = min(o.Len, s.caps[j])
		}
		return true
	}
	return false
}

// Reset frees everything and invalidates all marks. It models Reset, Release, and Put.
func (r *Region) Reset() {
	r.endForks(0)
	r.live, r.marks = nil, nil
	r.resets++
}

// Fork makes f, which is empty, a fork of r. It ends with r, or at a Rewind to an older mark.
func (r *Region) Fork(f *Region) {
	if len(f.live) != 0 {
		panic("model: Fork: something is live")
	}
	f.ended = false
	r.forked++
	r.forks = append(r.forks, fork{f, r.forked})
}

// Ended reports whether r is a fork that has ended.
func (r *Region) Ended() bool { return r.ended }

// endForks ends all forks except the first n ever made.
func (r *Region) endForks(n int) {
	var older []fork
	for _, f := range r.forks {
		if f.born <= n {
			older = append(older, f)
			continue
		}
		f.Reset()
		f.ended = true
	}
	r.forks = older
}

// Live returns the live objects, oldest first.
func (r *Region) Live() []*Object { return append([]*Object(nil), r.live...) }

// Used returns the sum of the bytes of live objects, without dropped ones.
func (r *Region) Used() int {
	n := 0
	for _, o := range r.live {
		if !o.Left {
			n += o.Bytes()
		}
	}
	return n
}

// HighWater returns the maximum of Used so far.
func (r *Region) HighWater() int { return r.high }

// Resets returns the number of calls of Reset.
func (r *Region) Resets() int { return r.resets }

func (r *Region) add(o *Object) {
	r.live = append(r.live, o)
	r.see()
}

func (r *Region) see() { r.high = max(r.high, r.Used()) }
