package machine

import (
	"math/bits"
	"reflect"
	"sync"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// This file has the builtin maps that a region owns. They are ordinary maps, made by package reflect. Codecs take them
// during a cycle. The end of the cycle clears them for the next one. Each map type has a free list for each size class:
//
//	class     0  1   2   3   4    5    6    7    8      9
//	entries   0  8  14  28  56  112  224  448  896  1,792
//
// Take returns an idle map of the class. Its slow path makes a map, and charges the limit first. Maps of no class, and
// all maps of regions that never reuse memory, are left to the collector. Their bytes count only in their cycle
// ("loose"). A map that outgrows its class is charged before the insertion, also as loose bytes, and is dropped at the
// end of the cycle.
//
// A free list has maps of one type, so a stale reference to a map finds entries of the same type. The file makes one
// assumption about maps beyond package reflect:
//
//	M1  A map is one pointer, and its length does not depend on its type.
const mapClasses = 10

// mapClassOf returns the class of maps with n entries. It is mapClasses or more if such maps are not kept.
func mapClassOf(n int) int {
	switch {
	case n == 0:
		return 0
	case n <= 8:
		return 1
	}
	return 1 + bits.Len(uint(n-1)/7)
}

// mapRoom returns the number of entries that a map of a class can hold before it grows.
func mapRoom(class int) int {
	switch class {
	case 0, 1:
		return 8 * class
	}
	return 7 << (class - 1)
}

// MapRoom returns the number of entries that a map that was made for n entries can hold before it grows.
func MapRoom(n int) int { return mapRoom(mapClassOf(n)) }

// MapLen returns the length of a map (assumption M1).
func MapLen(m xunsafe.Pointer) int {
	return len(*xunsafe.Cast[map[string]struct{}](xunsafe.PointerTo(&m)))
}

// A MapType is a type of builtin maps.
type MapType struct {
	Reflect reflect.Type
	entry   uintptr             // heap bytes of each entry, if keys or values are separate objects
	group   uintptr             // bytes of eight slots
	kept    [mapClasses]uintptr // bytes of a map of each class
}

var mapTypes sync.Map // from reflect.Type to *MapType

// MapTypeOf returns the MapType of t.
func MapTypeOf(t reflect.Type) *MapType {
	if known, ok := mapTypes.Load(t); ok {
		return known.(*MapType)
	}
	m := &MapType{Reflect: t}
	key, elem := m.part(t.Key()), m.part(t.Elem())
	slot := RoundUp(key, uintptr(t.Elem().Align())) + max(elem, 1)
	m.group = 8 + 8*RoundUp(slot, uintptr(max(t.Key().Align(), t.Elem().Align())))
	for class := range m.kept {
		m.kept[class] = m.bytes(class) + 2*xunsafe.SizeOf[uintptr]() // with its element of the free list
	}
	known, _ := mapTypes.LoadOrStore(t, m)
	return known.(*MapType)
}

// part returns the bytes of a slot for a key or value of the given type. The runtime allocates a separate object for a
// key or value of more than 128 bytes.
func (t *MapType) part(of reflect.Type) uintptr {
	if size := of.Size(); size > 128 {
		t.entry += heapBytes(size)
		return xunsafe.SizeOf[uintptr]()
	}
	return of.Size()
}

// bytes estimates the heap bytes of a map of a class, without separate objects of entries: a header, and a group of
// eight slots or tables of up to 1,024 slots.
func (t *MapType) bytes(class int) uintptr {
	const header, table, slots = 48, 48, 1024
	switch class {
	case 0:
		return header
	case 1:
		return header + heapBytes(t.group)
	}
	n := uintptr(8) << (class - 1)
	if n <= slots {
		return header + table + heapBytes(n/8*t.group)
	}
	tables := n / slots // some split before the map is full
	return header + tables*(table+heapBytes(slots/8*t.group))*5/4
}

// heapBytes estimates the heap bytes of an object of n bytes: size classes are an eighth of a power of two apart, and
// large objects take whole pages.
func heapBytes(n uintptr) uintptr {
	if n > 32<<10 {
		return RoundUp(n, 8<<10)
	}
	return RoundUp(n, max(16, uintptr(1)<<bits.Len(uint(n))>>4))
}

func (t *MapType) make(n int) xunsafe.Pointer {
	return reflect.MakeMapWithSize(t.Reflect, n).UnsafePointer()
}

// charger is a region. It counts memory outside of chunks.
type charger interface {
	Charge(bytes uintptr)
	Discharge(bytes uintptr)
}

// A MapStore has the maps of a region. A nil MapStore makes maps that are not counted.
type MapStore struct {
	charger charger // the region
	plain   bool    // maps are not reused
	last    *mapList
	lists   []*mapList
	byType  map[*MapType]*mapList
	used    []*mapList // in this cycle
	marks   []mapPosition
	kept    uintptr // bytes of all maps in lists
	loose   uintptr // bytes that count only in this cycle
	cycles  uint32

	// addresses has the maps in use. OwnsMap adds them.
	addresses map[uintptr]struct{}
}

// mapList has the maps of a type.
type mapList struct {
	typ     *MapType
	classes [mapClasses]mapClass
	used    bool
	recent  int // entries of the map that was completed last
	cell    xunsafe.Pointer
	value   reflect.Value // cell as a map of the type
	scratch *mapScratch   // of move; nil before the first call
}

// mapScratch has the variables of move.
type mapScratch struct {
	key, elem reflect.Value
	entries   reflect.MapIter
}

// mapClass has the maps of a class. The first ones are in use.
type mapClass struct {
	maps  []xunsafe.Pointer
	inUse int
	need  int // peak of inUse in this window
	known int // maps[:known] are in addresses
}

// Take returns an empty map of type t that can hold n entries.
func (s *MapStore) Take(t *MapType, n int) xunsafe.Pointer {
	if s == nil {
		return t.make(n)
	}
	l, class := s.last, mapClassOf(n)
	if l == nil || l.typ != t {
		l = s.listOf(t)
	}
	if class < mapClasses && !s.plain {
		if x := &l.classes[class]; x.inUse < len(x.maps) {
			if m := x.maps[x.inUse]; MapLen(m) == 0 {
				x.inUse++
				return m
			}
		}
	}
	return s.take(l, class, n)
}

// listOf returns the list of t and marks it as used in this cycle.
func (s *MapStore) listOf(t *MapType) *mapList {
	l := s.byType[t]
	if l == nil {
		if s.byType == nil {
			s.byType = map[*MapType]*mapList{}
		}
		l = &mapList{typ: t}
		l.value = xunsafe.Value(t.Reflect, xunsafe.PointerTo(&l.cell))
		s.byType[t] = l
		s.lists = append(s.lists, l)
	}
	if !l.used {
		l.used = true
		s.used = append(s.used, l)
	}
	s.last = l
	return l
}

// take is the slow path of Take. It returns an idle map that was written after its cycle, cleared again, or a new map.
func (s *MapStore) take(l *mapList, class, n int) xunsafe.Pointer {
	if class >= mapClasses || s.plain {
		s.chargeLoose(l.typ.bytes(class))
		return l.typ.make(n)
	}
	x := &l.classes[class]
	if x.inUse < len(x.maps) {
		x.inUse++
		if m := x.maps[x.inUse-1]; l.empty(m, class) {
			return m
		}
		s.drop(l, class, x.inUse-1)
	}
	s.charger.Charge(l.typ.kept[class]) // which may drop idle maps
	m := l.typ.make(mapRoom(class))
	s.kept += l.typ.kept[class]
	last := len(x.maps)
	x.maps = append(x.maps, m)
	x.maps[x.inUse], x.maps[last] = m, x.maps[x.inUse]
	x.inUse++
	return m
}

// chargeLoose charges bytes for the rest of the cycle.
func (s *MapStore) chargeLoose(bytes uintptr) {
	s.charger.Charge(bytes)
	s.loose += bytes
}

// Grow charges for the growth of a map of type t that was made for from entries and will have to entries. It is called
// before the insertion.
func (s *MapStore) Grow(t *MapType, from, to int) {
	if s == nil {
		return
	}
	if was, will := mapClassOf(from), mapClassOf(to); was < will {
		s.chargeLoose(t.bytes(will) - t.bytes(was))
	}
}

// Entry charges for the separate objects of an entry in a map of type t.
func (s *MapStore) Entry(t *MapType) {
	if s != nil && t.entry != 0 {
		s.chargeLoose(t.entry)
	}
}

// Larger returns a map of the next class with the entries of m. If maps of that class are not kept, it returns m, which
// will grow. m was returned by Take and is full. The caller must not use m afterwards.
func (s *MapStore) Larger(t *MapType, m xunsafe.Pointer) xunsafe.Pointer {
	n := MapLen(m)
	if s == nil {
		return m
	}
	class := mapClassOf(n)
	if s.plain || class+1 >= mapClasses {
		s.Grow(t, n, n+1)
		return m
	}
	larger := s.Take(t, n+1)
	l := s.listOf(t)
	l.move(larger, m)
	l.empty(m, class)
	return larger
}

// move copies the entries of from to to.
func (l *mapList) move(to, from xunsafe.Pointer) {
	if l.scratch == nil {
		t := l.typ.Reflect
		l.scratch = &mapScratch{key: reflect.New(t.Key()).Elem(), elem: reflect.New(t.Elem()).Elem()}
	}
	x := l.scratch
	l.cell = from
	x.entries.Reset(l.value)
	more := x.entries.Next() // reads l.cell
	for l.cell = to; more; more = x.entries.Next() {
		x.key.SetIterKey(&x.entries)
		x.elem.SetIterValue(&x.entries)
		l.value.SetMapIndex(x.key, x.elem)
	}
	l.cell = nil
	x.entries.Reset(reflect.Value{})
	x.key.SetZero()
	x.elem.SetZero()
}

// Recent returns the number of entries of the map of type t that was completed last.
func (s *MapStore) Recent(t *MapType) int {
	if s == nil || s.plain {
		return 0
	}
	return s.listOf(t).recent
}

// Completed records that a map of type t has all its n entries.
func (s *MapStore) Completed(t *MapType, n int) {
	if s != nil && !s.plain {
		s.listOf(t).recent = min(n, mapRoom(mapClasses-1))
	}
}

// empty clears m, a map of a class. It returns false, and does not clear m, if m has outgrown the class.
func (l *mapList) empty(m xunsafe.Pointer, class int) bool {
	switch n := MapLen(m); {
	case n == 0:
		return true
	case n > mapRoom(class):
		return false
	}
	l.cell = m
	l.value.Clear()
	l.cell = nil
	return true
}

// drop removes map i of a class, which is in use.
func (s *MapStore) drop(l *mapList, class, i int) {
	x := &l.classes[class]
	x.inUse--
	last := len(x.maps) - 1
	x.maps[i] = x.maps[x.inUse]
	x.maps[x.inUse] = x.maps[last]
	x.maps[last] = nil
	x.maps = x.maps[:last]
	s.give(l.typ.kept[class])
}

// give takes off bytes of dropped maps.
func (s *MapStore) give(bytes uintptr) {
	s.kept -= bytes
	s.charger.Discharge(bytes)
}

// takeBack clears the maps of a class in use, except for the first n, and makes them idle.
func (s *MapStore) takeBack(l *mapList, class, n int) {
	x := &l.classes[class]
	x.need = max(x.need, x.inUse)
	for i := x.inUse - 1; i >= n; i-- {
		if !l.empty(x.maps[i], class) {
			s.drop(l, class, i)
		}
	}
	x.inUse = min(x.inUse, n)
}

// keep drops the idle maps of a class beyond the first n.
func (s *MapStore) keep(l *mapList, class, n int) {
	x := &l.classes[class]
	if n = max(n, x.inUse); n >= len(x.maps) {
		return
	}
	bytes := uintptr(len(x.maps)-n) * l.typ.kept[class]
	clear(x.maps[n:])
	if x.maps = x.maps[:n]; n == 0 {
		x.maps = nil
	}
	s.give(bytes)
}

// mapWindow is the number of cycles after which unused maps are dropped.
const mapWindow = 32

// endCycle makes all maps idle and keeps at most limit bytes of them. It returns the bytes of the maps that were in use.
func (s *MapStore) endCycle(limit uintptr) (used uintptr) {
	used = s.usedBytes()
	for _, l := range s.used {
		for class := range l.classes {
			s.takeBack(l, class, 0)
		}
	}
	if s.cycles++; s.cycles%mapWindow == 0 {
		s.endWindow()
	}
	for _, l := range s.used {
		l.used = false
	}
	s.used, s.last = s.used[:0], nil
	if s.marks = s.marks[:0]; cap(s.marks) > marksRetained/24 {
		s.marks = nil
	}
	s.forgetLoose(0)
	if s.kept > limit {
		s.shrink(limit)
	}
	return used
}

// endWindow drops up to a quarter of the maps of each class, but only maps that no cycle of the window has used. It
// removes empty lists.
func (s *MapStore) endWindow() {
	lists := s.lists[:0]
	for _, l := range s.lists {
		for class := range l.classes {
			x := &l.classes[class]
			s.keep(l, class, max(x.need, len(x.maps)*3/4))
			x.need = 0
		}
		if !l.used && l.isEmpty() {
			delete(s.byType, l.typ)
		} else {
			lists = append(lists, l)
		}
	}
	clear(s.lists[len(lists):])
	s.lists = lists
}

func (l *mapList) isEmpty() bool {
	for class := range l.classes {
		if len(l.classes[class].maps) != 0 {
			return false
		}
	}
	return true
}

// shrink drops the largest idle maps until the store keeps at most limit bytes.
func (s *MapStore) shrink(limit uintptr) {
	for class := mapClasses - 1; class >= 0; class-- {
		for _, l := range s.lists {
			if s.kept <= limit {
				return
			}
			x, each := &l.classes[class], l.typ.kept[class]
			over := int((s.kept - limit + each - 1) / each)
			s.keep(l, class, max(len(x.maps)-over, 0))
		}
	}
}

// forgetLoose resets the loose bytes to bytes, and forgets all addresses.
func (s *MapStore) forgetLoose(bytes uintptr) {
	s.charger.Discharge(s.loose - bytes)
	s.loose = bytes
	if len(s.addresses) == 0 {
		return
	}
	for _, l := range s.lists {
		for class := range l.classes {
			l.classes[class].known = 0
		}
	}
	if clear(s.addresses); s.cycles%mapWindow == 0 {
		s.addresses = nil
	}
}

// usedBytes returns the bytes of the maps in use.
func (s *MapStore) usedBytes() uintptr {
	if s == nil {
		return 0
	}
	n := s.loose
	for _, l := range s.used {
		for class := range l.classes {
			n += uintptr(l.classes[class].inUse) * l.typ.kept[class]
		}
	}
	return n
}

// heldBytes returns the bytes of all maps.
func (s *MapStore) heldBytes() uintptr {
	if s == nil {
		return 0
	}
	return s.kept + s.loose
}

// looseBytes returns the bytes that count only in this cycle.
func (s *MapStore) looseBytes() uintptr {
	if s == nil {
		return 0
	}
	return s.loose
}

// idleBytes returns the bytes of the idle maps.
func (s *MapStore) idleBytes() uintptr { return s.heldBytes() - s.usedBytes() }

// dropIdle drops the idle maps.
func (s *MapStore) dropIdle() {
	if s == nil {
		return
	}
	for _, l := range s.lists {
		for class := range l.classes {
			s.keep(l, class, 0)
		}
	}
}

// mapPosition is the number of maps of a class in use when a mark was taken.
type mapPosition struct {
	list  *mapList
	class int
	inUse int
}

// mark appends the positions of all maps to s.marks, and returns the index of the first one.
func (s *MapStore) mark() int {
	if s == nil {
		return 0
	}
	first := len(s.marks)
	for _, l := range s.used {
		for class := range l.classes {
			if n := l.classes[class].inUse; n != 0 {
				s.marks = append(s.marks, mapPosition{l, class, n})
			}
		}
	}
	return first
}

// isAt reports whether no map was taken since the newest mark, whose positions begin at first.
func (s *MapStore) isAt(first int, loose uintptr) bool {
	if s == nil {
		return true
	}
	list := s.marks[first:]
	for _, l := range s.used {
		for class := range l.classes {
			if n := l.classes[class].inUse; n != 0 {
				if len(list) == 0 || list[0] != (mapPosition{l, class, n}) {
					return false
				}
				list = list[1:]
			}
		}
	}
	return len(list) == 0 && s.loose == loose
}

// rewind makes the maps idle that were taken since the mark with the positions s.marks[first:end].
func (s *MapStore) rewind(first, end int, loose uintptr) {
	if s == nil {
		return
	}
	end = min(end, len(s.marks))
	for _, l := range s.used {
		for class := range l.classes {
			n := 0
			for _, p := range s.marks[first:end] {
				if p.list == l && p.class == class {
					n = p.inUse
				}
			}
			s.takeBack(l, class, n)
		}
	}
	s.marks = s.marks[:end]
	s.forgetLoose(loose)
}
