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

// A Map is a hash table in an arena. Keys and values can have the same types as in a builtin map. A Map behaves like a
// builtin map:
//
//   - Keys are compared with ==. A NaN is not equal to itself, so each Set of a NaN adds an entry, which only an
//     iteration or Clear can reach. A key of an interface type panics if its value is not comparable.
//   - A map may be changed during an iteration. The iteration visits each entry at most once, and all entries that
//     are in the map from begin to end. It does not visit deleted entries that it has not reached yet. It may or may
//     not visit entries that are added. The order of an iteration is not specified.
//   - A nil *Map has no entries. Set on a nil *Map panics.
//   - Deleted entries do not keep memory alive.
//
// A Map must not be used after the arena's Reset, Release or Put, or after a Rewind to a Mark that was taken before the
// Map was made or has grown. Set panics then, if it detects that. Several goroutines may use a Map at the same time if
// none of them changes it.
//
// Get and Set take 4 to 10 ns if the table is in the processor's cache. Hashing takes 1 to 3 ns of that for integers,
// pointers, strings, and arrays and structs of integers, and 5 ns or more for other keys. The first table has 8
// entries. Tables grow by a factor of four up to 1,792 entries, and then by two. Outgrown tables stay in the arena until
// its cycle ends, so a map without a hint takes up to 2.7 times the memory of a map with a hint.
//
// Use a builtin map instead
//
//   - for up to 8 entries in a map that does not leave its function, because the compiler allocates it on the stack. A
//     Map takes 128 bytes, and a table of eight entries with the first Set. If a cycle needs many small maps one after
//     the other, make one Map and Clear it;
//   - for a map that outlives a request, or that grows and shrinks for a long time;
//   - if an attacker can observe one map over very many requests. The hash depends on a secret of each map, but is not
//     cryptographic.
type Map[K comparable, V any] struct {
	table swiss.Table[K, V] // first: see Get
	maker mapMaker[K, V]    // for hooks.MakerOf; not last, because its size is 0
	arena *Arena
	made  bool // false after the end of the arena's cycle
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

// Get returns the value of k, and reports whether k is in the map.
func (m *Map[K, V]) Get(k K) (V, bool) {
	// SAFETY: the table is the first field of a Map, so a nil Map has a nil table. With a test for nil, the
	// compiler would not inline Get.
	return (*swiss.Table[K, V])(unsafe.Pointer(m)).Get(k)
}

// Ptr returns a pointer to the value of k, or nil if there is none. The pointer is valid until the next Set of a key that is not in the map,
// Delete of k, or Clear. Later it points to the former value or to the value of another key.
func (m *Map[K, V]) Ptr(k K) *V {
	return (*swiss.Table[K, V])(unsafe.Pointer(m)).Find(k) // SAFETY: as in Get
}

// move moves the table to n groups. If it panics, it has changed nothing.
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

// copied completes m, a copy of a Map by Escape, as a map on the heap.
func (m *Map[K, V]) copied() {
	m.arena = nil
	m.table.Copied(machine.HoldsPointers[K]())
}

// The compiler inlines the functions of package swiss into these methods when it compiles this package. Without these
// instances it does not inline them in other packages, and a look-up takes three times as long there.
var (
	_ = (*Map[int, int]).Set
	_ = (*Map[int, int]).Get
	_ = (*Map[int, int]).Ptr
)

// mapMaker is a hooks.MapMaker: it makes Maps of a type that codecs know only at run time.
type mapMaker[K comparable, V any] struct{}

func (mapMaker[K, V]) Map() reflect.Type { return reflect.TypeFor[*Map[K, V]]() }

func (mapMaker[K, V]) Key() reflect.Type   { return reflect.TypeFor[K]() }
func (mapMaker[K, V]) Value() reflect.Type { return reflect.TypeFor[V]() }

func (mapMaker[K, V]) Make(a any) xunsafe.Pointer {
	return xunsafe.PointerTo(NewMap[K, V](a.(*Arena), 0))
}

func (mapMaker[K, V]) Entry(m, key xunsafe.Pointer) xunsafe.Pointer {
	t, k := xunsafe.Cast[Map[K, V]](m), *xunsafe.Cast[K](key)
	p := t.table.Slot(k) // not Set and Ptr, which does not find a NaN
	if p == nil {
		p = t.enter(k)
	}
	*p = *new(V)
	return xunsafe.PointerTo(p)
}
