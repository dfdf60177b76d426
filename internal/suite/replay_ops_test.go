package suite

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/ebbpool/arena/internal/suite/model"
)

// append appends to a live slice, unchanged or cut in one of several ways, and determines from addresses
// whether it grew in place.
func (r *replay) append() (string, error) {
	var s *slot
	if len(r.slots) > 0 { // usually one of the last few
		b := int(r.byte())
		if s = r.slots[len(r.slots)-1-b%min(3, len(r.slots))]; b > 200 {
			s = r.slots[b%len(r.slots)]
		}
	}
	if s == nil || s.typ == nil || s.typ.size() == 0 || s.held {
		t := r.anyType(true)
		got, err := t.makeSlice(r.a, 0, 0, false)
		return fmt.Sprintf("MakeSlice[%v](0, 0)", t), r.made(t, got, 0, 0, err)
	}
	mode, add := r.byte()%8, int(r.byte())
	off, n, c, self := 0, s.obj.Len, s.r.c, false
	switch mode {
	case 0: // cut the capacity
		n = n / 2
		c = n
	case 1: // overwrite the following elements
		n = n / 2
	case 2: // from the middle
		off = n / 3
	case 3:
		self = true
		add = min(add, n)
	case 4:
		add %= 3
	}
	if limit := 8192 / s.typ.size(); add > limit {
		add %= limit + 1
	}
	what := fmt.Sprintf("Append[%v](s[%d:%d:%d], %d items, self %t)", s.typ, off, n, c, add, self)
	seeds := make([]uint64, add)
	for i := range seeds {
		if seeds[i] = r.next(); self {
			seeds[i] = s.obj.Elems[i]
		}
	}
	s.r.n = n
	got, err := s.typ.rawAppend(r.a, s.r, off, n, c, seeds, self)
	if err != nil {
		return what, err
	}
	end := n + add
	inPlace := c > off && got.p == unsafe.Add(s.r.p, off*s.typ.size())
	switch {
	case end <= c:
		if !inPlace && c > off {
			return what, fmt.Errorf("moved although the capacity sufficed")
		}
		copy(s.obj.Elems[n:], seeds)
		s.obj.Len = max(s.obj.Len, end)
	case inPlace && c < s.r.c:
		return what, fmt.Errorf("a slice of cut capacity was extended in place")
	case inPlace:
		old := s.r.c
		s.r.c = off + got.c
		r.m.Grow(s.obj, s.r.c)
		copy(s.obj.Elems[n:], seeds)
		s.obj.Len = end
		r.fill(s, max(old, end), s.r.c)
		return what, r.overlap(s)
	default:
		elems := append(append([]uint64(nil), s.obj.Elems[off:n]...), seeds...)
		move := r.m.Move
		if whole := off == 0 && c == s.r.c && c > 0; whole && r.a.Stats().UsedBytes < r.m.Used()+got.c*s.typ.size() {
			move = r.m.Leave // the old memory's chunk was dropped
		}
		moved := &slot{typ: s.typ, r: got, obj: move(s.obj, elems, got.c)}
		r.fill(moved, len(elems), got.c)
		return what, r.admit(moved)
	}
	return what, nil
}

// makeSliceType makes a slice by reflection, whose header is also in the arena.
func (r *replay) makeSliceType(t testType, n, c int) (string, error) {
	got, err := t.makeSliceType(r.a, n, c)
	if size := headerBytes(); size != 0 {
		r.m.Make(model.Traced, size, 1, 1)
		if headerKinds[t] == nil {
			headerKinds[t] = &kind[struct{}]{name: "header"}
		}
		r.types[headerKinds[t]] = true
	}
	return fmt.Sprintf("arenareflect.MakeSlice(%v, %d, %d)", t, n, c), r.made(t, got, n, c, err)
}

// headerKinds represent slice types, whose headers have separate memory.
var headerKinds = map[testType]testType{}

func (r *replay) rewind() (string, error) {
	if len(r.marks) == 0 {
		return "Rewind(none)", nil
	}
	i := int(r.byte()) % len(r.marks)
	if r.pool != nil { // most of the others are stale
		i = len(r.marks) - 1 - i%min(3, len(r.marks))
	}
	what, p := fmt.Sprintf("Rewind(mark %d of %d)", i, len(r.marks)), r.marks[i]
	if !r.m.Valid(p.mm) {
		return what, r.mustPanic("Rewind: ", func() { r.a.Rewind(p.m) })
	}
	err, was := r.contents(), r.slots
	r.a.Rewind(p.m)
	r.m.Rewind(p.mm)
	r.sync()
	r.rewound(was, r.slots)
	if err == nil {
		err = r.contents()
	}
	return what, err
}

// sync drops the slots that the model has freed and cuts the others.
func (r *replay) sync() {
	live := map[*model.Object]bool{}
	for _, o := range r.m.Live() {
		live[o] = true
	}
	var kept []*slot
	for _, s := range r.slots {
		if live[s.obj] {
			if s.typ != nil {
				s.r.c, s.r.n = s.obj.Cap(), s.obj.Len
			}
			kept = append(kept, s)
		}
	}
	r.slots = kept
	r.syncBuffers(live)
}

func (r *replay) misuse() (string, error) {
	big := int(^uint(0) >> 1)
	t := r.anyType(true)
	type lc struct{ n, c int }
	c := []lc{{-1, 0}, {0, -1}, {-1, -1}, {4, 3}, {0, big}, {big, big}, {big - 7, big - 7}}[r.byte()%7]
	if t.size() == 0 {
		c = lc{-1, 4}
	} else if t.size() == 1 && c.c > 0 && c.n <= c.c {
		c = lc{0, big} // a valid size larger than any memory: must also panic
	}
	what := fmt.Sprintf("MakeSlice[%v](%d, %d)", t, c.n, c.c)
	return what, r.mustPanic("MakeSlice", func() { t.makeSlice(r.a, c.n, c.c, false) })
}

// mustPanic runs f, which must panic with a message that contains part and must not change memory in use.
func (r *replay) mustPanic(part string, f func()) (err error) {
	defer func() {
		msg, ok := recover().(string)
		if !ok || !strings.HasPrefix(msg, "arena: ") || !strings.Contains(msg, part) {
			err = fmt.Errorf("panic %q (string: %t), want one about %q", msg, ok, part)
		}
	}()
	f()
	return nil
}

// rewrite changes the content of a live object.
func (r *replay) rewrite(which byte) error {
	if len(r.slots) == 0 {
		return nil
	}
	if s := r.slots[int(which)%len(r.slots)]; s.typ != nil && !s.held {
		r.fill(s, 0, min(s.r.c, 64))
	}
	return nil
}
