package arenajson

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Interfaces. An empty interface gets a float64, a string, a bool, nil, a []any or a map[string]any, whose
// memory is in the arena: box makes the interface from a pointer, without the copy that Go's conversion
// allocates. An interface that holds a pointer is decoded through it, like in encoding/json.

var (
	floatProgram  = plainMode.decProgramOf(reflect.TypeFor[*float64]())
	textProgram   = plainMode.decProgramOf(reflect.TypeFor[*string]())
	numberProgram = plainMode.decProgramOf(reflect.TypeFor[*json.Number]())
	intProgram    = plainMode.decProgramOf(reflect.TypeFor[*int64]())
	listProgram   = plainMode.decProgramOf(reflect.TypeFor[*[]any]())
	mapProgram    = plainMode.decProgramOf(reflect.TypeFor[*map[string]any]())
)

// anyAt decodes the value at i into the empty interface at to.
func (d *decoder) anyAt(p *decProgram, to xunsafe.Pointer, i int) int {
	x := xunsafe.Cast[any](to)
	if *x != nil && reflect.TypeOf(*x).Kind() == reflect.Pointer {
		if end, ok := d.through(p, to, i); ok {
			return end
		}
	}
	v, end := d.any(i)
	if v != nil || d.at(i) == 'n' {
		*x = v // otherwise it is a number that does not fit
	}
	return end
}

// iface decodes the value at i into an interface with methods, which must hold a pointer.
func (d *decoder) iface(p *decProgram, to xunsafe.Pointer, i int) int {
	if end, ok := d.through(p, to, i); ok {
		return end
	}
	if c := d.at(i); (c == '-' || c-'0' <= 9) && d.flags&useNumber == 0 {
		if _, end := d.float(i); end < 0 {
			return d.tooLarge(i) // the first error that encoding/json sees
		}
	}
	return d.decodeNull(p, to, i)
}

// maxUnder is the number of pointers in interfaces, one within the other, beyond which they must be a cycle,
// because a document has at most maxNesting levels.
const maxUnder = 2 * maxNesting

// dynamic is a value that is decoded through the pointer in an interface.
type dynamic struct {
	at   int // index in the document
	prog *decProgram
}

// through decodes the value at i through the pointer in the interface at to, if encoding/json does so: the
// pointer is not nil, and null needs a pointer to a pointer.
func (d *decoder) through(p *decProgram, to xunsafe.Pointer, i int) (end int, ok bool) {
	in := p.at(to).Elem()
	if in.Kind() != reflect.Pointer || in.IsNil() || d.at(i) == 'n' && in.Elem().Kind() != reflect.Pointer {
		return 0, false
	}
	if at := in.Elem(); at.Kind() == reflect.Interface && at.NumMethod() == 0 && at.Elem().Kind() == reflect.Pointer && at.Elem().Equal(in) {
		at.SetZero() // the interface holds its own address, which is replaced
	}
	if len(d.under) == maxUnder {
		d.note(fmt.Errorf("arenajson: Unmarshal: cycle of pointers and interfaces through %v", in.Type()))
		return d.skip(i), true
	}
	target := d.mode.decProgramOf(in.Type())
	d.under = append(d.under, dynamic{i, target})
	end = d.value(target, in.UnsafePointer(), i)
	d.under = d.under[:len(d.under)-1]
	return end, true
}

// any decodes the value at i into a new interface.
func (d *decoder) any(i int) (any, int) {
	switch c := d.at(i); c {
	case '"':
		s, end := d.str(i)
		at := d.newValue(textProgram)
		*xunsafe.Cast[string](at) = d.keep(s)
		return box("", at), end
	case '{':
		var m map[string]any
		end := d.shapedMap(mapProgram, xunsafe.PointerTo(&m), i)
		return m, end
	case '[':
		return d.list(i)
	case 't':
		if d.has(i, "true") {
			return true, i + 4
		}
	case 'f':
		if d.has(i, "false") {
			return false, i + 5
		}
	case 'n':
		if d.has(i, "null") {
			return nil, i + 4
		}
	default:
		if d.flags&(useNumber|useInt64) != 0 {
			if x, end := d.anyNumber(i); x != nil {
				return x, end
			}
		}
		f, end := d.float(i)
		if end < 0 {
			return nil, d.tooLarge(i)
		}
		at := d.newValue(floatProgram)
		*xunsafe.Cast[float64](at) = f
		return box(0.0, at), end
	}
	d.fail()
	return nil, 0
}

// list decodes the array at i into a new []any. It is slice for a new slice of empty interfaces, without the loads and
// comparisons that depend on a program.
func (d *decoder) list(i int) (any, int) {
	d.deeper(i)
	d.inside++
	var s machine.Slice
	n, size := 0, listProgram.elem.size
	i = d.space(i + 1)
	was := growth{at: i}
	if d.at(i) == ']' {
		s = d.emptySlice(listProgram)
	} else {
		for {
			if n >= s.Cap {
				s.Len = n
				s = d.grow(listProgram, s, n+1, d.expected(&was, size, n, i))
			}
			v, end := d.any(i)
			*xunsafe.Cast[any](xunsafe.Add(s.Data, uintptr(n)*size)) = v
			n++
			i = d.space(end)
			c := d.at(i)
			if c == ']' {
				break
			}
			if c != ',' {
				d.fail()
			}
			i = d.space(i + 1)
		}
		s.Len = n
		if d.region != nil {
			s = machine.TrimSliceOfType(d.region, listProgram.elem.mem, s)
		}
	}
	d.depth, d.inside = d.depth-1, d.inside-1
	at := d.newValue(listProgram)
	*xunsafe.Cast[machine.Slice](at) = s
	return box([]any(nil), at), i + 1
}

// anyNumber decodes the number at i into a json.Number with UseNumber, and into an int64 with UseInt64. It returns nil
// if the number is no int64.
func (d *decoder) anyNumber(i int) (any, int) {
	end := d.number(i)
	if d.flags&useNumber != 0 {
		at := d.newValue(numberProgram)
		*xunsafe.Cast[string](at) = d.keep(d.text(i, end))
		return box(json.Number(""), at), end
	}
	n, ok := parseInt(d.text(i, end))
	if !ok {
		return nil, 0
	}
	at := d.newValue(intProgram)
	*xunsafe.Cast[int64](at) = n
	return box(int64(0), at), end
}

// box returns an interface of like's type that holds the value at p without a copy (assumption A7). The value
// must not change afterwards, and its type must not be a pointer.
func box(like any, p xunsafe.Pointer) (x any) {
	if !machine.LayoutOK {
		return xunsafe.Value(reflect.TypeOf(like), p).Interface()
	}
	*xunsafe.WordsOf(&x) = xunsafe.Words{Type: xunsafe.WordsOf(&like).Type, Data: p}
	return x
}
