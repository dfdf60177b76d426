// Package model is the slow, obviously right reference for the arena: plain
// slices that record what must be live, what it must hold and how many bytes
// must be counted. It knows nothing of chunks, lanes or addresses, and
// it shares no code with what it checks.
//
// A test runs the same operations on a [Region] and on an arena and compares
// the two after every step.
package model

import "fmt"

// Class says how an allocation counts towards the used bytes.
type Class uint8

const (
	Flat   Class = iota // pointer-free objects and slices: rounded up to a multiple of 8
	Text                // strings: their exact length
	Traced              // objects and slices with pointers: exact size
)

// String returns the class's name.
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

// Object is the record of one live allocation.
type Object struct {
	Class Class
	Size  int      // bytes of one element
	Len   int      // elements in use
	Elems []uint64 // what every element up to the capacity holds, as a number; 0 is the zero value
	Text  string   // content of a Text object, which has no Elems
	Left  bool     // it is not the region's any more, but still what it was
}

// Cap is the object's capacity in elements.
func (o *Object) Cap() int { return len(o.Elems) }

// Bytes returns how much the object counts towards the used bytes.
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

// Mark names a point in the epoch of a Region. The zero Mark is never valid.
type Mark struct {
	id    uint64
	forks int // how many the Region had ever had then
}

// snapshot holds what a mark remembers.
type snapshot struct {
	id   uint64
	used int
	live []*Object
	caps []int // capacity of each, since an object may grow in place later
}

// Region is the reference for an arena. The zero Region is empty and ready.
type Region struct {
	live   []*Object
	marks  []snapshot // valid marks, oldest first
	lastID uint64
	high   int
	resets int
	forks  []fork // those in use, oldest first
	forked int    // how many there ever were
	ended  bool   // with what it was forked from
}

// fork is a Region that was forked from another one, as its born-th.
type fork struct {
	*Region
	born int
}

// Make allocates n elements of the given size with room for capacity ones, all
// zero.
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

// Move allocates what an append that finds no room in place makes: a new
// object that holds the given elements and room for capacity ones. What it was
// copied from stays live.
func (r *Region) Move(from *Object, elems []uint64, capacity int) *Object {
	o := r.Make(from.Class, from.Size, len(elems), capacity)
	copy(o.Elems, elems)
	return o
}

// Leave is Move for an object whose memory the region lets go of: it stays what
// it is, and counts no more. No mark may know it.
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

// Grow gives the object more capacity in place; the new elements are zero.
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

// Mark remembers what is live. A mark that is taken where the newest one was,
// with no byte allocated since, is that same mark: a loop that marks and
// rewinds does not pile up marks.
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

// isAt reports whether no byte was allocated since s. What is live only grows
// between two marks, so the count of bytes tells.
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

// Rewind frees what was allocated, and takes back what was grown, since m. The
// mark stays valid, those taken after it do not. What was written since stays
// written. Forks that were made since end. It reports whether m was valid; a stale
// mark changes nothing.
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

// Reset frees everything; every mark becomes stale. It stands for whatever
// ends an epoch: Reset, Release, and the Put of a pooled arena.
func (r *Region) Reset() {
	r.endForks(0)
	r.live, r.marks = nil, nil
	r.resets++
}

// Fork has f, which is empty, end when r does, and at a Rewind to a mark that is
// older than this.
func (r *Region) Fork(f *Region) {
	if len(f.live) != 0 {
		panic("model: Fork: something is live")
	}
	f.ended = false
	r.forked++
	r.forks = append(r.forks, fork{f, r.forked})
}

// Ended reports whether r was a fork and has ended.
func (r *Region) Ended() bool { return r.ended }

// endForks ends the forks that came after the first n ever.
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

// Used is the sum of the live objects' bytes, without those that were left.
func (r *Region) Used() int {
	n := 0
	for _, o := range r.live {
		if !o.Left {
			n += o.Bytes()
		}
	}
	return n
}

// HighWater is the largest Used so far.
func (r *Region) HighWater() int { return r.high }

// Resets is the number of calls of Reset.
func (r *Region) Resets() int { return r.resets }

func (r *Region) add(o *Object) {
	r.live = append(r.live, o)
	r.see()
}

func (r *Region) see() { r.high = max(r.high, r.Used()) }
