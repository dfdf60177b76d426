package suite

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/suite/model"
)

// isolated records every allocation of past cycles of an isolating pool, for programs that keep references
// too long.
type isolated struct {
	pool  *arena.ArenaPool // nil without isolation
	stale []*slot

	refusals int // by limits
}

// mostStale limits the number of stale allocations that are compared repeatedly.
const mostStale = 400

func (f *isolated) isolate(chunk, keep int) *arena.Arena {
	f.pool = arena.NewArenaPool(chunk, keep)
	f.pool.SetIsolation(true)
	return f.pool.Get()
}

// tracks reports whether stale memory can be read, which checked builds do not allow.
func (f *isolated) tracks() bool { return f.pool != nil && !check.On }

// ended records the allocations of a cycle that has ended.
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

// rewound records allocations that a rewind freed. No later cycle may reuse their memory.
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

// meets returns an error if new memory overlaps stale memory.
func (f *isolated) meets(lo, hi uintptr) error {
	for _, o := range f.stale {
		if l, h := o.span(); lo < h && l < hi {
			return fmt.Errorf("[%#x, %#x) was the %v of a cycle before, at [%#x, %#x)", lo, hi, o.typ, l, h)
		}
	}
	return nil
}

// staleContents checks that stale memory is unchanged or zero, and overwrites some of it, which must not
// affect live memory.
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

// end ends the cycle of r by Reset, or by Put and the next Get. It does not use Put under the race detector,
// where a sync.Pool drops some values.
func (r *replay) end(b byte) {
	if r.pool == nil || r != r.root || b%64 >= 32 || check.Race {
		r.a.Reset()
		return
	}
	delete(r.met, r.a)
	r.pool.Put(r.a)
	r.a = r.pool.Get()
	r.met[r.a] = r
	clear(r.handles)
}

// alsoIsolated runs operations that allocate in other ways: a Map, an allocation near a limit, an Escape.
func (r *replay) alsoIsolated(b byte) (string, error) {
	switch n := int(r.byte()); b % 3 {
	case 0:
		limit := n % 4 * r.chunk / 2
		if limit != 0 {
			limit += r.root.a.Stats().RetainedBytes
		}
		r.root.a.SetLimit(limit)
		return fmt.Sprintf("SetLimit(%d)", limit), nil
	case 1:
		r.types[mapKind] = true
		m := arena.NewMap[uint64, uint64](r.a, n%40)
		for k := range uint64(n % 70) {
			m.Set(k, k)
		}
		var values []*slot
		for k := range uint64(n % 70) {
			values = append(values, &slot{typ: flatKinds[4], r: raw{unsafe.Pointer(m.Ptr(k)), 1, 1}})
		}
		r.reconcile()
		for _, s := range values {
			if lo, hi := s.span(); lo != 0 {
				if err := r.meets(lo, hi); err != nil {
					return "Map", err
				}
			}
		}
		r.back = append(r.back, values...)
		return fmt.Sprintf("Map of %d", n%70), nil
	default:
		all := append(slices.Clone(r.slots), r.stale...)
		for i := range all {
			if s := all[(i+n)%len(all)]; s.typ == nil {
				if got := arena.Escape(r.a, s.text); got != s.text {
					return "Escape", fmt.Errorf("got %q of %q", got, s.text)
				}
				break
			}
		}
		return "Escape", nil
	}
}

// mapKind represents the type of a Map.
var mapKind testType = &kind[struct{}]{name: "Map"}

// reconcile adds memory to the model that was allocated without it.
func (r *replay) reconcile() {
	if more := r.a.Stats().UsedBytes - r.m.Used(); more > 0 {
		r.m.Make(model.Traced, more, 1, 1)
	}
}

// refused runs an operation, and ends the cycles of all arenas if a limit refuses it.
func (f *forked) refused(r *replay) (what string, err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case *arena.LimitError:
			r.reconcile()
			r.buffers = nil // one of them may contain part of the refused data
			what, err = "a limit", f.root.contents()
			f.root.release()
			f.refusals++
		default:
			panic(x)
		}
	}()
	return r.step()
}
