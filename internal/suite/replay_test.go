package suite

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/suite/model"
	"github.com/ebbpool/arena/internal/testkit"
)

// replay runs a byte string as operations on an arena and on the model and compares the two. Errors describe
// the operation.
type replay struct {
	*forked
	a       *arena.Arena
	m       model.Region
	chunk   int
	keep    int // the arena's maxRetained
	slots   []*slot
	back    []*slot // memory freed by rewinds of this cycle, which may reuse it
	marks   []markPair
	seed    uint64
	ops     int
	resets  int                              // resets of the fork before it became this one
	types   map[testType]bool                // types with pointers that have memory
	handles map[testType]func() (raw, error) // allocators, valid until Release

	buffers    []*bufferSlot
	bufferType bool // a Buffer, which has pointers, was allocated
}

// slot is one live allocation with its record in the model.
type slot struct {
	typ  testType // nil for strings
	r    raw
	text string
	obj  *model.Object
	held bool // the memory of a Buffer, which only the Buffer writes
}

func (s *slot) span() (lo, hi uintptr) {
	if s.typ == nil {
		lo = uintptr(unsafe.Pointer(unsafe.StringData(s.text)))
		return lo, lo + uintptr(len(s.text))
	}
	lo = uintptr(s.r.p)
	return lo, lo + uintptr(s.r.c*s.typ.size())
}

type markPair struct {
	m  arena.Mark
	mm model.Mark
}

const (
	replayOps = 19 // kinds of operations

	maxUsed = 1 << 18
)

// length reads a length from two bytes. It is often close to a boundary.
func (r *replay) length(size int) int {
	v, mode := int(r.byte()), r.byte()%8
	n := v
	switch mode {
	case 4:
		n = v * 16
	case 5:
		n = (r.chunk + v%5 - 2) / max(size, 1)
	case 6:
		n = (2*r.chunk + v%5 - 2) / max(size, 1)
	case 7:
		n = max(0, r.chunk-r.m.Used()%r.chunk+v%5-2) / max(size, 1)
	}
	return min(n, 16384/max(size, 1))
}

// pattern returns n bytes, different each time.
func (r *replay) pattern(n int) []byte {
	b := make([]byte, n)
	x := byte(r.next() * 37)
	for i := range b {
		b[i] = x + byte(i)
	}
	return b
}

func (r *replay) next() uint64 { r.seed++; return r.seed }

// step runs one operation and returns its description.
func (r *replay) step() (string, error) {
	op := r.byte() % replayOps
	if r.m.Used() > maxUsed {
		op = 15
	}
	switch op {
	case 1:
		t := r.anyType(true)
		if r.handles[t] == nil {
			r.handles[t] = t.handle(r.a)
		}
		got, err := r.handles[t]()
		return fmt.Sprintf("AllocatorFor[%v]().New", t), r.made(t, got, 1, 1, err)
	case 0, 2:
		t := r.anyType(op != 2)
		switch r.ops % 4 {
		case 1:
			got, err := t.newOf(r.a, r.next())
			return fmt.Sprintf("NewOf[%v]", t), r.made(t, got, 1, 1, err)
		case 2:
			got, err := t.newType(r.a)
			return fmt.Sprintf("arenareflect.New(%v)", t), r.made(t, got, 1, 1, err)
		}
		got, err := t.newObject(r.a)
		return fmt.Sprintf("New[%v]", t), r.made(t, got, 1, 1, err)
	case 3, 4, 5:
		t := r.anyType(op != 5)
		n := r.length(t.size())
		c := n + int(r.byte()%4)*int(r.byte()%8)
		what := fmt.Sprintf("MakeSlice[%v](%d, %d)", t, n, c)
		if op == 3 && r.ops%2 == 0 {
			return r.makeSliceType(t, n, c)
		}
		if op != 4 {
			got, err := t.makeSlice(r.a, n, c, false)
			return what, r.made(t, got, n, c, err)
		}
		what = fmt.Sprintf("MakeSliceUninit[%v](%d, %d)", t, n, c)
		if !t.flat() {
			return what, r.mustPanic("MakeSliceUninit", func() { t.makeSlice(r.a, n, c, true) })
		}
		got, err := t.makeSlice(r.a, n, c, true)
		return what, r.made(t, got, n, c, err)
	case 6, 7, 8:
		return r.append()
	case 9, 10:
		b := r.pattern(r.length(1))
		want := string(b)
		var got string
		what := fmt.Sprintf("AllocString(%d bytes)", len(b))
		if op == 9 && len(b)%3 == 2 {
			got = r.a.Concat(want[:1], want[1:])
		} else if op == 9 {
			got = r.a.AllocString(want)
		} else {
			what = fmt.Sprintf("AllocBytesToString(%d bytes)", len(b))
			got = r.a.AllocBytesToString(b)
			clear(b)
		}
		if got != want {
			return what, fmt.Errorf("got %q, want %q", got, want)
		}
		return what, r.admit(&slot{text: got, obj: r.m.String(want)})
	case 11:
		n := r.length(1)
		b := r.a.AllocBytes(n)
		var err error
		if len(b) != n || cap(b) != n {
			err = fmt.Errorf("len %d, cap %d", len(b), cap(b))
		}
		return fmt.Sprintf("AllocBytes(%d)", n), r.made(flatKinds[0], rawOf(b), n, n, err)
	case 12:
		r.marks = append(r.marks, markPair{r.a.Mark(), r.m.Mark()})
		return "Mark", nil
	case 13:
		return r.rewind()
	case 14:
		if r.pool != nil {
			if b := r.byte(); b >= 64 {
				return r.alsoIsolated(b)
			}
		}
		return r.misuse()
	case 15:
		b := r.byte()
		if b%4 != 0 && r.m.Used() <= maxUsed {
			return "rewrite", r.rewrite(r.byte())
		} else if b%32 == 0 {
			err := r.contents()
			r.release()
			if st := r.a.Stats(); err == nil && (st.RetainedBytes != 0 || st.Chunks != 0) {
				err = fmt.Errorf("%d bytes in %d chunks are left", st.RetainedBytes, st.Chunks)
			}
			return "Release", err
		}
		err := r.contents()
		r.ended(r.slots)
		r.end(b)
		r.m.Reset()
		if b%32 == 4 { // cycles that use nothing: allocators become inactive and release memory
			for range 3 + int(b/32)*20 {
				r.a.Reset()
				r.m.Reset()
			}
		}
		r.sync()
		if got := r.a.Stats().RetainedBytes; err == nil && got > r.limit() {
			err = fmt.Errorf("%d bytes retained", got)
		}
		return "Reset", err
	case 18:
		return r.buffer()
	case 17:
		if b := r.byte(); b < 128 {
			return "rewrite", r.rewrite(b)
		} else {
			return r.turn(int(b - 128)), nil
		}
	case 16:
		if r.gcs < 2 && r.byte()%16 == 0 {
			r.gcs++
			testkit.Churn(64)
			runtime.GC()
			testkit.Churn(64)
			return "runtime.GC", r.contents()
		}
	}
	return "rewrite", r.rewrite(r.byte())
}

func (r *replay) release() {
	r.ended(r.slots)
	r.a.Release()
	r.m.Reset() // the model of Release
	clear(r.types)
	r.bufferType = false
	clear(r.handles)
	r.sync()
}

func (r *replay) limit() int {
	if r.keep <= 0 {
		return 10 * r.chunk
	}
	return r.keep
}

func (r *replay) anyType(mixed bool) testType {
	b := int(r.byte())
	if mixed && b >= 128 {
		return tracedKinds[b%len(tracedKinds)]
	}
	return flatKinds[b%len(flatKinds)]
}

// made records a new allocation and fills it to its capacity.
func (r *replay) made(t testType, got raw, n, c int, err error) error {
	if err != nil {
		return err
	}
	s := &slot{typ: t, r: got, obj: r.m.Make(classOf(t), t.size(), n, c)}
	r.fill(s, 0, c)
	return r.admit(s)
}

func (r *replay) fill(s *slot, from, to int) {
	for i := from; i < to; i++ {
		s.obj.Elems[i] = r.next()
		s.typ.fill(s.r, i, s.obj.Elems[i])
	}
}

// admit adds a slot and checks that it overlaps no other slot.
func (r *replay) admit(s *slot) error {
	r.slots = append(r.slots, s)
	if s.typ != nil && !s.typ.flat() && s.r.c > 0 {
		r.types[s.typ] = true
	}
	return r.overlap(s)
}

func (r *replay) overlap(s *slot) error {
	lo, hi := s.span()
	if err := r.meets(lo, hi); err != nil {
		return err
	}
	for _, o := range r.slots {
		if l, h := o.span(); o != s && lo < h && l < hi {
			return fmt.Errorf("[%#x, %#x) overlaps the live %v at [%#x, %#x)", lo, hi, o.typ, l, h)
		}
	}
	return nil
}

// contents compares all live allocations with the model.
func (r *replay) contents() error {
	for _, s := range r.slots {
		if s.typ == nil {
			if s.text != s.obj.Text {
				return fmt.Errorf("a live string holds %q, want %q", s.text, s.obj.Text)
			}
			continue
		}
		for i, seed := range s.obj.Elems {
			if !s.typ.check(s.r, i, seed) {
				return fmt.Errorf("element %d of %d of a live %v has changed", i, s.obj.Cap(), s.typ)
			}
		}
	}
	if err := r.staleContents(); err != nil {
		return err
	}
	return r.bufferContents()
}

// counts compares the arena's statistics with the model.
func (r *replay) counts() error {
	used, st := r.m.Used(), r.a.Stats()
	if got := r.a.Stats().UsedBytes; got != used || st.UsedBytes != used {
		return fmt.Errorf("UsedBytes %d, Stats.UsedBytes %d, want %d", got, st.UsedBytes, used)
	}
	if st.RetainedBytes < used || (st.RetainedBytes > 0) != (st.Chunks > 0) {
		return fmt.Errorf("%d bytes in %d chunks hold %d used bytes", st.RetainedBytes, st.Chunks, used)
	}
	if high := r.m.HighWater(); st.HighWater != high {
		return fmt.Errorf("HighWater %d, want %d", st.HighWater, high)
	}
	if want := r.resets + r.m.Resets(); int(st.Resets) != want {
		return fmt.Errorf("Resets %d, want %d", st.Resets, want)
	}
	types := len(r.types)
	if r.bufferType {
		types++
	}
	if st.Types != types {
		return fmt.Errorf("Types %d, want %d", st.Types, types)
	}
	return nil
}
