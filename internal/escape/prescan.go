package escape

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// A pre-scan visits everything that is to be copied and changes nothing. The copier needs it in four cases:
// if pieces overlap, because all of them must be known before one is copied; for builtin maps, which are
// copied only if they lead into the region, and may refer to each other; to name the path to a refused value;
// and in checked builds, which also follow pointers to the heap.
type prescan struct {
	c      *copier
	strict bool

	spots    []spot
	followed int // number of shared values visited
	reached  []span

	at where // the reference being visited
	labels
}

// spot is the target of a reference: n values at p, or the entries of the map whose header is at p.
type spot struct {
	p       Pointer
	prog    *program
	n       int
	how     how
	inside  bool  // the reference points into the values
	many    bool  // the target is a slice
	soft    int32 // number of the box or map, or 0
	from    where // the reference
	entries []entry
	table   reflect.Value // the builtin map
}

// how is the ownership of a spot.
type how uint8

const (
	ours   how = iota // the caller's value, or copied
	maybe             // a box or a builtin map, copied if it leads into the region
	theirs            // heap memory, which is shared
)

// where identifies a reference: the spot, the value in it, and the number of references before it.
type where struct {
	spot int32
	elem int
	ord  int32
}

// entry is a copy of a map entry.
type entry struct{ key, val reflect.Value }

type span struct{ start, end uintptr }

// mostFollowed is the maximum number of heap values visited in checked builds, because a request may lead to
// all memory of a server.
const mostFollowed = 1 << 16

// prescan visits the value at p and everything reachable from it. It marks dirty softs and enters the pieces
// to copy.
func (c *copier) prescan(prog *program, p Pointer, strict bool) {
	s := &prescan{c: c, strict: strict}
	v := reflect.New(prog.typ) // p may be on the stack, which moves
	v.Elem().Set(xunsafe.Value(prog.typ, p))
	s.spots = append(s.spots, spot{p: v.UnsafePointer(), prog: prog, n: 1})
	for i := 0; i < len(s.spots); i++ {
		s.visit(int32(i))
	}
	c.spread()
	s.join()
	c.prescanned = true
}

func (s *prescan) visit(i int32) {
	x := &s.spots[i]
	if x.prog == mapHeader {
		if x.how == theirs && !s.isNew(ref{x.p, mapHeader}, theirs) {
			return
		}
		x.entries = entriesOf(x.table)
		x.n = len(x.entries)
	}
	y := *x // a copy, because spots grows
	for j := range y.n {
		p := xunsafe.Add(y.p, uintptr(j)*y.prog.size)
		if i != 0 && y.how != maybe && y.prog != mapHeader && !s.isNew(ref{p, y.prog}, y.how) {
			continue
		}
		s.at = where{i, j, 0}
		s.visitOne(&y, p)
	}
}

// isNew reports whether the value has not been visited, and marks it visited. The number of shared values is
// limited.
func (s *prescan) isNew(r ref, how how) bool {
	if how == theirs && s.followed == mostFollowed {
		return false
	}
	_, isNew := s.c.seen.number(r)
	if isNew && how == theirs {
		s.followed++
	}
	return isNew
}

// visitOne visits the value at p, or the map entry, that s.at refers to.
func (s *prescan) visitOne(y *spot, p Pointer) {
	switch {
	case y.prog == mapHeader:
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

// entriesOf returns copies of the entries of a map.
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

// look visits the slots of the value at p, like copier.scan.
//
//go:norace
func (s *prescan) look(slots []slot, p Pointer) {
	for i := range slots {
		x := &slots[i]
		at := xunsafe.Add(p, x.off)
		s.push(x.name)
		switch x.op {
		case opPointer:
			if q := load(at); q != nil && x.size != 0 {
				s.refer(x, q, 1, false)
			} else {
				s.referNothing(q)
			}
		case opText:
			if t := *textAt(at); len(t) != 0 {
				s.referText(t)
			} else {
				s.referNothing(xunsafe.TextOf(t))
			}
		case opSlice:
			if data, n := x.sliceAt(at); n != 0 && x.size != 0 {
				s.refer(x, data, n, true)
			} else {
				s.referNothing(data)
			}
		case opIface:
			s.lookIface(x, at)
		case opMap:
			s.lookMap(x, at)
		case opArray:
			for j := range x.n {
				s.pushIndex(j)
				s.look(x.slots, xunsafe.Add(at, uintptr(j)*x.size))
				s.pop()
			}
		case opOpaque:
			s.referOpaque(x, xunsafe.Number(x.wordAt(at)))
		case opHidden:
			s.referHidden(x, at)
		case opNumber:
			if s.how() != theirs {
				s.referOpaque(x, loadNumber(at))
			}
		}
		s.pop()
	}
}

func (s *prescan) how() how { return s.spots[s.at.spot].how }

// refer records a reference to n values.
func (s *prescan) refer(x *slot, q Pointer, n int, many bool) {
	if s.next() {
		return
	}
	r := s.c.find(xunsafe.Number(q))
	if r < 0 {
		s.referHeap(x, q, n, many)
		return
	}
	s.touch()
	h := &s.c.ranges[r]
	off := xunsafe.Number(q) - h.Start
	from, to, ok := bounds(h, off, x.size, x.size*uintptr(n))
	if !ok {
		s.refuse("leads to memory that lies in the arena only in part")
	}
	s.reached = append(s.reached, span{h.Start + from, h.Start + to})
	if h.Size != 0 {
		prog := programIn(h, s.c.own)
		in := h.Size != x.size
		s.add(spot{p: xunsafe.Add(h.Base, from), prog: prog, n: int((to - from) / h.Size), inside: in, many: many && !in})
	} else if x.nums {
		s.add(spot{p: q, prog: programFor(x.elem, s.c.own), n: n, many: many})
	}
}

// referText records a reference to a string.
func (s *prescan) referText(t string) {
	if s.next() {
		return
	}
	r := s.c.find(xunsafe.Number(xunsafe.TextOf(t)))
	if r < 0 {
		s.mourn(xunsafe.TextOf(t))
		return
	}
	s.touch()
	h := &s.c.ranges[r]
	from, to, ok := bounds(h, xunsafe.Number(xunsafe.TextOf(t))-h.Start, 1, uintptr(len(t)))
	if !ok {
		s.refuse("leads to memory that lies in the arena only in part")
	}
	if len(t) > mostShort {
		s.reached = append(s.reached, span{h.Start + from, h.Start + to})
		if h.Size != 0 { // bytes of a type with pointers, made by package unsafe
			s.add(spot{p: xunsafe.Add(h.Base, from), prog: programIn(h, s.c.own), n: int((to - from) / h.Size), inside: true})
		}
	}
}

// referNothing records a reference to a value of size zero, which is never read. The reference is redirected
// in the copy so that it does not keep the region's memory alive.
func (s *prescan) referNothing(q Pointer) {
	if s.how() != theirs && s.c.find(xunsafe.Number(q)) >= 0 {
		s.touch()
	}
}

// referOpaque records a value that may be an address.
func (s *prescan) referOpaque(x *slot, q uintptr) {
	if s.next() || s.c.find(q) < 0 {
		return
	}
	s.touch()
	s.refuse("holds an address in the arena, as " + article(x.typ) + ", of which nobody can tell what lies there")
}

// referHidden records a weak.Pointer or unique.Handle.
func (s *prescan) referHidden(x *slot, at Pointer) {
	if s.next() || !s.c.hides(x, at) {
		return
	}
	s.touch()
	s.refuse("leads to the arena, as a " + x.typ.String() + ", which cannot be copied")
}

// referHeap records a reference to n values outside the region.
func (s *prescan) referHeap(x *slot, q Pointer, n int, many bool) {
	s.mourn(q)
	if !s.strict || x.noscan || x.nums {
		return
	}
	s.follow(spot{p: q, prog: programFor(x.elem, s.c.own), n: n, many: many})
}

// follow records a reference to shared memory.
func (s *prescan) follow(y spot) {
	if s.strict && !y.prog.shy && s.followed < mostFollowed && !(y.n == 1 && s.c.seen.has(ref{y.p, y.prog})) {
		y.how = theirs
		s.add(y)
	}
}

func (s *prescan) lookIface(x *slot, at Pointer) {
	if direct() {
		if word := load(at); word != nil && s.strict && s.isDead(word) {
			s.next()
			s.mourn(word)
			return
		}
	}
	b := s.c.boxAt(x, at)
	t := s.c.treat(b)
	if t == leave {
		return
	}
	s.pushType(b.prog.typ)
	defer s.pop()
	switch {
	case t == within || t == leaf:
		s.look(b.prog.slots, b.at)
	case s.next():
	default:
		s.soft(spot{p: b.at, prog: b.prog, n: 1})
	}
}

func (s *prescan) lookMap(x *slot, at Pointer) {
	m := x.wordAt(at)
	if m == nil || s.next() {
		return
	}
	s.mourn(m)
	if !s.c.mayCopy(x, m) {
		return
	}
	if s.how() == theirs && check.Race {
		return // iterating would race with code that changes the map under a lock
	}
	table := reflect.New(x.typ).Elem() // a copy, because the memory at at may be reused
	table.Set(xunsafe.Value(x.typ, at))
	s.soft(spot{p: m, prog: mapHeader, table: table})
}

// soft records a reference to a box or a map. Boxes and maps reached from heap memory are shared.
func (s *prescan) soft(y spot) {
	if s.how() == theirs {
		s.follow(y)
		return
	}
	i := s.c.softOf(ref{y.p, y.prog})
	x := &s.c.list[i]
	if x.state == unknown {
		if x.state = clean; y.prog == mapHeader && s.c.region.OwnsMap(xunsafe.Number(y.p)) || s.c.find(xunsafe.Number(y.p)) >= 0 {
			x.state = dirty
		}
		y.how, y.soft = maybe, i
		s.add(y)
	}
	if from := s.spots[s.at.spot].soft; from != 0 {
		s.c.lead(from, i)
	}
}

// add adds the target of the reference.
func (s *prescan) add(y spot) {
	y.from = s.at
	s.spots = append(s.spots, y)
}

// touch records that the spot leads into the region.
func (s *prescan) touch() {
	x := &s.spots[s.at.spot]
	switch {
	case x.how == theirs:
		s.betray()
	case x.soft != 0:
		s.c.list[x.soft].state = dirty
	}
}

// join merges the reached ranges into pieces.
func (s *prescan) join() {
	slices.SortFunc(s.reached, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	for i := 0; i < len(s.reached); {
		piece := s.reached[i]
		for i++; i < len(s.reached) && s.reached[i].start < piece.end; i++ {
			piece.end = max(piece.end, s.reached[i].end)
		}
		s.c.enter(piece.start, piece.end, nil)
	}
}
