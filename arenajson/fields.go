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

// field is a member of the JSON object that a struct is written as and read from,
// by the rules of encoding/json.
type field struct {
	name    string       // as it stands in a document, without quotes and escapes
	plain   string       // the name in quotes and a colon
	escaped string       // the same with <, >, & and U+2028 and U+2029 escaped
	typ     reflect.Type // what the struct declares, a pointer for one
	index   []int        // for reflect.Value.FieldByIndex

	// Where it is: at offset of what the last of the hops points to, or of the
	// struct itself where there are none.
	hops   []hop
	offset uintptr

	omitEmpty bool // ,omitempty
	omitZero  bool // ,omitzero
	quoted    bool // ,string, on a type that has it

	tagged bool // the name comes from a tag: it wins over one that doesn't
}

// hop is an embedded pointer on the way to a field: at offset of the struct there
// is a pointer to a typ. A nil one is no member of the object when it is written,
// and gets a new typ when it is read.
type hop struct {
	offset uintptr
	typ    reflect.Type // a struct
	// hidden says that the field is not exported: encoding/json can't set it, and
	// fails where it is nil and a document has a member behind it.
	hidden bool
}

var fieldsOfTypes sync.Map // from reflect.Type to []field

// fieldsOf returns the members of struct type t, in the order in which they are
// written. The slice is shared: it must not be changed.
func fieldsOf(t reflect.Type) []field {
	if known, ok := fieldsOfTypes.Load(t); ok {
		return known.([]field)
	}
	known, _ := fieldsOfTypes.LoadOrStore(t, findFields(t))
	return known.([]field)
}

// embedded is a struct whose fields count as those of the one that is looked at.
type embedded struct {
	typ    reflect.Type
	index  []int
	hops   []hop
	offset uintptr
}

// findFields walks t and what it embeds, level by level: a name belongs to the
// field at the least depth, of several there to the only one with a tag, and
// otherwise to none. A struct that is met a second time on a deeper level adds
// nothing, which ends the walk of recursive types; several times on one level, each
// of its fields is there as if twice, so that none of them has its name.
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
		return cmp.Or(strings.Compare(x.name, y.name), cmp.Compare(len(x.index), len(y.index)), -compareBool(x.tagged, y.tagged))
	})
	kept := all[:0]
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].name == all[0].name {
			n++
		}
		if n == 1 || len(all[0].index) != len(all[1].index) || all[0].tagged != all[1].tagged {
			kept = append(kept, all[0])
		}
		all = all[n:]
	}
	slices.SortFunc(kept, func(x, y field) int { return slices.Compare(x.index, y.index) })
	return slices.Clip(kept)
}

func compareBool(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return 1
	}
	return -1
}

// field returns what the i-th field of e stands for: a member, or another struct to
// look into, or nothing.
func (e *embedded) field(i int) (f field, inner embedded, ok bool) {
	sf := e.typ.Field(i)
	if !sf.IsExported() && !(sf.Anonymous && isStruct(sf.Type)) {
		return // but an embedded struct of an unexported type may have exported fields
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

	// What an unnamed pointer points to: only that decides about ,string, too.
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
		tagged:    name != "",
	}
	if name == "" {
		f.name = sf.Name
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

// isName reports whether a tag may give this name; otherwise the field's own counts.
func isName(s string) bool {
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" !#$%&()*+-./:;<=>?@[]^_{|}~", r) {
			return false
		}
	}
	return s != ""
}

// hasOption reports whether name is one of options, which commas separate.
func hasOption(options, name string) bool {
	for o := range strings.SplitSeq(options, ",") {
		if o == name {
			return true
		}
	}
	return false
}

// canBeQuoted reports whether ,string means something for values of kind k.
func canBeQuoted(k reflect.Kind) bool {
	return reflect.Bool <= k && k <= reflect.Float64 || k == reflect.String
}

// htmlEscaper escapes what could end a script in a page, and the two line ends that
// JavaScript knows and JSON doesn't.
var htmlEscaper = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`, "\u2028", `\u2028`, "\u2029", `\u2029`)

// viaReflect says that nothing is known about what an interface looks like inside.
var viaReflect = !machine.LayoutOK

// typed is what programs of both directions know of their type.
type typed struct {
	typ     reflect.Type
	size    uintptr         // in bytes
	pointer xunsafe.Pointer // the word that an interface has of the type of a pointer to it
}

func typedOf(t reflect.Type) typed {
	x := reflect.Zero(reflect.PointerTo(t)).Interface()
	return typed{t, t.Size(), xunsafe.WordsOf(&x).Type}
}

// address is a pointer to the value at p, as reflect.NewAt makes it: without its look for the
// type of that.
func (t *typed) address(p xunsafe.Pointer) (x any) {
	if viaReflect {
		return reflect.NewAt(t.typ, p).Interface()
	}
	*xunsafe.WordsOf(&x) = xunsafe.Words{Type: t.pointer, Data: p}
	return x
}

// at is the value at p, which can be set.
func (t *typed) at(p xunsafe.Pointer) reflect.Value { return reflect.ValueOf(t.address(p)).Elem() }

// A shape stands for all types T for which a map[string]T holds its values in the same way: they have the same
// size, alignment and pointers. Such maps are filled and walked as maps of one type V, by compiled code instead of
// package reflect. This is sound because:
//
//   - The runtime hashes and compares strings of all types alike.
//   - Of the type of values, the runtime's code uses the size, the alignment and the pointers, which are those
//     of V. It never looks into a value.
//   - A map that a program or package reflect has made as a map[string]T has the same layout as a map[string]V;
//     TestShapes compares them.
//
// Arrays of words stand for structs only while maps are walked: the collector does not see the pointers in the
// copies, but the map holds them.
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
