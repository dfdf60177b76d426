package machine

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// manyTypes are n types with pointers, which begin with one.
func manyTypes(n int) []*Type {
	all := make([]*Type, n)
	for i := range all {
		all[i] = TypeOf(reflect.ArrayOf(1+i, reflect.TypeFor[*int]()))
	}
	return all
}

// counterpart is a region, and another one that does the same and has all of its lanes look
// at each epoch: what epochs that a parked lane missed are made up for by has to come to
// the same.
type counterpart struct {
	*rand.Rand
	t       *testing.T
	types   []*Type
	r       [2]*Region
	refused [2]bool
	marks   [2][]Mark
	cells   [64]int
	live    [][2]xunsafe.Pointer // to the first words of values
	holds   []*int               // what these hold
	until   []int                // how many of them there were at each mark
	used    []uintptr            // and how many bytes were in use
	newest  struct {
		typ *Type
		p   [2]xunsafe.Pointer
		n   int
	}
}

// unparkAll takes all lanes back.
func (r *Region) unparkAll() {
	if p := r.Types.parked; p != nil {
		for p.first < len(r.Types.lanes) {
			r.unpark(r.Types.lanes[p.first])
		}
		p.most = 0
	}
}

type counterpartRefused struct{}

// both runs f on each of the regions, and reports whether it was refused.
func (w *counterpart) both(f func(i int, r *Region)) bool {
	for i, r := range w.r {
		func() {
			defer func() {
				e := recover()
				if _, w.refused[i] = e.(counterpartRefused); e != nil && !w.refused[i] {
					panic(e)
				}
			}()
			f(i, r)
		}()
	}
	if w.refused[0] != w.refused[1] {
		w.t.Fatalf("refused: %v", w.refused)
	}
	return w.refused[0]
}

// alloc makes a slice of n values of a type in both.
func (w *counterpart) alloc(typ *Type, n int) {
	var p [2]xunsafe.Pointer
	if w.both(func(i int, r *Region) {
		if n == 1 {
			p[i] = NewOfType(r, typ)
		} else {
			p[i] = MakeSliceOfType(r, typ, n, n).Data
		}
	}) {
		return
	}
	w.made(typ, p, n)
}

// grow has the slice that came last grow to n values, if it is of the type.
func (w *counterpart) grow(typ *Type, n int) {
	s := w.newest
	if s.typ == nil || n <= s.n {
		return
	}
	var p [2]xunsafe.Pointer
	if w.both(func(i int, r *Region) { p[i] = GrowSliceOfType(r, typ, Slice{s.p[i], 0, s.n}, n).Data }) {
		return
	}
	if p == s.p { // in place
		w.cut(len(w.live) - 1)
		for i := range uintptr(s.n) {
			*xunsafe.Cast[*int](xunsafe.Add(p[0], i*typ.Size)), *xunsafe.Cast[*int](xunsafe.Add(p[1], i*typ.Size)) = nil, nil
		}
	}
	w.made(typ, p, n)
}

// made notes a slice of n values.
func (w *counterpart) made(typ *Type, p [2]xunsafe.Pointer, n int) {
	w.newest.typ, w.newest.p, w.newest.n = typ, p, n
	cell := &w.cells[w.IntN(len(w.cells))]
	for _, p := range p {
		for i := range n {
			x := xunsafe.Cast[*int](xunsafe.Add(p, uintptr(i)*typ.Size))
			if *x != nil {
				w.t.Fatal("a new value is not zero")
			}
			*x = cell
		}
	}
	w.live, w.holds = append(w.live, p), append(w.holds, cell)
}

// same compares all that the regions say of themselves, and of each lane.
func (w *counterpart) same(what string, retention bool) {
	w.t.Helper()
	if a, b := w.r[0].Numbers(), w.r[1].Numbers(); a != b || w.r[0].UsedBytes() != w.r[1].UsedBytes() {
		w.t.Fatalf("%s: %+v, and with all lanes in use %+v", what, a, b)
	}
	if retention {
		w.r[0].unparkAll()
	}
	lanes := map[uintptr]*Lane{}
	for _, l := range w.r[1].Types.lanes {
		lanes[l.align()] = l
	}
	for _, l := range w.r[0].Types.lanes {
		o := lanes[l.align()]
		if l.HeldBytes() != o.HeldBytes() || l.Chunks() != o.Chunks() {
			w.t.Fatalf("%s: a lane holds %d bytes in %d chunks, and if it is always in use %d in %d", what, l.HeldBytes(), l.Chunks(), o.HeldBytes(), o.Chunks())
		}
		a, b := l.retention, o.retention
		if a.idle, b.idle = 0, 0; retention && a != b {
			w.t.Fatalf("%s: a lane has learned\n%+v, and if it is always in use\n%+v", what, a, b)
		}
	}
	for i, p := range w.live {
		for _, p := range p {
			if *xunsafe.Cast[*int](p) != w.holds[i] {
				w.t.Fatalf("%s: value %d is overwritten", what, i)
			}
		}
	}
	w.r[0].Types.check()
}

func (w *counterpart) cut(n int) { w.live, w.holds = w.live[:n], w.holds[:n] }

// epoch runs one epoch with some of the types.
func (w *counterpart) epoch(types []*Type, most int) {
	for range w.IntN(4) {
		if w.newest.typ == nil || w.IntN(3) != 0 {
			w.alloc(types[w.IntN(len(types))], 1+w.IntN(most))
		}
		for range w.IntN(4) {
			w.grow(w.newest.typ, w.newest.n+w.IntN(most))
		}
		switch n := w.IntN(12); {
		case n < 2:
			w.both(func(i int, r *Region) { w.marks[i] = append(w.marks[i], r.Mark()) })
			w.until, w.used = append(w.until, len(w.live)), append(w.used, w.r[0].UsedBytes())
		case n < 4 && len(w.until) > 0:
			k := w.IntN(len(w.until))
			w.both(func(i int, r *Region) {
				r.Rewind(w.marks[i][k])
				w.marks[i] = w.marks[i][:k+1]
			})
			w.cut(w.until[k])
			w.until, w.newest.typ = w.until[:k+1], nil
			if got := w.r[0].UsedBytes(); got != w.used[k] {
				w.t.Fatalf("%d bytes are in use after a rewind, and were %d", got, w.used[k])
			}
			w.used = w.used[:k+1]
			w.same("a rewind", false)
		case n == 4:
			w.both(func(_ int, r *Region) { MakeSlice[byte](r, 100*most, 100*most) })
		}
	}
}

func (w *counterpart) end() {
	w.same("the end of an epoch", false)
	w.cut(0)
	w.marks[0], w.marks[1], w.until, w.used = w.marks[0][:0], w.marks[1][:0], w.until[:0], w.used[:0]
	w.newest.typ = nil
	for _, l := range w.r[1].Types.lanes {
		l.retention.idle = 1 // it is never parked, nor is its epoch ended in place
	}
	w.both(func(_ int, r *Region) { r.Empty() })
	w.same("an empty region", w.IntN(50) == 0)
}
