// Package smallmap makes builtin maps of few entries by hand, in memory that its caller has:
// in an arena, or with others in one piece of the heap.
package smallmap

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"reflect"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// A map of at most Entries entries is a header that leads to one group of slots, without a
// table. Both are made as one value. All that is done with it is the runtime's doing, which
// hashes by the seed that it finds, and makes a table on the heap for a ninth entry; the
// header then leads there. Such headers and groups the compiler makes on the stack.
//
//	+------+------+--------+--------+-------+--------+---------+--------+-- --+--------+
//	| used | seed | groups | length | flags | clears | control | slot 0 | ... | slot 7 |
//	+------+------+--------+--------+-------+--------+---------+--------+-- --+--------+
//	                   |                             ^
//	                   +-----------------------------+
const (
	Entries      = 8                  // in a small map
	emptyControl = 0x8080808080808080 // a byte for each slot, of which none is taken
	mostInSlot   = 128                // bytes of a key or a value: of a larger one a slot has the address
	mostSample   = 4 << 10            // bytes of what a sample leads to
	wordSize     = 4 << (^uintptr(0) >> 63)
	headSize     = 4*wordSize + 16 // of what all type descriptors begin with (assumption A5)
)

// mapHeader is the runtime's header of a map. Its words are arrays because checked builds
// fill words with dead values, and a map of a dead length leads anywhere.
type mapHeader struct {
	used   uint64 // entries
	seed   [wordSize / 4]uint32
	groups xunsafe.Pointer
	length [wordSize / 4]uint32 // of the directory of tables; 0: groups leads to the only group
	flags  [4]uint8
	clears uint64
}

// mapDesc is the beginning of the descriptor of a type of maps.
type mapDesc struct {
	_         [headSize]byte
	key, elem xunsafe.Pointer
	group     *struct{ size, ptrBytes uintptr }
}

// TypeOf returns the type of a header and a group for maps of type t, nil where this
// runtime's are others, as on big-endian machines: then such maps are left to it. The header and the slots are compared
// with those of a map that the runtime has made.
func TypeOf(t reflect.Type) *machine.Type {
	if machine.Portable || !machine.LayoutOK || t.Key().Size() > mostInSlot || t.Elem().Size() > mostInSlot {
		return nil
	}
	slot := reflect.StructOf([]reflect.StructField{{Name: "Key", Type: t.Key()}, {Name: "Elem", Type: t.Elem()}})
	group := reflect.StructOf([]reflect.StructField{{Name: "Control", Type: reflect.TypeFor[uint64]()}, {Name: "Slots", Type: reflect.ArrayOf(Entries, slot)}})
	desc := xunsafe.Cast[mapDesc](descOf(t))
	own := xunsafe.Cast[struct{ size, ptrBytes uintptr }](descOf(group))
	if desc.key != descOf(t.Key()) || desc.elem != descOf(t.Elem()) || *desc.group != *own {
		return nil
	}
	n := Entries - 1
	if t.Key().Kind() == reflect.Bool {
		n = 2
	}
	probe, samples := reflect.MakeMap(t), reflect.MakeSlice(reflect.SliceOf(slot), n, n)
	for i := range n {
		s := samples.Index(i)
		differ(s.Field(0), i)
		differ(s.Field(1), i)
		probe.SetMapIndex(s.Field(0), s.Field(1))
	}
	h := xunsafe.Cast[mapHeader](probe.UnsafePointer())
	if h.used != uint64(n) || h.groups == nil || *h != (mapHeader{used: h.used, seed: h.seed, groups: h.groups}) {
		return nil
	}
	control := xunsafe.Bytes(h.groups, Entries)
	for i := range Entries {
		if (control[i] < 0x80) != (i < n) {
			return nil
		}
	}
	for i := range n {
		s, at := samples.Index(i), xunsafe.Add(h.groups, Entries+uintptr(i)*slot.Size())
		if !sameBits(s.Field(0), at) || !sameBits(s.Field(1), xunsafe.Add(at, slot.Field(1).Offset)) {
			return nil
		}
	}
	if probe.Clear(); binary.NativeEndian.Uint64(control) != emptyControl {
		return nil
	}
	return machine.TypeOf(reflect.StructOf([]reflect.StructField{{Name: "Header", Type: reflect.TypeFor[mapHeader]()}, {Name: "Group", Type: group}}))
}

// descOf is the address of t's descriptor (assumption A7).
func descOf(t reflect.Type) xunsafe.Pointer { return xunsafe.WordsOf(&t).Data }

// differ gives v the i-th value of its type, or leaves it where one is as good as another.
func differ(v reflect.Value, i int) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(i%2 == 1)
	case reflect.String:
		v.SetString("0123456789"[i:])
	case reflect.Slice:
		if v.Type().Elem().Size() <= mostSample/Entries {
			v.Set(reflect.MakeSlice(v.Type(), i, Entries))
		}
	case reflect.Pointer:
		if v.Type().Elem().Size() <= mostSample {
			v.Set(reflect.New(v.Type().Elem()))
		}
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(i) + 0.5)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(i) - 3)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(uint64(i) + 1<<31)
	case reflect.Interface:
		if v.NumMethod() == 0 {
			v.Set(reflect.ValueOf(i))
		}
	case reflect.Array:
		for k := range v.Len() {
			differ(v.Index(k), i)
		}
	case reflect.Struct:
		for k := range v.NumField() {
			f := v.Field(k) // which may be hidden
			differ(xunsafe.Value(f.Type(), xunsafe.Add(v.Addr().UnsafePointer(), v.Type().Field(k).Offset)), i)
		}
	}
}

// sameBits reports whether the value at at has the bits of v, whatever they mean there.
func sameBits(v reflect.Value, at xunsafe.Pointer) bool {
	size := int(v.Type().Size())
	return bytes.Equal(xunsafe.Bytes(v.Addr().UnsafePointer(), size), xunsafe.Bytes(at, size))
}

// Init makes a map without entries of the memory at p, which is a value of what TypeOf
// returned for its type. All words that the runtime goes by are written: they may hold
// anything.
func Init(p xunsafe.Pointer) {
	h := xunsafe.Cast[mapHeader](p)
	group := xunsafe.Add(p, xunsafe.SizeOf[mapHeader]())
	*h = mapHeader{groups: group}
	*xunsafe.Cast[uintptr](xunsafe.PointerTo(&h.seed)) = uintptr(rand.Uint64())
	*xunsafe.Cast[uint64](group) = emptyControl
}
