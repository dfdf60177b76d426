package suite

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
)

// isolated is what a program keeps too long where its arena is one of a pool that
// isolates: every allocation of the epochs that have ended.
type isolated struct {
	pool  *arena.ArenaPool // nil where nothing is isolated
	stale []*slot
}

// mostStale bounds what is compared again and again.
const mostStale = 400

func (f *isolated) isolate(chunk, keep int) *arena.Arena {
	f.pool = arena.NewArenaPool(chunk, keep)
	f.pool.SetIsolation(true)
	return f.pool.Get()
}

// tracks reports whether stale memory is looked at: where the checks are on it can't be.
func (f *isolated) tracks() bool { return f.pool != nil && !check.On }

// ended notes what an epoch leaves.
func (r *replay) ended(slots []*slot) {
	f := &r.isolated
	if !f.tracks() {
		return
	}
	f.stale = append(f.stale, slots...)
	f.stale = append(f.stale, r.back...)
	r.back = nil
	f.stale = slices.Delete(f.stale, 0, max(0, len(f.stale)-mostStale))
}

// rewound notes what a rewind took back: no later epoch may have it.
func (r *replay) rewound(was, now []*slot) {
	if !r.tracks() {
		return
	}
	for _, s := range was {
		if !slices.Contains(now, s) {
			r.back = append(r.back, &slot{typ: s.typ, r: s.r, text: s.text})
		}
	}
}

// meets compares where something new lies with all that is stale.
func (f *isolated) meets(lo, hi uintptr) error {
	for _, o := range f.stale {
		if l, h := o.span(); lo < h && l < hi {
			return fmt.Errorf("[%#x, %#x) was the %v of an epoch before, at [%#x, %#x)", lo, hi, o.typ, l, h)
		}
	}
	return nil
}

// staleContents compares what is stale with what it was, or zero; and writes to some of
// it, which nothing live may show.
func (f *isolated) staleContents() error {
	for n, s := range f.stale {
		switch {
		case s.obj == nil || s.held:
		case s.typ == nil:
			if s.text != s.obj.Text {
				return fmt.Errorf("a stale string holds %q, was %q", s.text, s.obj.Text)
			}
		default:
			for i, seed := range s.obj.Elems {
				if i < s.r.c && !s.typ.check(s.r, i, seed) && (s.typ.flat() || !zeroAt(s, i)) {
					return fmt.Errorf("element %d of %d of a stale %v has changed", i, s.obj.Cap(), s.typ)
				}
				if i < s.r.c && n%3 == 0 {
					s.typ.fill(s.r, i, seed)
				}
			}
		}
	}
	return nil
}

func zeroAt(s *slot, i int) bool {
	size := s.typ.size()
	for _, b := range unsafe.Slice((*byte)(unsafe.Add(s.r.p, i*size)), size) {
		if b != 0 {
			return false
		}
	}
	return true
}

// end ends the epoch of r, by Reset, or by Put and the next Get: not where the race
// detector has a sync.Pool lose what is put.
func (r *replay) end(b byte) {
	if r.pool == nil || r != r.root || b%64 >= 32 || check.Race {
		r.a.Reset()
		return
	}
	delete(r.met, r.a)
	r.pool.Put(r.a)
	r.a = r.pool.Get()
	r.met[r.a] = r
	clear(r.lanes)
}
