package arena

import (
	"iter"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/swiss"
)

// Map is a hash table whose memory is in an arena: what a builtin map would be
// if it could be made there. Keys and values may be of any type that a builtin
// map's may, and the collector sees them.
type Map[K comparable, V any] struct {
	table swiss.Table[K, V]
	arena *Arena
	made  bool // not so in a Map that the end of its arena's life has cleared
}

// NewMap returns an empty map.
func NewMap[K comparable, V any](a *Arena, hint int) *Map[K, V] {
	if hint < 0 {
		panic(message[Map[K, V]]("NewMap") + "negative hint")
	}
	m := New[Map[K, V]](a)
	m.arena, m.made = a, true
	if hint > 0 {
		m.move("NewMap", swiss.GroupsFor(hint))
	}
	return m
}

// move has the table go on in n groups. Nothing has changed if that panics.
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
	if m == nil {
		return 0
	}
	return m.table.Len()
}

// Get returns the value of k, and whether there is one.
func (m *Map[K, V]) Get(k K) (v V, ok bool) {
	if p := m.table.Find(k); p != nil {
		return *p, true
	}
	return v, false
}

// Ptr returns where the value of k is, nil if there is none.
func (m *Map[K, V]) Ptr(k K) *V { return m.table.Find(k) }

// Set has v be the value of k.
func (m *Map[K, V]) Set(k K, v V) {
	p := m.table.Slot(k)
	if p == nil {
		p = m.enter(k)
	}
	*p = v
}

// enter is where Set ends up if the table has no room.
//
//go:noinline
func (m *Map[K, V]) enter(k K) *V {
	if !m.made {
		panic(message[Map[K, V]]("Set") + "not made")
	}
	m.move("Map.Set", m.table.Wants())
	return m.table.Slot(k)
}

// Delete takes out the entry of k, and says whether there was one.
func (m *Map[K, V]) Delete(k K) bool { return m.table.Delete(k) }

// Clear takes out all entries.
func (m *Map[K, V]) Clear() { m.table.Clear() }

// All returns the entries.
func (m *Map[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) { m.table.Walk(yield) }
}

var _ = (*Map[int, int]).Set
var _ = (*Map[int, int]).Get
