package suite

import (
	"fmt"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/suite/model"
)

// bufferSlot is a live Buffer with its records in the model: one for the Buffer, and the slot of its current
// memory.
type bufferSlot struct {
	b     *arena.Buffer
	own   *model.Object
	slot  *slot // nil before the first allocation
	cap   int   // capacity when the buffer last grew; a Rewind may undo later growth
	want  []byte
	texts []takenText
}

// takenText is a result of String and its expected text, which must not change.
type takenText struct{ got, want string }

// buffer makes a Buffer or runs an operation on one.
func (r *replay) buffer() (string, error) {
	which := int(r.byte())
	if len(r.buffers) == 0 || which%8 == 0 {
		n := r.length(1) % 3000
		x := &bufferSlot{b: arena.NewBuffer(r.a, n)}
		x.own = r.m.Make(model.Traced, int(unsafe.Sizeof(arena.Buffer{})), 1, 1)
		r.bufferType = true
		r.buffers = append(r.buffers, x)
		err := r.bufferGrew(x, nil, 0)
		if err == nil && x.b.Cap() < n {
			err = fmt.Errorf("room for %d bytes", x.b.Cap())
		}
		return fmt.Sprintf("NewBuffer(%d)", n), err
	}
	x := r.buffers[which%len(r.buffers)]
	was, had := unsafe.SliceData(x.b.Bytes()), x.b.Cap()
	op, n := r.byte()%8, r.length(1)%3000
	what := fmt.Sprintf("operation %d of a Buffer of %d bytes, %d", op, len(x.want), n)
	switch op {
	case 0:
		x.texts = append(x.texts, takenText{x.b.String(), string(x.want)})
	case 1:
		n %= len(x.want) + 1
		x.b.Truncate(n)
		x.want = x.want[:n]
		return what, nil // reduces the capacity at most
	case 2:
		x.b.Grow(n)
		if x.b.Available() < n {
			return what, fmt.Errorf("%d bytes are available", x.b.Available())
		}
	case 3:
		x.want = append(x.want, byte(n))
		x.b.WriteByte(byte(n))
	default:
		more := r.pattern(n)
		x.want = append(x.want, more...)
		x.b.Write(more)
	}
	return what, r.bufferGrew(x, was, had)
}

// bufferGrew compares a buffer with its expected content and determines from its address whether it has
// moved.
func (r *replay) bufferGrew(x *bufferSlot, was *byte, had int) error {
	if got := string(x.b.Bytes()); got != string(x.want) {
		return fmt.Errorf("it holds %q, want %q", got, x.want)
	}
	now, c := unsafe.SliceData(x.b.Bytes()), x.b.Cap()
	if c == 0 {
		return nil
	}
	got := raw{p: unsafe.Pointer(now), n: len(x.want), c: c}
	filled := len(x.want)
	switch {
	case had > 0 && now == was && c == had:
	case had > 0 && now == was && had < x.slot.obj.Cap():
		return fmt.Errorf("a buffer of cut capacity was extended in place")
	case had > 0 && now == was:
		filled = max(filled, x.slot.obj.Cap())
		r.m.Grow(x.slot.obj, c)
		x.slot.r.c, x.cap = c, c
	default:
		typ, move := flatKinds[0], r.m.Move // bytes
		from := &model.Object{Class: model.Flat, Size: 1}
		if x.slot != nil {
			if from = x.slot.obj; had > 0 && had == x.slot.r.c && r.a.Stats().UsedBytes < r.m.Used()+c {
				move = r.m.Leave // the old memory's chunk was dropped
			}
		}
		x.slot = &slot{typ: typ, r: got, obj: move(from, nil, c), held: true}
		r.slots = append(r.slots, x.slot)
		x.cap = c
	}
	for i, b := range x.want {
		x.slot.obj.Elems[i] = uint64(b)
	}
	if x.slot.obj.Len = len(x.want); x.cap == x.slot.r.c {
		// The unused capacity has any content. Written values must stay.
		for i := filled; i < c; i++ {
			x.slot.obj.Elems[i] = r.next()
			x.slot.typ.fill(x.slot.r, i, x.slot.obj.Elems[i])
		}
	}
	return r.overlap(x.slot)
}

// bufferContents compares all live buffers and all results of String.
func (r *replay) bufferContents() error {
	for _, x := range r.buffers {
		if got := string(x.b.Bytes()); got != string(x.want) {
			return fmt.Errorf("a Buffer holds %q, want %q", got, x.want)
		}
		for _, s := range x.texts {
			if s.got != s.want {
				return fmt.Errorf("a Buffer's text is %q, was %q", s.got, s.want)
			}
		}
	}
	return nil
}

// syncBuffers drops the buffers that must not be used after a Rewind, because they were made or have moved
// since the mark.
func (r *replay) syncBuffers(live map[*model.Object]bool) {
	var kept []*bufferSlot
	for _, x := range r.buffers {
		if live[x.own] && (x.slot == nil || live[x.slot.obj] && x.slot.obj.Cap() == x.cap) {
			kept = append(kept, x)
		}
	}
	r.buffers = kept
}
