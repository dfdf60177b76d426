package escape

import (
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// A program lists the slots of a type: the offsets of its pointers, in order. The rest of a value is copied
// as bytes. Each type is compiled once.
type program struct {
	typ   reflect.Type
	key   *machine.TypeDesc
	size  uintptr
	slots []slot
	few   bool // a few slots, none of which needs a recursive check
	owns  bool // the slots include types of package arena
	shy   bool // only the owner may read the values
}

// A slot is a pointer, or a value that contains pointers, at an offset of a type.
type slot struct {
	off    uintptr
	op     op
	noscan bool         // the target has no slots
	nums   bool         // all slots of the target are numbers
	size   uintptr      // size of a pointer's target, or of an element
	typ    reflect.Type // type of the slot
	elem   reflect.Type // type of a pointer's target, or of an element

	name   string // selector, such as ".Order.Items"
	n      int    // length of an array
	slots  []slot // slots of an array element
	finish func(copy reflect.Value)
}

type op uint8

const (
	opPointer op = iota
	opText
	opSlice
	opIface
	opMap // a builtin map
	opArray
	opOpaque // an unsafe.Pointer, chan or func, whose target is unknown
	opHidden // a weak.Pointer or unique.Handle, which hides its target
	opNumber // a uintptr that may be an address
	opOwned  // a type of package arena, finished after copying
)

// Own returns how values of a type of package arena are copied, or nil for all other types.
type Own func(t reflect.Type) *Special

// Special describes how the values of a type are copied: the fields to scan, and a function that completes
// the copy afterwards.
type Special struct {
	Keep   []string
	Finish func(copy reflect.Value) // called with a pointer to the copy
}

// programs holds one program per type, so a program identifies a type (see ref). recent is indexed by type
// descriptor.
var (
	programs sync.Map // of reflect.Type to *program
	recent   [256]atomic.Pointer[program]
)

// place returns the index of a type descriptor, or another address that identifies a type, in a table of 256.
func place(address uintptr) uintptr { return (address>>5 ^ address>>13) % 256 }

func programOf[T any](own Own) *program {
	if !direct() {
		return programFor(reflect.TypeFor[T](), own)
	}
	key := keyOf[T]()
	if p := recent[place(key.Bits())].Load(); p != nil && p.key == key {
		return p
	}
	return recall(reflect.TypeFor[T](), own)
}

func programIn(h *machine.Holding, own Own) *program {
	if h.Key == nil {
		return programFor(h.Type(), own)
	}
	if p := recent[place(h.Key.Bits())].Load(); p != nil && p.key == h.Key {
		return p
	}
	return recall(h.Type(), own)
}

func recall(t reflect.Type, own Own) *program {
	p := programFor(t, own)
	recent[place(p.key.Bits())].Store(p)
	return p
}

func programFor(t reflect.Type, own Own) *program {
	if p, ok := programs.Load(t); ok {
		return p.(*program)
	}
	p := &program{typ: t, size: t.Size(), slots: compile(nil, t, 0, "", own), shy: shy(t, own)}
	if direct() {
		p.key = keyFor(t)
	}
	p.few = len(p.slots) <= 8
	for i := range p.slots {
		p.few = p.few && p.slots[i].tells()
		p.owns = p.owns || p.slots[i].has(opOwned)
	}
	known, _ := programs.LoadOrStore(t, p)
	return known.(*program)
}

// tells reports whether the target of s is known without a recursive check.
func (s *slot) tells() bool { return s.op != opIface && s.op != opMap && s.op != opArray }

// has reports whether s or a slot in it has operation k.
func (s *slot) has(k op) bool {
	for i := range s.slots {
		if s.slots[i].has(k) {
			return true
		}
	}
	return s.op == k
}

// shortArray is the maximum length of an array whose elements have their own slots.
const shortArray = 4

// compile appends the slots of type t at offset off.
func compile(slots []slot, t reflect.Type, off uintptr, name string, own Own) []slot {
	s := slot{off: off, typ: t, name: name}
	switch t.Kind() {
	case reflect.Pointer:
		s.op = opPointer
		s.leadTo(t.Elem())
	case reflect.String:
		s.op = opText
	case reflect.Slice:
		s.op = opSlice
		s.leadTo(t.Elem())
	case reflect.Interface:
		s.op = opIface
	case reflect.Map:
		s.op, s.noscan = opMap, isFlat(t.Key()) && isFlat(t.Elem())
	case reflect.UnsafePointer, reflect.Chan, reflect.Func:
		s.op = opOpaque
	case reflect.Uintptr:
		if !machine.WideAddresses {
			return slots
		}
		s.op = opNumber
	case reflect.Array:
		return compileArray(slots, t, s, own)
	case reflect.Struct:
		return compileStruct(slots, t, s, own)
	default:
		return slots
	}
	return append(slots, s)
}

// leadTo sets the target type of a pointer or slice.
func (s *slot) leadTo(t reflect.Type) {
	s.elem, s.size = t, t.Size()
	numbers, others := slotsIn(t)
	s.noscan = !numbers && !others
	s.nums = numbers && !others
}

func isFlat(t reflect.Type) bool {
	numbers, others := slotsIn(t)
	return !numbers && !others
}

// slotsIn reports whether t has slots: numbers, and others. It does not compile t, because t may be a
// recursive type that is being compiled.
func slotsIn(t reflect.Type) (numbers, others bool) {
	switch t.Kind() {
	case reflect.Uintptr:
		return machine.WideAddresses, false
	case reflect.Array:
		if t.Len() == 0 {
			return false, false
		}
		return slotsIn(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			n, o := slotsIn(t.Field(i).Type)
			numbers, others = numbers || n, others || o
		}
		return numbers, others
	}
	return false, machine.CanPoint(t)
}

func compileArray(slots []slot, t reflect.Type, s slot, own Own) []slot {
	if t.Len() <= shortArray {
		for i := range t.Len() {
			slots = compile(slots, t.Elem(), s.off+uintptr(i)*t.Elem().Size(), s.name+"["+strconv.Itoa(i)+"]", own)
		}
		return slots
	}
	s.op, s.elem, s.n, s.size = opArray, t.Elem(), t.Len(), t.Elem().Size()
	if s.slots = compile(nil, t.Elem(), 0, "", own); len(s.slots) == 0 {
		return slots
	}
	return append(slots, s)
}

func compileStruct(slots []slot, t reflect.Type, s slot, own Own) []slot {
	if isHidden(t) {
		s.op = opHidden
		return append(slots, s)
	}
	special := own(t)
	for i := range t.NumField() {
		f := t.Field(i)
		if special == nil || special.keeps(f.Name) {
			slots = compile(slots, f.Type, s.off+f.Offset, s.name+"."+f.Name, own)
		}
	}
	if special != nil && special.Finish != nil {
		s.op, s.finish = opOwned, special.Finish
		slots = append(slots, s)
	}
	return slots
}

func (s *Special) keeps(name string) bool {
	for _, k := range s.Keep {
		if k == name {
			return true
		}
	}
	return false
}

// dynamic describes the dynamic type of an interface.
type dynamic struct {
	word    Pointer // the first word of the interface, nil if words are not read
	prog    *program
	inPlace bool // the value is one pointer, stored in the interface itself
	text    bool // a string, in a box
}

var (
	dynamics   sync.Map // of Pointer, the first word of an interface, to *dynamic
	recentDyns [256]atomic.Pointer[dynamic]
)

// dynamicOf returns the description of the interface at p, whose first word is word.
func (s *slot) dynamicOf(word, p Pointer, own Own) *dynamic {
	at := &recentDyns[place(xunsafe.Number(word))]
	if d := at.Load(); d != nil && d.word == word {
		return d
	}
	d, ok := dynamics.Load(word)
	if !ok {
		t := xunsafe.Value(s.typ, p).Elem().Type()
		d, _ = dynamics.LoadOrStore(word, &dynamic{word, programFor(t, own), holdsNil(t), t.Kind() == reflect.String})
	}
	at.Store(d.(*dynamic))
	return d.(*dynamic)
}

// direct reports whether slices and interfaces may be read as words. Otherwise package reflect is used.
func direct() bool { return machine.LayoutOK }

// sliceAt returns the address and number of the elements of the slice at p.
//
//go:norace
func (s *slot) sliceAt(p Pointer) (Pointer, int) {
	if direct() {
		h := headerAt(p)
		return h.data, h.len
	}
	v := xunsafe.Value(s.typ, p)
	return v.UnsafePointer(), v.Len()
}

// setSlice sets the slice at p to the n elements at data, with capacity n.
func (s *slot) setSlice(p, data Pointer, n int) {
	if direct() {
		h := headerAt(p)
		h.data, h.len, h.cap = data, n, n
		return
	}
	xunsafe.Value(s.typ, p).Set(reflect.SliceAt(s.elem, data, n).Convert(s.typ))
}

// wordAt returns the pointer in a value of one word at p: a map, a chan or a func.
//
//go:norace
func (s *slot) wordAt(p Pointer) Pointer {
	if direct() {
		return load(p)
	}
	return xunsafe.Value(s.typ, p).UnsafePointer()
}

// setBox makes the interface at p hold the value at box, whose only owner it is. If words are not written,
// the interface holds a copy.
func (s *slot) setBox(p Pointer, d *dynamic, box Pointer) {
	if direct() {
		store(xunsafe.Add(p, wordSize), box)
		return
	}
	xunsafe.Value(s.typ, p).Set(xunsafe.Value(d.prog.typ, box))
}

// holdsNil reports whether an interface with a zero t holds a nil data word. If so, t is one pointer, stored
// in the interface itself.
func holdsNil(t reflect.Type) bool {
	x := reflect.Zero(t).Interface()
	return load(xunsafe.Add(xunsafe.PointerTo(&x), wordSize)) == nil
}

// shy reports whether only the owner may read values of type t: types with locks or atomics, because reading
// them without the lock is a race, and types of the runtime and of package arena.
func shy(t reflect.Type, own Own) bool {
	module := strings.TrimSuffix(reflect.TypeFor[slot]().PkgPath(), "/internal/escape")
	switch path := t.PkgPath(); {
	case path == "sync", path == "sync/atomic", path == "runtime", path == "reflect", path == "unique", path == "weak",
		strings.HasPrefix(path, "internal/"):
		return true
	case path == module || path == module+"/internal/machine" || path == module+"/internal/live" || path == module+"/internal/check" || path == module+"/internal/guard":
		if own(t) == nil {
			return true
		}
	}
	switch t.Kind() {
	case reflect.Array:
		return shy(t.Elem(), own)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i).Type; (f.Kind() == reflect.Struct || f.Kind() == reflect.Array) && own(t) == nil && shy(f, own) {
				return true
			}
		}
	}
	return false
}
