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

// A program lists what has to be looked at in the values of a type: the places of its
// pointers, in order, as compile finds them once for each type. All else is copied
// with the value.
type program struct {
	typ   reflect.Type
	key   *machine.TypeDesc
	size  uintptr
	slots []slot
	few   bool // there are few slots, of which each tells by itself where it leads
	owns  bool // values of package arena's own types are among the slots
	shy   bool // nobody but the owner may look into the values
}

// A slot is a place in a type.
type slot struct {
	off    uintptr
	op     op
	noscan bool         // what it leads to has no slots
	nums   bool         // what it leads to has slots, which are all numbers
	size   uintptr      // of what a pointer points to; of an element; of an array's
	typ    reflect.Type // its own type
	elem   reflect.Type // what a pointer points to, or a slice or array consists of

	name   string // as in an expression: ".Order.Items"
	n      int    // of an array's elements
	slots  []slot // of each of these
	finish func(copy reflect.Value)
}

type op uint8

const (
	opPointer op = iota
	opText
	opSlice
	opIface
	opMap // a map of the language
	opArray
	opOpaque // an unsafe.Pointer, a chan, a func: nobody sees where it leads to
	opHidden // a weak.Pointer or unique.Handle, which hides what it leads to
	opNumber // a uintptr, where one can be told from an address
	opOwned  // a value of this package's types, to be finished when it was copied
)

// Own says how values of a type of package arena itself are copied, nil for all
// other types.
type Own func(t reflect.Type) *Special

// Special says how the values of a type are copied: of which fields what they lead
// to is looked at, and what is done to the copy at last, when all of these are.
type Special struct {
	Keep   []string
	Finish func(copy reflect.Value) // a pointer to it
}

// programs are all that there are: one for each type, so that what a value is known by
// (see ref) can be its program. Some are found by their descriptors.
var (
	programs sync.Map // of reflect.Type to *program
	recent   [256]atomic.Pointer[program]
)

// place is where a descriptor, or another address that stands for a type, is looked
// for in a table of 256.
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

// tells reports whether s says where it leads.
func (s *slot) tells() bool { return s.op != opIface && s.op != opMap && s.op != opArray }

// has reports whether s is, or has among its own, a slot of kind k.
func (s *slot) has(k op) bool {
	for i := range s.slots {
		if s.slots[i].has(k) {
			return true
		}
	}
	return s.op == k
}

// shortArray is up to how many elements an array's are slots of their own.
const shortArray = 4

// compile appends the slots of a t at offset off.
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

// leadTo notes that a pointer or slice leads to ts.
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

// slotsIn reports whether a t has slots: numbers, and others. It doesn't compile t, which
// may be the type that is just being compiled: types lead to themselves by pointers,
// slices and maps.
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

// dynamic describes the type of what an interface holds.
type dynamic struct {
	word    Pointer // the interface's first word, nil where words are not read
	prog    *program
	inPlace bool // the values are one pointer, and stand in the interface itself
	text    bool // a string, in a box
}

var (
	dynamics   sync.Map // of Pointer, interfaces' first words, to *dynamic
	recentDyns [256]atomic.Pointer[dynamic]
)

// dynamicOf returns what is known of the interface at p, whose first word is word.
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

// direct says that slices and interfaces may be read as words. Where not, package
// reflect does it.
func direct() bool { return machine.LayoutOK }

// sliceAt returns where the elements of the slice at p are, and how many.
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

// setSlice makes the slice at p one of the n elements at data, and no more.
func (s *slot) setSlice(p, data Pointer, n int) {
	if direct() {
		h := headerAt(p)
		h.data, h.len, h.cap = data, n, n
		return
	}
	xunsafe.Value(s.typ, p).Set(reflect.SliceAt(s.elem, data, n).Convert(s.typ))
}

// wordAt is the pointer that a value of one word at p consists of: a map, a chan or
// a func.
//
//go:norace
func (s *slot) wordAt(p Pointer) Pointer {
	if direct() {
		return load(p)
	}
	return xunsafe.Value(s.typ, p).UnsafePointer()
}

// setBox has the interface at p hold the value at box, of which it is the only owner:
// where nothing is written as words, a copy of it.
func (s *slot) setBox(p Pointer, d *dynamic, box Pointer) {
	if direct() {
		store(xunsafe.Add(p, wordSize), box)
		return
	}
	xunsafe.Value(s.typ, p).Set(xunsafe.Value(d.prog.typ, box))
}

// holdsNil reports whether an interface with a zero t holds no pointer: then it holds ts
// themselves, which are one pointer each.
func holdsNil(t reflect.Type) bool {
	x := reflect.Zero(t).Interface()
	return load(xunsafe.Add(xunsafe.PointerTo(&x), wordSize)) == nil
}

// shy reports whether values of the type must not be looked into where they are others':
// they have locks, or are atomic, since who holds no lock must not look; or they are
// the runtime's, or the arena itself.
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
