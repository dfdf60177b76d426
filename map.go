package arena

import (
	"iter"
	"reflect"
	"unsafe"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/swiss"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Map is a hash table whose memory is in an arena: for keys and values of every
// type that a builtin map can have, and of which the collector sees each
// pointer. It does what a builtin map does, but for the names; in particular:
//
//   - Keys are compared with ==. A NaN equals nothing, so each Set of one makes
//     an entry that only a walk or Clear comes by. A key of an interface type
//     that holds what can't be compared panics with the builtin's run-time error.
//   - A map may be changed while it is walked: each entry comes at most once, and
//     each that is there all along does come; one that was deleted before its
//     turn doesn't, and one that is entered meanwhile may come or not. Each
//     walk has an order of its own.
//   - A nil *Map has no entries; Set on it panics.
//   - What was deleted or cleared is not kept alive.
//
// Its memory ends with the arena's cycle, as all else in it: a Map must not be used
// after Reset, Release or Put, nor, if it was made or has grown since the mark,
// after Rewind. (Set then panics where it can tell.) It can be used by several
// goroutines at once as long as none of them changes it.
//
// Get and Set take 4 to 10 ns where the table is in the cache: hashing is 1 to
// 3 ns of it for integers, pointers, strings, and arrays and structs of integers,
// and 5 and more for other keys. A table holds 8 entries at once, grows fourfold up
// to 1,792, and twofold from there; a table that was outgrown lies in the arena until
// its cycle ends. So a map without a hint takes up to 2.7 times the memory of one with a
// hint.
//
// The builtin map is the better one
//
//   - for up to 8 entries in a map that doesn't leave its function: the compiler
//     puts it on the stack. A Map takes 128 bytes, and eight keys and values and 8
//     bytes with the first entry; where many are made in one cycle, as one for each
//     line that is read, make one and Clear it;
//   - where a map outlives a request, or grows and shrinks for long: its memory is
//     given back;
//   - where an attacker can watch one map over very many requests: the hash depends
//     on a secret of each map, but is not cryptographic.
type Map[K comparable, V any] struct {
	table swiss.Table[K, V] // first: see Get
	maker mapMaker[K, V]    // for hooks.MakerOf; of no size, and so not last
	arena *Arena
	made  bool // not so in a Map that the end of its arena's cycle has cleared
}

// NewMap returns an empty map with room for hint entries in a, or on the heap if a is nil. The map grows as necessary. With a hint of 0 it has no
// table before the first Set. NewMap panics if hint is negative or more than can be allocated.
func NewMap[K comparable, V any](a *Arena, hint int) *Map[K, V] {
	groups := swiss.GroupsFor(hint)
	if hint < 0 || uintptr(groups) > machine.MaxAlloc/xunsafe.SizeOf[swiss.Group[K, V]]() {
		panicHint[K, V](hint)
	}
	m := New[Map[K, V]](a)
	m.arena, m.made = a, true
	if hint > 0 {
		m.move("NewMap", groups)
	}
	return m
}

//go:noinline
func panicHint[K comparable, V any](hint int) {
	fault := "negative hint"
	if hint >= 0 {
		fault = "more than can be allocated"
	}
	panic("arena: NewMap[" + reflect.TypeFor[K]().String() + ", " + reflect.TypeFor[V]().String() + "](hint " + itoa(hint) + "): " + fault)
}

// Get returns the value of k, and whether there is one.
func (m *Map[K, V]) Get(k K) (V, bool) {
	// SAFETY: the table is the first field of a Map. So a nil Map has a nil table, which
	// an if could say, too, but that would take Get beyond what the compiler inlines.
	return (*swiss.Table[K, V])(unsafe.Pointer(m)).Get(k)
}

// Ptr returns a pointer to the value of k, or nil if there is none. The pointer is valid until the next Set of a key that is not in the map,
// Delete of k, or Clear. Later it points to the former value, or to that of another key.
func (m *Map[K, V]) Ptr(k K) *V {
	return (*swiss.Table[K, V])(unsafe.Pointer(m)).Find(k) // SAFETY: as in Get
}

// move moves the table to n groups. Nothing has changed if it panics.
func (m *Map[K, V]) move(function string, n int) {
	groups := m.table.Spare(n)
	if groups == nil {
		groups = makeSlice[swiss.Group[K, V]](m.arena, function, n, n)
	}
	var old *swiss.Old[K, V]
	if m.table.Walked() {
		old = New[swiss.Old[K, V]](m.arena)
	}
	m.table.Move(groups, old, machine.HoldsPointers[swiss.Group[K, V]]())
}

// Len returns the number of entries.
func (m *Map[K, V]) Len() int {
	if check.On {
		m.mustBeAlive("Map.Len")
	}
	if m == nil {
		return 0
	}
	return m.table.Len()
}

// Set makes v the value of k, like m[k] = v. If the table is full, it allocates a larger one from the arena. If a limit does not allow that, Set
// panics with a *LimitError, and the map has not changed.
func (m *Map[K, V]) Set(k K, v V) {
	if m == nil {
		panic(message[Map[K, V]]("Map.Set") + "map is nil")
	}
	p := m.table.Slot(k)
	if p == nil {
		p = m.enter(k)
	}
	*p = v
}

// enter is the slow path of Set: it moves a full table to a larger one.
//
//go:noinline
func (m *Map[K, V]) enter(k K) *V {
	if !m.made {
		panic(message[Map[K, V]]("Map.Set") + "map was not made by NewMap, or its arena was reset, released, put in its pool or rewound since")
	}
	m.move("Map.Set", m.table.Wants())
	return m.table.Slot(k)
}

// Delete removes the entry of k, and reports whether there was one.
func (m *Map[K, V]) Delete(k K) bool {
	if m == nil {
		return m.Ptr(k) != nil // false, or the panic of a k that can't be a key
	}
	return m.table.Delete(k)
}

// Clear removes all entries, including NaNs. The map keeps its table, and the cost of Clear depends on the table's size.
func (m *Map[K, V]) Clear() {
	if m != nil {
		m.table.Clear()
	}
}

// All returns an iterator over the entries, in no particular order.
func (m *Map[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) { m.walk(yield) }
}

// Keys returns an iterator over the keys, like All.
func (m *Map[K, V]) Keys() iter.Seq[K] {
	return func(yield func(K) bool) { m.walk(func(k K, _ V) bool { return yield(k) }) }
}

// Values returns an iterator over the values, like All.
func (m *Map[K, V]) Values() iter.Seq[V] {
	return func(yield func(V) bool) { m.walk(func(_ K, v V) bool { return yield(v) }) }
}

func (m *Map[K, V]) walk(yield func(K, V) bool) {
	if m != nil {
		m.table.Walk(yield)
	}
}

// mustBeAlive faults if m's memory was taken back, in builds with the tag arenacheck. Only Len calls it, because all other methods read the table,
// whose address is a dead pointer then.
//
//go:norace
func (m *Map[K, V]) mustBeAlive(does string) {
	if m != nil && m.arena != nil && !m.arena.region.Ready() {
		panic(message[Map[K, V]](does) + "the Map's memory was overwritten")
	}
}

// copied makes m, a copy of a Map and its table by Escape, a map on the heap.
func (m *Map[K, V]) copied() {
	m.arena = nil
	m.table.Copied(machine.HoldsPointers[K]())
}

// The compiler inlines what these call in package swiss when it compiles them for
// this package; only what was inlined here once does it inline in the packages of
// those who use a Map. Without them a look-up takes three times as long there.
var (
	_ = (*Map[int, int]).Set
	_ = (*Map[int, int]).Get
	_ = (*Map[int, int]).Ptr
)

// mapMaker makes Maps of one type for codecs, which know it only at run time: it is a hooks.MapMaker.
type mapMaker[K comparable, V any] struct{}

func (mapMaker[K, V]) Map() reflect.Type { return reflect.TypeFor[*Map[K, V]]() }

func (mapMaker[K, V]) Key() reflect.Type   { return reflect.TypeFor[K]() }
func (mapMaker[K, V]) Value() reflect.Type { return reflect.TypeFor[V]() }

func (mapMaker[K, V]) Make(a any) xunsafe.Pointer {
	return xunsafe.PointerTo(NewMap[K, V](a.(*Arena), 0))
}

func (mapMaker[K, V]) Entry(m, key xunsafe.Pointer) xunsafe.Pointer {
	t, k := xunsafe.Cast[Map[K, V]](m), *xunsafe.Cast[K](key)
	var zero V
	t.Set(k, zero)
	return xunsafe.PointerTo(t.Ptr(k))
}
