package suite

import (
	"errors"
	"fmt"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
)

// mapReplay runs a byte string on a Map and on a builtin map, which must answer
// the same. Every value that is set is another one, so that an entry can be
// told by its value even where its key equals nothing.
type mapReplay[K comparable, V any] struct {
	in    []byte
	key   func(n int) K
	val   func(id uint64) V
	id    func(V) (uint64, bool) // false if v is not whole
	arena *arena.Arena
	m     *arena.Map[K, V]
	model map[K]uint64
	ids   uint64
	walks []*mapWalk[K]
	ops   int
}

// mapWalk has the rules of a walk that is under way.
type mapWalk[K comparable] struct {
	due     map[K]bool      // entries that have been there all along and did not come yet
	dueNaN  map[uint64]bool // those of NaNs, by value
	came    map[uint64]bool // values that came
	cameKey map[K]bool      // keys that came and were not deleted since
}

func (r *mapReplay[K, V]) byte() int {
	if len(r.in) == 0 {
		return 0
	}
	b := r.in[0]
	r.in = r.in[1:]
	return int(b)
}

// someKey is one of few keys mostly, so that they meet.
func (r *mapReplay[K, V]) someKey() K {
	n := r.byte()
	if n >= 192 {
		n = n<<8 | r.byte()
	}
	return r.key(n)
}

func (r *mapReplay[K, V]) run(in []byte) (err error) {
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

func (r *mapReplay[K, V]) newMap() {
	hint := 0
	if b := r.byte(); b%2 == 1 {
		hint = b
	}
	r.m, r.model = arena.NewMap[K, V](r.arena, hint), map[K]uint64{}
}

func (r *mapReplay[K, V]) step() error {
	r.ops++
	switch op := r.byte() % 32; {
	case op < 12:
		r.set(r.someKey())
	case op < 16: // entries that come and go, so that deleted ones fill the table
		k := r.someKey()
		r.set(k)
		return r.delete(k)
	case op < 20:
		return r.delete(r.someKey())
	case op < 23:
		return r.get(r.someKey())
	case op < 25:
		k := r.someKey()
		p := r.m.Ptr(k)
		if _, ok := r.model[k]; ok != (p != nil) {
			return fmt.Errorf("Ptr(%v) is %v", k, p)
		}
		if p != nil {
			r.ids++
			*p, r.model[k] = r.val(r.ids), r.ids
		}
	case op < 28:
		if len(r.walks) < 3 {
			return r.walk()
		}
	case op == 28:
		if r.byte()%4 == 0 {
			r.m.Clear()
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
	if r.m.Len() != len(r.model) {
		return fmt.Errorf("Len is %d, want %d", r.m.Len(), len(r.model))
	}
	return nil
}

func (r *mapReplay[K, V]) set(k K) {
	r.ids++
	r.m.Set(k, r.val(r.ids))
	r.model[k] = r.ids
}

func (r *mapReplay[K, V]) delete(k K) error {
	_, want := r.model[k]
	if got := r.m.Delete(k); got != want {
		return fmt.Errorf("Delete(%v) is %t, want %t", k, got, want)
	}
	delete(r.model, k)
	for _, w := range r.walks {
		delete(w.due, k)
		delete(w.cameKey, k)
	}
	return nil
}

func (r *mapReplay[K, V]) get(k K) error {
	v, ok := r.m.Get(k)
	id, there := r.model[k]
	if got, whole := r.id(v); ok != there || ok && (!whole || got != id) {
		return fmt.Errorf("Get(%v) is %v, %t, want %d, %t", k, v, ok, id, there)
	}
	return nil
}

var errStop = errors.New("stop")

// walk walks the map with other operations on the way, and ends it in one of
// the ways in which a loop ends.
func (r *mapReplay[K, V]) walk() (err error) {
	w := &mapWalk[K]{due: map[K]bool{}, dueNaN: map[uint64]bool{}, came: map[uint64]bool{}, cameKey: map[K]bool{}}
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
	for k, v := range r.m.All() {
		if err := r.came(w, k, v); err != nil {
			return err
		}
		for range r.byte() % 4 {
			if err := r.step(); err != nil {
				return err
			}
		}
		switch r.byte() {
		case 255:
			return nil
		case 254:
			panic(errStop)
		}
	}
	if len(w.due)+len(w.dueNaN) > 0 {
		return fmt.Errorf("a walk left out %v and NaNs of %v", w.due, w.dueNaN)
	}
	return nil
}

// came checks an entry that a walk yielded.
func (r *mapReplay[K, V]) came(w *mapWalk[K], k K, v V) error {
	id, whole := r.id(v)
	if !whole {
		return fmt.Errorf("a walk yields %v: %v", k, v)
	}
	if w.came[id] {
		return fmt.Errorf("a walk yields %v: %v twice", k, v)
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
		return fmt.Errorf("a walk yields %v: %v, want %d, %t", k, v, want, ok)
	}
	if w.cameKey[k] {
		return fmt.Errorf("a walk yields %v twice", k)
	}
	w.cameKey[k] = true
	delete(w.due, k)
	return nil
}

// contents compares all entries.
func (r *mapReplay[K, V]) contents() error {
	n := 0
	seen := map[uint64]bool{}
	for k, v := range r.m.All() {
		n++
		id, whole := r.id(v)
		if want, ok := r.model[k]; !whole || seen[id] || k == k && (!ok || want != id) {
			return fmt.Errorf("the map has %v: %v, want %d, %t", k, v, want, ok)
		}
		seen[id] = true
	}
	if n != len(r.model) || r.m.Len() != n {
		return fmt.Errorf("a walk yields %d of %d entries, want %d", n, r.m.Len(), len(r.model))
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
