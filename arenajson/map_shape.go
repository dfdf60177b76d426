package arenajson

import (
	"reflect"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// A shape stands for all types of values that a map[string]V holds in the same way: they have
// the same size and alignment, and pointers in the same words. A map[string]T is filled and
// walked as a map[string]V of T's shape, by the compiler's code for that instead of package
// reflect. What this takes for granted:
//
//   - The runtime hashes and compares keys by the kind of their type, so strings of all types
//     are alike.
//   - Of the type of values, its code for maps uses the size, the alignment and the words that
//     hold pointers; those of V are those of T. It never looks into a value.
//   - A map that a program made, or that package reflect made as a map[string]T, has what a
//     map[string]V has at the same places. TestShapes compares them.
//
// Arrays of words stand for structs only while maps are walked: the words are copies of
// pointers that the collector does not see, of which the map itself keeps what they lead to.
type shape uint8

const (
	noShape shape = iota
	shapePointer
	shape8
	shape4
	shape1
	shapeText
	shapeSlice
)

// shapeOf returns the shape of t, noShape if it has none of these.
func shapeOf(t reflect.Type) shape {
	switch t.Kind() {
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

// stringMap reads an object into the map[string]T at to, by the shape of T.
func (d *decoder) stringMap(p *decProgram, to xunsafe.Pointer, i int) int {
	l := d.lists()
	switch p.shape {
	case shapePointer:
		return shaped(d, &l.pointers, p, to, i)
	case shape8:
		return shaped(d, &l.eights, p, to, i)
	case shape4:
		return shaped(d, &l.fours, p, to, i)
	case shape1:
		return shaped(d, &l.ones, p, to, i)
	case shapeText:
		return shaped(d, &l.texts, p, to, i)
	}
	return shaped(d, &l.slices, p, to, i)
}

// shaped is stringMap for values of the shape of V.
func shaped[V any](d *decoder, l *memberList[V], p *decProgram, to xunsafe.Pointer, i int) int {
	m := xunsafe.Cast[map[string]V](to)
	from := len(l.all)
	i, more := d.openObject(i)
	if more {
		x := pairOf(p)
		v := xunsafe.Cast[V](x.valueAt)
		var zero V
		for more {
			var name string
			name, i = d.name(i)
			i = d.value(p.elem, x.valueAt, i)
			l.all = append(l.all, member[V]{name, *v})
			*v = zero
			i, more = l.next(d, p.maps, m, from, i)
		}
		p.pairs.Put(x)
	}
	l.enter(d, p.maps, m, from)
	return i
}

// mapWriter writes a map of program prog at p.
type mapWriter func(e *encoder, w xunsafe.Pointer, prog *encProgram, p xunsafe.Pointer) xunsafe.Pointer

// shaped returns the function that writes maps of prog by the shape of their values, nil if package
// reflect has to. prog is complete.
func (prog *encProgram) shaped() mapWriter {
	known := prog.shape.Load()
	if known == nil {
		known = new(mapWriter)
		if prog.key == writeString {
			*known = prog.elem.mapWriter()
		}
		prog.shape.Store(known)
	}
	return *known
}

// mapWriter returns the function that writes maps of values of prog.
func (prog *encProgram) mapWriter() mapWriter {
	switch shapeOf(prog.typ) {
	case shapePointer:
		return shapedMap[xunsafe.Pointer]
	case shape8:
		return shapedMap[uint64]
	case shape4:
		return shapedMap[uint32]
	case shape1:
		return shapedMap[uint8]
	case shapeText:
		return shapedMap[string]
	case shapeSlice:
		return shapedMap[[]byte]
	}
	word := xunsafe.SizeOf[uintptr]()
	if prog.op != writeStruct || uintptr(prog.typ.Align()) != word || prog.size%word != 0 || prog.runs(map[*encProgram]bool{}) {
		return nil
	}
	switch prog.size / word {
	case 1:
		return shapedMap[[1]uintptr]
	case 2:
		return shapedMap[[2]uintptr]
	case 3:
		return shapedMap[[3]uintptr]
	case 4:
		return shapedMap[[4]uintptr]
	case 5:
		return shapedMap[[5]uintptr]
	case 6:
		return shapedMap[[6]uintptr]
	case 7:
		return shapedMap[[7]uintptr]
	case 8:
		return shapedMap[[8]uintptr]
	case 10:
		return shapedMap[[10]uintptr]
	case 12:
		return shapedMap[[12]uintptr]
	}
	return nil
}

// runs reports whether writing a value of prog may run code of the program, which could change the
// map that holds what the value leads to.
func (prog *encProgram) runs(seen map[*encProgram]bool) bool {
	if prog == nil || seen[prog] {
		return false
	}
	seen[prog] = true
	switch prog.op {
	case writeAny, writeIface, writeAnyMap, writeJSON, writeText, writeAppended, writeStandard:
		return true
	case writeMap, writeArenaMap:
		if prog.key == writeText {
			return true
		}
	}
	for f := prog.fields[0]; f != nil; f = f.next {
		if f.empty == omitMethod || f.zero == omitMethod || f.prog.runs(seen) {
			return true
		}
	}
	return prog.elem.runs(seen)
}
