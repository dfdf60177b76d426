package escape

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/ebbpool/arena/internal/check"
)

// A survey looks at all that is to be copied, and changes nothing. It is made where a
// copier can't do without: where pieces overlap, since all must be known before one
// is copied; for builtin maps and boxes in boxes, which are copied only if something
// is found behind them; to name the path to what is refused; and in checked builds,
// which follow the heap, too.
type survey struct {
	c      *copier
	strict bool

	spots    []spot
	elements map[uintptr]bool // values in the region that were looked at
	heap     map[shared]bool  // what is not the region's
	softs    []soft
	softOf   map[Pointer]int32
	reached  []span
	pieces   []span // reached, those that overlap as one
	dirty    map[Pointer]bool

	at where // the reference that is looked at
	labels
}

// spot is what a reference leads to: n values at p, or the entries of a map.
type spot struct {
	p       Pointer
	prog    *program
	n       int
	how     how
	inside  bool  // the reference leads into the values
	many    bool  // it is a slice
	soft    int32 // which box or map it is, from 1; 0: none
	from    where // the reference
	entries []entry
	table   reflect.Value // a builtin map
}

// how a spot is treated.
type how uint8

const (
	ours   how = iota // it is the caller's, or copied
	maybe             // a box or a builtin map, which is copied if it leads into the region
	theirs            // of the heap: shared
)

// where a reference is: in which value of which spot, and how many others before it.
type where struct {
	spot int32
	elem int
	ord  int32
}

// entry is a copy of a map's entry.
type entry struct{ key, val reflect.Value }

type shared struct {
	p    Pointer
	prog *program
	n    int
}

// soft is a box or a builtin map.
type soft struct {
	key   Pointer
	dirty bool
	from  []int32 // the others that lead to it
}

type span struct{ start, end uintptr }

// mostFollowed is how many values of the heap are looked at in checked builds: a
// request may lead to all that a server has.
const mostFollowed = 1 << 16

// surveyed looks at the value at p, and all that it leads to.
func surveyed(c *copier, prog *program, p Pointer, strict bool) *survey {
	s := &survey{
		c: c, strict: strict,
		elements: map[uintptr]bool{}, heap: map[shared]bool{}, softOf: map[Pointer]int32{}, dirty: map[Pointer]bool{},
	}
	v := reflect.New(prog.typ) // p may be on the stack, which moves
	v.Elem().Set(valueAt(prog.typ, p))
	s.spots = append(s.spots, spot{p: v.UnsafePointer(), prog: prog, n: 1})
	for i := 0; i < len(s.spots); i++ {
		s.visit(int32(i))
	}
	s.spread()
	s.join()
	return s
}

// visit looks at a spot.
func (s *survey) visit(i int32) {
	x := &s.spots[i]
	if x.table.IsValid() && x.entries == nil {
		x.entries = entriesOf(x.table)
		x.n = len(x.entries)
	}
	y := *x // spots grows
	for j := range y.n {
		p := add(y.p, uintptr(j)*y.prog.size)
		if y.how == ours && i != 0 {
			if s.elements[number(p)] {
				continue
			}
			s.elements[number(p)] = true
		}
		s.at = where{i, j, 0}
		s.visitOne(&y, p)
	}
}

// visitOne looks at the value at p, or the entry, that s.at says.
func (s *survey) visitOne(y *spot, p Pointer) {
	switch {
	case y.table.IsValid():
		e := y.entries[s.at.elem]
		s.pushKey(e.key)
		s.look(programFor(e.val.Type(), s.c.own).slots, e.val.Addr().UnsafePointer())
		s.pop()
		s.push(" (a key)")
		s.look(programFor(e.key.Type(), s.c.own).slots, e.key.Addr().UnsafePointer())
		s.pop()
	case y.inside:
		s.pushAround(y.prog.typ)
		s.look(y.prog.slots, p)
		s.pop()
	case y.many:
		s.pushIndex(s.at.elem)
		s.look(y.prog.slots, p)
		s.pop()
	default:
		s.look(y.prog.slots, p)
	}
}

// entriesOf copies the entries of a map.
func entriesOf(m reflect.Value) []entry {
	list := make([]entry, 0, m.Len())
	for it := m.MapRange(); it.Next(); {
		e := entry{reflect.New(m.Type().Key()).Elem(), reflect.New(m.Type().Elem()).Elem()}
		e.key.SetIterKey(it)
		e.val.SetIterValue(it)
		list = append(list, e)
	}
	return list
}

// look looks at the slots of the value at p, as copier.scan does.
//
//go:norace
func (s *survey) look(slots []slot, p Pointer) {
	for i := range slots {
		x := &slots[i]
		at := add(p, x.off)
		s.push(x.name)
		switch x.kind {
		case pointer:
			if q := load(at); q != nil && x.size != 0 {
				s.refer(x, q, 1, false)
			}
		case text_:
			if t := *textAt(at); len(t) != 0 {
				s.referText(t)
			}
		case slice:
			if data, n := x.sliceAt(at); n != 0 && x.size != 0 {
				s.refer(x, data, n, true)
			}
		case iface:
			s.lookIface(x, at)
		case builtin:
			s.lookMap(x, at)
		case array:
			for j := range x.n {
				s.pushIndex(j)
				s.look(x.slots, add(at, uintptr(j)*x.size))
				s.pop()
			}
		case opaque:
			s.referOpaque(x, number(x.wordAt(at)))
		case numeral:
			if s.how() != theirs {
				s.referOpaque(x, loadNumber(at))
			}
		}
		s.pop()
	}
}

func (s *survey) how() how { return s.spots[s.at.spot].how }

// refer notes a reference to n values.
func (s *survey) refer(x *slot, q Pointer, n int, many bool) {
	if s.next() {
		return
	}
	r := s.c.find(number(q))
	if r < 0 {
		s.referHeap(x, q, n, many)
		return
	}
	s.touch()
	h := &s.c.ranges[r]
	off := number(q) - h.Start
	from, to, ok := bounds(h, off, x.size, x.size*uintptr(n))
	if !ok {
		s.refuse("leads to memory that lies in the arena only in part")
	}
	s.reached = append(s.reached, span{h.Start + from, h.Start + to})
	if h.Size != 0 {
		prog := programIn(h, s.c.own)
		in := h.Size != x.size
		s.add(spot{p: add(h.Base, from), prog: prog, n: int((to - from) / h.Size), inside: in, many: many && !in})
	} else if x.nums {
		s.add(spot{p: q, prog: programFor(x.elem, s.c.own), n: n, many: many})
	}
}

// referText notes a reference to a string.
func (s *survey) referText(t string) {
	if s.next() {
		return
	}
	r := s.c.find(number(dataOf(t)))
	if r < 0 {
		s.mourn(dataOf(t))
		return
	}
	s.touch()
	h := &s.c.ranges[r]
	from, to, ok := bounds(h, number(dataOf(t))-h.Start, 1, uintptr(len(t)))
	if !ok {
		s.refuse("leads to memory that lies in the arena only in part")
	}
	if len(t) > shortText {
		s.reached = append(s.reached, span{h.Start + from, h.Start + to})
		if h.Size != 0 { // bytes of a type with pointers, by package unsafe
			s.add(spot{p: add(h.Base, from), prog: programIn(h, s.c.own), n: int((to - from) / h.Size), inside: true})
		}
	}
}

// referOpaque notes what may be an address.
func (s *survey) referOpaque(x *slot, q uintptr) {
	if s.next() || s.c.find(q) < 0 {
		return
	}
	s.touch()
	s.refuse("holds an address in the arena, as " + article(x.typ) + ", of which nobody can tell what lies there")
}

// referHeap notes a reference to n values that are not the region's.
func (s *survey) referHeap(x *slot, q Pointer, n int, many bool) {
	s.mourn(q)
	if !s.strict || x.flat || x.nums || len(s.heap) >= mostFollowed {
		return
	}
	prog := programFor(x.elem, s.c.own)
	if key := (shared{q, prog, n}); !prog.shy && !s.heap[key] {
		s.heap[key] = true
		s.add(spot{p: q, prog: prog, n: n, how: theirs, many: many})
	}
}

func (s *survey) lookIface(x *slot, at Pointer) {
	if direct() {
		if word := load(at); word != nil && s.strict && s.isDead(word) {
			s.next()
			s.mourn(word)
			return
		}
	}
	b := x.boxAt(at, s.c.own)
	if b.dynamic == nil {
		return
	}
	s.pushType(b.prog.typ)
	defer s.pop()
	switch {
	case b.inPlace:
		s.look(b.prog.slots, b.at)
	case s.next():
	case !direct():
		if len(b.prog.slots) != 0 {
			s.add(spot{p: b.at, prog: b.prog, n: 1, how: s.how(), soft: s.spots[s.at.spot].soft})
		}
	default:
		inside := s.c.find(number(b.at)) >= 0
		if inside || len(b.prog.slots) != 0 {
			s.soft(b.at, inside, spot{p: b.at, prog: b.prog, n: 1})
		}
	}
}

func (s *survey) lookMap(x *slot, at Pointer) {
	m := x.wordAt(at)
	if m == nil || s.next() {
		return
	}
	s.mourn(m)
	if s.how() == theirs && check.Race {
		return // to walk it would be a race with who changes it under a lock
	}
	table := reflect.New(x.typ).Elem() // what is at at may be used again
	table.Set(valueAt(x.typ, at))
	s.soft(m, false, spot{prog: &program{}, table: table})
}

// soft notes a reference to a box or a map. In memory of the heap they are shared as
// all else there.
func (s *survey) soft(key Pointer, dirty bool, y spot) {
	if s.how() == theirs {
		if k := (shared{p: key, n: -1}); s.strict && !y.prog.shy && !s.heap[k] && len(s.heap) < mostFollowed {
			s.heap[k] = true
			y.how = theirs
			s.add(y)
		}
		return
	}
	i, ok := s.softOf[key]
	if !ok {
		s.softs = append(s.softs, soft{key: key, dirty: dirty})
		i = int32(len(s.softs))
		s.softOf[key] = i
		y.how, y.soft = maybe, i
		s.add(y)
	}
	if from := s.spots[s.at.spot].soft; from != 0 {
		s.softs[i-1].from = append(s.softs[i-1].from, from)
	}
}

// add enters what the reference leads to.
func (s *survey) add(y spot) {
	y.from = s.at
	s.spots = append(s.spots, y)
}

// touch notes that the spot leads into the region.
func (s *survey) touch() {
	x := &s.spots[s.at.spot]
	switch {
	case x.how == theirs:
		s.betray()
	case x.soft != 0:
		s.softs[x.soft-1].dirty = true
	}
}

// spread makes dirty what leads to what is.
func (s *survey) spread() {
	var work []int32
	for i := range s.softs {
		if s.softs[i].dirty {
			work = append(work, int32(i)+1)
		}
	}
	for len(work) > 0 {
		x := &s.softs[work[len(work)-1]-1]
		work = work[:len(work)-1]
		s.dirty[x.key] = true
		for _, f := range x.from {
			if !s.softs[f-1].dirty {
				s.softs[f-1].dirty = true
				work = append(work, f)
			}
		}
	}
}

func (s *survey) isDirty(key Pointer) bool { return s.dirty[key] }

// join makes pieces of what was reached.
func (s *survey) join() {
	slices.SortFunc(s.reached, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	for _, r := range s.reached {
		if n := len(s.pieces); n > 0 && r.start < s.pieces[n-1].end {
			s.pieces[n-1].end = max(s.pieces[n-1].end, r.end)
		} else {
			s.pieces = append(s.pieces, r)
		}
	}
	s.spots, s.elements, s.heap, s.reached = nil, nil, nil, nil
}
