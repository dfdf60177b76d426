package arenajson

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Fields of structs by the rules of encoding/json, and the common parts of encoding and decoding programs.
//
// A field is a struct field that is a member of the JSON object.
type field struct {
	name    string       // without quotes and escapes
	plain   string       // the name in quotes and a colon
	escaped string       // plain with HTML characters escaped
	typ     reflect.Type // as declared
	index   []int        // for reflect.Value.FieldByIndex

	// The field is at offset of the struct that the last hop points to, or of the struct itself if there are
	// no hops.
	hops   []hop
	offset uintptr

	omitEmpty bool // ,omitempty
	omitZero  bool // ,omitzero
	quoted    bool // ,string, on a type that it applies to

	rank int // of fields of one name: the least wins, a field of less depth or one whose name is in its tag
}

// A hop is an embedded pointer before a field: the struct has a pointer to a typ at offset. If it is nil,
// encoding omits the field, and decoding allocates a typ.
type hop struct {
	offset uintptr
	typ    reflect.Type // a struct
	// hidden is set if the pointer's type is not exported. encoding/json can't set such a pointer: if it is
	// nil, decoding a member behind it is an error.
	hidden bool
}

var fieldsOfTypes sync.Map // from reflect.Type to []field

// fieldsOf returns the fields of struct type t in the order of encoding. The slice is shared.
func fieldsOf(t reflect.Type) []field {
	if known, ok := fieldsOfTypes.Load(t); ok {
		return known.([]field)
	}
	known, _ := fieldsOfTypes.LoadOrStore(t, findFields(t))
	return known.([]field)
}

// An embedded struct is one whose fields are promoted.
type embedded struct {
	typ    reflect.Type
	index  []int
	hops   []hop
	offset uintptr
}

// findFields walks t and its embedded structs, level by level. A name belongs to the field at the least
// depth; among several there, to the only one with a tag, or else to none.
//
// A struct that occurs again on a deeper level adds nothing, which ends the walk of recursive types. If one
// occurs several times on a level, its fields are listed twice, so that their names belong to none.
func findFields(t reflect.Type) []field {
	var all []field
	level := []embedded{{typ: t}}
	times := map[reflect.Type]int{t: 1}
	seen := map[reflect.Type]bool{}
	for len(level) > 0 {
		var next []embedded
		nextTimes := map[reflect.Type]int{}
		for _, e := range level {
			if seen[e.typ] {
				continue
			}
			seen[e.typ] = true
			for i := range e.typ.NumField() {
				f, inner, ok := e.field(i)
				switch {
				case !ok:
				case inner.typ != nil:
					nextTimes[inner.typ]++
					if nextTimes[inner.typ] == 1 {
						next = append(next, inner)
					}
				default:
					all = append(all, f)
					if times[e.typ] > 1 {
						all = append(all, f)
					}
				}
			}
		}
		level, times = next, nextTimes
	}

	slices.SortStableFunc(all, func(x, y field) int {
		return cmp.Or(strings.Compare(x.name, y.name), cmp.Compare(x.rank, y.rank))
	})
	kept := all[:0]
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].name == all[0].name {
			n++
		}
		if n == 1 || all[0].rank != all[1].rank {
			kept = append(kept, all[0])
		}
		all = all[n:]
	}
	slices.SortFunc(kept, func(x, y field) int { return slices.Compare(x.index, y.index) })
	return slices.Clip(kept)
}

// field returns the i-th field of e, either as a field or as an embedded struct. It is not ok for a field
// that encoding/json ignores.
func (e *embedded) field(i int) (f field, inner embedded, ok bool) {
	sf := e.typ.Field(i)
	if !sf.IsExported() && !(sf.Anonymous && isStruct(sf.Type)) {
		return // an embedded struct of an unexported type may have exported fields
	}
	tag := sf.Tag.Get("json")
	if tag == "-" {
		return
	}
	name, options, _ := strings.Cut(tag, ",")
	if !isName(name) {
		name = ""
	}
	index := append(slices.Clip(slices.Clone(e.index)), i)
	offset := e.offset + sf.Offset

	// Only unnamed pointers are followed, also for ,string.
	t := sf.Type
	pointer := t.Kind() == reflect.Pointer && t.Name() == ""
	if pointer {
		t = t.Elem()
	}
	if sf.Anonymous && name == "" && t.Kind() == reflect.Struct {
		inner = embedded{typ: t, index: index, hops: e.hops, offset: offset}
		if pointer {
			inner.hops = append(slices.Clip(slices.Clone(e.hops)), hop{offset, t, !sf.IsExported()})
			inner.offset = 0
		}
		return f, inner, true
	}

	f = field{
		name: name, typ: sf.Type, index: index,
		hops: e.hops, offset: offset,
		omitEmpty: hasOption(options, "omitempty"),
		omitZero:  hasOption(options, "omitzero"),
		quoted:    hasOption(options, "string") && canBeQuoted(t.Kind()),
		rank:      2*len(index) - 1,
	}
	if name == "" {
		f.name, f.rank = sf.Name, f.rank+1
	}
	f.plain = `"` + f.name + `":`
	f.escaped = `"` + htmlEscaper.Replace(f.name) + `":`
	return f, inner, true
}

// isStruct reports whether t is a struct or a pointer to one.
func isStruct(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct
}

// isName reports whether s is valid as a name in a tag.
func isName(s string) bool {
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" !#$%&()*+-./:;<=>?@[]^_{|}~", r) {
			return false
		}
	}
	return s != ""
}

// hasOption reports whether name is one of the comma-separated options.
func hasOption(options, name string) bool {
	for o := range strings.SplitSeq(options, ",") {
		if o == name {
			return true
		}
	}
	return false
}

// canBeQuoted reports whether ,string applies to kind k.
func canBeQuoted(k reflect.Kind) bool {
	return reflect.Bool <= k && k <= reflect.Float64 || k == reflect.String
}

// htmlEscaper escapes characters that are unsafe in HTML, and the two line terminators of JavaScript.
var htmlEscaper = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`, "\u2028", `\u2028`, "\u2029", `\u2029`)

// viaReflect is set if the layout of interfaces is unknown.
var viaReflect = !machine.LayoutOK

// typed is the type of a program.
type typed struct {
	typ     reflect.Type
	size    uintptr
	pointer xunsafe.Pointer // the type word of an interface that holds a pointer to the type
}

func typedOf(t reflect.Type) typed {
	x := reflect.Zero(reflect.PointerTo(t)).Interface()
	return typed{t, t.Size(), xunsafe.WordsOf(&x).Type}
}

// address returns a pointer to the value at p, like reflect.NewAt, but without its lookup of the pointer
// type.
func (t *typed) address(p xunsafe.Pointer) (x any) {
	if viaReflect {
		return reflect.NewAt(t.typ, p).Interface()
	}
	*xunsafe.WordsOf(&x) = xunsafe.Words{Type: t.pointer, Data: p}
	return x
}

// at returns the settable value at p.
func (t *typed) at(p xunsafe.Pointer) reflect.Value { return reflect.ValueOf(t.address(p)).Elem() }

// Types T have the same shape if a map[string]T holds their values in the same way: they have the same size,
// alignment and pointers. Such maps are filled and walked as maps of one type V, by compiled code instead of
// package reflect. This is sound because:
//
//   - The runtime hashes and compares strings of all types alike.
//   - The runtime uses the size, the alignment and the pointers of the value type, which are those
//     of V. It never looks into a value.
//   - A map that a program or package reflect has made as a map[string]T has the same layout as a map[string]V;
//     TestShapes compares them.
//
// Arrays of words stand in for structs only while maps are walked. The collector does not see the pointers in
// the copies, but the map holds them.
type shape uint8

const (
	noShape shape = iota
	shapeAny
	shapePointer
	shape8
	shape4
	shape1
	shapeText
	shapeSlice
)

// shapeOf returns the shape of t, or noShape.
func shapeOf(t reflect.Type) shape {
	switch t.Kind() {
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return shapeAny
		}
	case reflect.Pointer, reflect.Map:
		return shapePointer
	case reflect.String:
		return shapeText
	case reflect.Slice:
		return shapeSlice
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Float32, reflect.Float64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		switch {
		case t.Size() == 8 && t.Align() == reflect.TypeFor[uint64]().Align():
			return shape8
		case t.Size() == 4:
			return shape4
		case t.Size() == 1:
			return shape1
		}
	}
	return noShape
}
