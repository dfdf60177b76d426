package suite

import (
	"errors"
	"fmt"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
)

// mapReplay runs a byte string as operations on a Map and on a builtin map and compares the two. Each value
// is unique, so that it identifies its entry even if the key equals nothing.
type mapReplay struct {
	in    []byte
	key   func(n int) any
	make  func(a *arena.Arena, hint int) replayedMap
	arena *arena.Arena
	m     replayedMap
	model map[any]uint64
	ids   uint64
	walks []*mapWalk
	ops   int
}

// replayedMap is a Map of any type. Values are identified by numbers; whole is false for a value that has
// changed. The interface keeps the checks from being compiled once per type.
type replayedMap interface {
	len() int
	clear()
	set(k any, id uint64)
	// reset sets the value through its pointer and reports whether the key exists.
	reset(k any, id uint64) bool
	delete(k any) bool
	get(k any) (id uint64, whole, ok bool)
	all(yield func(k any, id uint64, whole bool) bool)
}

// mapOf implements replayedMap.
type mapOf[K comparable, V any] struct {
	m   *arena.Map[K, V] // not embedded, to avoid compiling all methods again
	val func(id uint64) V
	id  func(V) (uint64, bool) // false if v has changed
}

// asKey also returns nil if K is an interface.
func asKey[K comparable](k any) K {
	key, _ := k.(K)
	return key
}

func (m *mapOf[K, V]) len() int             { return m.m.Len() }
func (m *mapOf[K, V]) clear()               { m.m.Clear() }
func (m *mapOf[K, V]) set(k any, id uint64) { m.m.Set(asKey[K](k), m.val(id)) }
func (m *mapOf[K, V]) delete(k any) bool    { return m.m.Delete(asKey[K](k)) }

func (m *mapOf[K, V]) reset(k any, id uint64) bool {
	p := m.m.Ptr(asKey[K](k))
	if p != nil {
		*p = m.val(id)
	}
	return p != nil
}

func (m *mapOf[K, V]) get(k any) (id uint64, whole, ok bool) {
	v, ok := m.m.Get(asKey[K](k))
	id, whole = m.id(v)
	return id, whole, ok
}

func (m *mapOf[K, V]) all(yield func(k any, id uint64, whole bool) bool) {
	for k, v := range m.m.All() {
		if id, whole := m.id(v); !yield(k, id, whole) {
			return
		}
	}
}

// mapWalk checks the rules of a walk.
type mapWalk struct {
	due     map[any]bool    // entries that exist since the start and have not been yielded
	dueNaN  map[uint64]bool // the same for NaN keys, by value
	came    map[uint64]bool // values yielded
	cameKey map[any]bool    // keys yielded and not deleted since
}

func (r *mapReplay) byte() int {
	if len(r.in) == 0 {
		return 0
	}
	b := r.in[0]
	r.in = r.in[1:]
	return int(b)
}

// someKey returns a key, mostly one of a few, so that operations meet.
func (r *mapReplay) someKey() any {
	n := r.byte()
	if n >= 192 {
		n = n<<8 | r.byte()
	}
	return r.key(n)
}

func (r *mapReplay) run(in []byte) (err error) {
	r.in = in
	b := r.byte()
	if b%8 != 0 {
		r.arena = arena.NewArena(64<<(b/8%8), 0)
	}
	r.newMap()
	for len(r.in) > 0 && r.ops < 3000 {
		if err := r.step(); err != nil {
			return fmt.Errorf("operation %d: %w", r.ops, err)
		}
	}
	return r.contents()
}

func (r *mapReplay) newMap() {
	hint := 0
	if b := r.byte(); b%2 == 1 {
		hint = b
	}
	r.m, r.model = r.make(r.arena, hint), map[any]uint64{}
}

func (r *mapReplay) step() error {
	r.ops++
	switch op := r.byte() % 32; {
	case op < 12:
		r.set(r.someKey())
	case op < 16: // insertions and deletions, so that deletion marks fill the table
		k := r.someKey()
		r.set(k)
		return r.delete(k)
	case op < 20:
		return r.delete(r.someKey())
	case op < 23:
		return r.get(r.someKey())
	case op < 25:
		k := r.someKey()
		_, want := r.model[k]
		if got := r.m.reset(k, r.ids+1); got != want {
			return fmt.Errorf("Ptr(%v) is there: %t, want %t", k, got, want)
		}
		if want {
			r.ids++
			r.model[k] = r.ids
		}
	case op < 28:
		if len(r.walks) < 3 {
			return r.walk()
		}
	case op == 28:
		if r.byte()%4 == 0 {
			r.m.clear()
			clear(r.model)
			for _, w := range r.walks {
				clear(w.due)
				clear(w.dueNaN)
				clear(w.cameKey)
			}
		}
	case op == 29:
		if len(r.walks) == 0 && r.byte()%4 == 0 {
			if r.byte()%2 == 0 {
				r.arena.Reset()
			}
			r.newMap()
		}
	case op == 30:
		if r.byte()%8 == 0 {
			testkit.Collect(1)
		}
	default:
		return r.contents()
	}
	if r.m.len() != len(r.model) {
		return fmt.Errorf("Len is %d, want %d", r.m.len(), len(r.model))
	}
	return nil
}

func (r *mapReplay) set(k any) {
	r.ids++
	r.m.set(k, r.ids)
	r.model[k] = r.ids
}

func (r *mapReplay) delete(k any) error {
	_, want := r.model[k]
	if got := r.m.delete(k); got != want {
		return fmt.Errorf("Delete(%v) is %t, want %t", k, got, want)
	}
	delete(r.model, k)
	for _, w := range r.walks {
		delete(w.due, k)
		delete(w.cameKey, k)
	}
	return nil
}

func (r *mapReplay) get(k any) error {
	got, whole, ok := r.m.get(k)
	id, there := r.model[k]
	if ok != there || ok && (!whole || got != id) {
		return fmt.Errorf("Get(%v) is %d (whole: %t), %t, want %d, %t", k, got, whole, ok, id, there)
	}
	return nil
}

var errStop = errors.New("stop")

// walk walks the map with operations in between, and ends in one of the ways a loop can end.
func (r *mapReplay) walk() (err error) {
	w := &mapWalk{due: map[any]bool{}, dueNaN: map[uint64]bool{}, came: map[uint64]bool{}, cameKey: map[any]bool{}}
	for k, id := range r.model {
		if k == k {
			w.due[k] = true
		} else {
			w.dueNaN[id] = true
		}
	}
	r.walks = append(r.walks, w)
	defer func() {
		r.walks = r.walks[:len(r.walks)-1]
		if p := recover(); p != nil {
			if p != errStop {
				panic(p)
			}
			err = nil
		}
	}()
	ended := false
	r.m.all(func(k any, id uint64, whole bool) bool {
		if err = r.came(w, k, id, whole); err != nil {
			return false
		}
		for range r.byte() % 4 {
			if err = r.step(); err != nil {
				return false
			}
		}
		switch r.byte() {
		case 255:
			ended = true
		case 254:
			panic(errStop)
		}
		return !ended
	})
	if err != nil || ended {
		return err
	}
	if len(w.due)+len(w.dueNaN) > 0 {
		return fmt.Errorf("a walk left out %v and NaNs of %v", w.due, w.dueNaN)
	}
	return nil
}

// came checks an entry that a walk yielded.
func (r *mapReplay) came(w *mapWalk, k any, id uint64, whole bool) error {
	if !whole {
		return fmt.Errorf("a walk yields %v: %d, not whole", k, id)
	}
	if w.came[id] {
		return fmt.Errorf("a walk yields %v: %d twice", k, id)
	}
	w.came[id] = true
	if k != k {
		delete(w.dueNaN, id)
		for m, want := range r.model {
			if m != m && want == id {
				return nil
			}
		}
		return fmt.Errorf("a walk yields the NaN of %d, which is not there", id)
	}
	if want, ok := r.model[k]; !ok || want != id {
		return fmt.Errorf("a walk yields %v: %d, want %d, %t", k, id, want, ok)
	}
	if w.cameKey[k] {
		return fmt.Errorf("a walk yields %v twice", k)
	}
	w.cameKey[k] = true
	delete(w.due, k)
	return nil
}

// contents compares all entries.
func (r *mapReplay) contents() error {
	n := 0
	seen := map[uint64]bool{}
	var err error
	r.m.all(func(k any, id uint64, whole bool) bool {
		n++
		if want, ok := r.model[k]; !whole || seen[id] || k == k && (!ok || want != id) {
			err = fmt.Errorf("the map has %v: %d (whole: %t), want %d, %t", k, id, whole, want, ok)
		}
		seen[id] = true
		return err == nil
	})
	if err != nil {
		return err
	}
	if n != len(r.model) || r.m.len() != n {
		return fmt.Errorf("a walk yields %d of %d entries, want %d", n, r.m.len(), len(r.model))
	}
	for k, id := range r.model {
		if !seen[id] {
			return fmt.Errorf("%v: %d is missing", k, id)
		}
		if k == k {
			if err := r.get(k); err != nil {
				return err
			}
		}
	}
	return nil
}
