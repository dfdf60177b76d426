package arenajson

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// The programs of what an interface holds.
var (
	floatProgram  = memoryProgram[float64]()
	textProgram   = memoryProgram[string]()
	numberProgram = memoryProgram[json.Number]()
	listProgram   = memoryProgram[[]any]()
	faceProgram   = memoryProgram[any]()
)

// memoryProgram is a program that is there for its memory alone.
func memoryProgram[T any]() *decProgram {
	t := reflect.TypeFor[T]()
	return &decProgram{typed: typedOf(t), mem: machine.TypeOf(t)}
}

// anyAt reads a value into an empty interface. One that holds a pointer is read
// through it, as encoding/json does.
func (d *decoder) anyAt(p *decProgram, to xunsafe.Pointer, i int) int {
	x := xunsafe.Cast[any](to)
	if *x != nil && reflect.TypeOf(*x).Kind() == reflect.Pointer {
		if end, ok := d.through(p, to, i); ok {
			return end
		}
	}
	v, end := d.any(i)
	if v != nil || d.at(i) == 'n' {
		*x = v // else it is a number that does not fit
	}
	return end
}

// iface reads a value into an interface with methods, which must hold a pointer to
// read it through.
func (d *decoder) iface(p *decProgram, to xunsafe.Pointer, i int) int {
	if end, ok := d.through(p, to, i); ok {
		return end
	}
	if c := d.at(i); (c == '-' || c-'0' <= 9) && !d.numbers {
		if _, end := d.float(i); end < 0 {
			return d.tooLarge(i) // which encoding/json sees first
		}
	}
	return d.null(p, to, i)
}

// maxUnder is the number of interfaces that one value, with what it is in, may be read through. Only
// a cycle has more: a document has at most maxNesting levels.
const maxUnder = 2 * maxNesting

// dynamic is the value that a pointer in an interface leads to.
type dynamic struct {
	at   int // where it begins in the document
	prog *decProgram
}

// through reads a value through the pointer in the interface at to, if encoding/json
// does: not where that is nil, and null only where it leads to a pointer again.
func (d *decoder) through(p *decProgram, to xunsafe.Pointer, i int) (end int, ok bool) {
	in := p.at(to).Elem()
	if in.Kind() != reflect.Pointer || in.IsNil() || d.at(i) == 'n' && in.Elem().Kind() != reflect.Pointer {
		return 0, false
	}
	if at := in.Elem(); at.Kind() == reflect.Interface && at.NumMethod() == 0 && at.Elem().Kind() == reflect.Pointer && at.Elem().Equal(in) {
		// An interface that holds its own address: what it holds is replaced.
		at.SetZero()
	}
	if len(d.under) == maxUnder {
		d.note(fmt.Errorf("arenajson: Unmarshal: cycle of pointers and interfaces through %v", in.Type()))
		return d.skip(i), true
	}
	behind := decProgramOf(in.Type())
	d.under = append(d.under, dynamic{i, behind})
	end = d.value(behind, in.UnsafePointer(), i)
	d.under = d.under[:len(d.under)-1]
	return end, true
}

// any reads a value as encoding/json reads one into an empty interface.
func (d *decoder) any(i int) (any, int) {
	switch c := d.at(i); c {
	case '"':
		s, end := d.str(i)
		at := d.alloc(textProgram)
		*xunsafe.Cast[string](at) = s
		return box("", at), end
	case '{':
		var m map[string]any
		end := d.anyMembers(&m, i)
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
		if d.numbers {
			end := d.number(i)
			at := d.alloc(numberProgram)
			*xunsafe.Cast[string](at) = d.text(i, end)
			return box(json.Number(""), at), end
		}
		f, end := d.float(i)
		if end < 0 {
			return nil, d.tooLarge(i)
		}
		at := d.alloc(floatProgram)
		*xunsafe.Cast[float64](at) = f
		return box(0.0, at), end
	}
	d.fail()
	return nil, 0
}

// list reads an array as []any.
func (d *decoder) list(i int) (any, int) {
	d.deeper(i)
	d.inside++
	var s machine.Slice
	n := 0
	i = d.space(i + 1)
	was := growth{at: i}
	if d.at(i) == ']' {
		s = d.emptySlice(listOfAny)
	} else {
		for {
			if n >= s.Cap {
				s.Len = n
				s = d.grow(listOfAny, s, n+1, d.expected(&was, faceProgram.size, n, i))
			}
			v, end := d.any(i)
			*xunsafe.Cast[any](xunsafe.Add(s.Data, uintptr(n)*faceProgram.size)) = v
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
			s = machine.TrimSliceOfType(d.region, faceProgram.mem, s)
		}
	}
	d.depth, d.inside = d.depth-1, d.inside-1
	at := d.alloc(listProgram)
	*xunsafe.Cast[machine.Slice](at) = s
	return box([]any(nil), at), i + 1
}

// listOfAny is the program of []any for those who make and grow one.
var listOfAny = &decProgram{typed: listProgram.typed, elem: faceProgram}

// box is an interface of like's type, which is none that an interface holds as a pointer
// itself, that holds the value at p without a copy of it (assumption A7). Nothing writes
// to the value any more.
func box(like any, p xunsafe.Pointer) (x any) {
	if !machine.LayoutOK {
		return xunsafe.Value(reflect.TypeOf(like), p).Interface()
	}
	*xunsafe.WordsOf(&x) = xunsafe.Words{Type: xunsafe.WordsOf(&like).Type, Data: p}
	return x
}
