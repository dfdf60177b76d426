package arenajson

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// A decoder stores the tokens of one document in memory. Each type has a decProgram (decode_program.go); value
// is the switch over its operations. Slices and structs handle the usual operations of their elements and
// fields themselves, without a call of value. Maps are in decode_map.go; types with a text form of their own,
// methods and the option ,string are in decode_other.go.
//
// A JSON value that does not fit its variable is skipped, and the first one is recorded in wrong; the place of
// an error is computed afterwards (unmarshal.go).
type decoder struct {
	scanner
	a    *arena.Arena // nil for the heap
	left bool         // leave was called

	root    *decProgram     // of the document
	top     xunsafe.Pointer // the variable that it is stored in
	passed  reflect.Type    // the type of the pointer that was passed
	under   []dynamic       // the pointers in interfaces that are being decoded into
	inside  int             // number of open slices
	wrong   error           // the first value that does not fit its variable
	guessed bool            // the data may be a document, or only its beginning; see Decoder.line

	store   *machine.MapStore // the region's; nil before the first map
	scratch *scratch          // nil before the first map

	mode  *mode
	flags optionFlags
}

// leave and enter surround calls of code that may use the arena, because checked builds report concurrent use.
func (d *decoder) leave() {
	if check.Watched && d.a != nil && !d.left {
		d.region.Leave()
		d.left = true
	}
}

func (d *decoder) enter() {
	if check.Watched && d.a != nil {
		machine.Enter(d.a, "arenajson.Unmarshal")
		d.left = false
	}
}

// keep returns s, a part of the document, for the result. On the heap that is a copy, as encoding/json makes,
// so that a string that the program keeps does not keep the document.
func (d *decoder) keep(s string) string {
	if d.a == nil {
		return strings.Clone(s)
	}
	return s
}

// value decodes the value at i into the variable of p's type at to.
func (d *decoder) value(p *decProgram, to xunsafe.Pointer, i int) int {
	c := d.at(i)
	switch p.op {
	case readString:
		if c != '"' {
			return d.decodeNull(p, to, i)
		}
		s, end := d.str(i)
		*xunsafe.Cast[string](to) = d.keep(s)
		return end
	case readInt:
		if c != '-' && c-'0' > 9 {
			return d.decodeNull(p, to, i)
		}
		return d.integer(p, to, i)
	case readFloat64:
		if c != '-' && c-'0' > 9 {
			return d.decodeNull(p, to, i)
		}
		f, end := d.float(i)
		if end < 0 {
			return d.mismatch(p, i)
		}
		*xunsafe.Cast[float64](to) = f
		return end
	case readFloat32:
		if c != '-' && c-'0' > 9 {
			return d.decodeNull(p, to, i)
		}
		return d.float32(p, to, i)
	case readBool:
		switch {
		case c == 't' && d.has(i, "true"):
			*xunsafe.Cast[bool](to) = true
			return i + 4
		case c == 'f' && d.has(i, "false"):
			*xunsafe.Cast[bool](to) = false
			return i + 5
		}
		return d.decodeNull(p, to, i)
	case readStruct:
		if c != '{' {
			return d.decodeNull(p, to, i)
		}
		return d.structure(p, to, i)
	case readSlice:
		return d.slice(p, to, i)
	case readPointer:
		if c == 'n' {
			return d.decodeNull(p, to, i)
		}
		at := *xunsafe.Cast[xunsafe.Pointer](to)
		if at == nil {
			at = d.newValue(p.elem)
			*xunsafe.Cast[xunsafe.Pointer](to) = at
		}
		return d.value(p.elem, at, i)
	case readAny:
		return d.anyAt(p, to, i)
	case readArray:
		return d.array(p, to, i)
	case readMap, readArenaMap:
		return d.mapAt(p, to, i)
	}
	return d.decodeOther(p, to, i)
}

// decodeNull decodes null, which clears what can be nil and leaves other variables as they are. Any other value
// does not fit.
func (d *decoder) decodeNull(p *decProgram, to xunsafe.Pointer, i int) int {
	if !d.has(i, "null") {
		return d.mismatch(p, i)
	}
	p.clear(to)
	return i + 4
}

// clear stores null in the variable at to.
func (p *decProgram) clear(to xunsafe.Pointer) {
	switch p.op {
	case readPointer, readArenaMap, readMap:
		*xunsafe.Cast[xunsafe.Pointer](to) = nil
	case readSlice, readBytes:
		*xunsafe.Cast[machine.Slice](to) = machine.Slice{}
	case readAny:
		*xunsafe.Cast[any](to) = nil
	case readIface, readText, readNothing, readNoMap:
		if onV2 && p.op == readText && p.typ.Kind() != reflect.Pointer && p.typ.Kind() != reflect.Interface {
			return // v2 leaves maps and slices with UnmarshalText as they are
		}
		switch p.typ.Kind() {
		case reflect.Interface, reflect.Pointer, reflect.Map, reflect.Slice:
			xunsafe.Value(p.typ, to).SetZero() // at would make it escape
		}
	}
}

// newValue allocates a zero value of p's type.
func (d *decoder) newValue(p *decProgram) xunsafe.Pointer {
	if d.region != nil {
		return machine.NewOfType(d.region, p.mem)
	}
	return reflect.New(p.typ).UnsafePointer()
}

// integer decodes an integer, with a sign if p has one.
func (d *decoder) integer(p *decProgram, to xunsafe.Pointer, i int) int {
	from, negative := i, uint64(0)
	if d.at(i) == '-' {
		i, negative = i+1, 1
	}
	u, i := d.whole(i)
	if i < 0 || u > p.most+negative || negative > p.signed {
		return d.mismatch(p, from)
	}
	storeInt(to, p.size, (u^-negative)+negative)
	return i
}

// storeInt stores an integer of size bytes.
func storeInt(to xunsafe.Pointer, size uintptr, x uint64) {
	switch size {
	case 8:
		*xunsafe.Cast[uint64](to) = x
	case 4:
		*xunsafe.Cast[uint32](to) = uint32(x)
	case 2:
		*xunsafe.Cast[uint16](to) = uint16(x)
	default:
		*xunsafe.Cast[uint8](to) = uint8(x)
	}
}

// float32 decodes a float32.
func (d *decoder) float32(p *decProgram, to xunsafe.Pointer, i int) int {
	f, end := d.float(i)
	// A float64 halfway between two float32s may be rounded already.
	if abs := math.Abs(f); end < 0 || math.Float64bits(f)&(1<<29-1) == 1<<28 || f != 0 && abs < 0x1p-126 || abs > math.MaxFloat32 {
		end = d.number(i)
		var ok bool
		if f, ok = parseFloat(d.text(i, end), 32); !ok {
			return d.mismatch(p, i)
		}
	}
	*xunsafe.Cast[float32](to) = float32(f)
	return end
}

// slice decodes an array into a slice. Like encoding/json, it reuses elements up to the capacity.
func (d *decoder) slice(p *decProgram, to xunsafe.Pointer, i int) int {
	if d.at(i) != '[' {
		return d.decodeNull(p, to, i)
	}
	d.deeper(i)
	d.inside++
	s := *xunsafe.Cast[machine.Slice](to)
	grown, n := false, 0
	elem, size := p.elem, p.elem.size
	i = d.space(i + 1)
	was := growth{at: i}
	if d.at(i) == ']' {
		s = d.emptySlice(p)
	} else {
		for {
			if n >= s.Cap {
				old := xunsafe.Cast[machine.Slice](to).Len
				s.Len = n
				s = d.grow(p, s, n+1, d.expected(&was, size, n, i))
				grown = true
				*xunsafe.Cast[machine.Slice](to) = machine.Slice{Data: s.Data, Len: old, Cap: s.Cap} // for endSlices
			}
			at := xunsafe.Add(s.Data, uintptr(n)*size)
			switch c := d.at(i); { // the usual operations, without a call of value
			case elem.op == readInt && c-'0' <= 9:
				i = d.integer(elem, at, i)
			case elem.op == readString && c == '"':
				s, end := d.str(i)
				*xunsafe.Cast[string](at), i = d.keep(s), end
			case elem.op == readStruct && c == '{':
				i = d.structure(elem, at, i)
			case elem.op == readFloat64 && (c-'0' <= 9 || c == '-'):
				f, end := d.float(i)
				if end < 0 {
					end = d.mismatch(elem, i)
				} else {
					*xunsafe.Cast[float64](at) = f
				}
				i = end
			case elem.op == readArray:
				i = d.array(elem, at, i)
			default:
				i = d.value(elem, at, i)
			}
			n++
			i = d.space(i)
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
		if grown && d.region != nil {
			s = machine.TrimSliceOfType(d.region, elem.mem, s)
		}
	}
	*xunsafe.Cast[machine.Slice](to) = s
	d.depth, d.inside = d.depth-1, d.inside-1
	return i + 1
}

// array decodes an array into an array of Go. Excess values are skipped, and missing elements become zero.
func (d *decoder) array(p *decProgram, to xunsafe.Pointer, i int) int {
	if d.at(i) != '[' {
		return d.decodeNull(p, to, i)
	}
	d.deeper(i)
	n := 0
	if i = d.space(i + 1); d.at(i) != ']' {
		for {
			if n < p.length {
				at := xunsafe.Add(to, uintptr(n)*p.elem.size)
				if c := d.at(i); p.elem.op == readFloat64 && (c-'0' <= 9 || c == '-') { // as in slice
					f, end := d.float(i)
					if end < 0 {
						end = d.mismatch(p.elem, i)
					} else {
						*xunsafe.Cast[float64](at) = f
					}
					i = end
				} else {
					i = d.value(p.elem, at, i)
				}
				n++
			} else {
				i = d.skip(i)
			}
			i = d.space(i)
			c := d.at(i)
			if c == ']' {
				break
			}
			if c != ',' {
				d.fail()
			}
			i = d.space(i + 1)
		}
	}
	for ; n < p.length; n++ {
		p.elem.at(xunsafe.Add(to, uintptr(n)*p.elem.size)).SetZero()
	}
	d.depth--
	return i + 1
}

// structure decodes an object into a struct. It first compares each name with the next field, because most
// documents have the order of the struct.
func (d *decoder) structure(p *decProgram, to xunsafe.Pointer, i int) int {
	d.deeper(i)
	all := p.fields.all
	next := 0
	if i = d.space(i + 1); d.at(i) == '}' {
		d.depth--
		return i + 1
	}
	if d.strict {
		d.names.begin(&d.scanner)
	}
	for {
		from := i
		var f *decField
		var name string
		if next < len(all) {
			f = &all[next]
		}
		// Each comparison reads at most eight bytes after the compared ones.
		if f != nil && d.word(i)&f.mask == f.word && (f.length <= 8 || (f.length <= 16 || d.word(i+8) == f.second && (f.length <= 24 || d.has(i+16, f.middle))) && d.word(i+f.length-8) == f.tail) {
			i += f.length
			if d.strict {
				d.names.addField(&d.scanner, next, from, i)
			}
		} else {
			if d.at(i) != '"' {
				d.fail()
			}
			f = nil
			name, i = d.str(i)
			if at := p.fields.find(name, d.flags&caseSensitive != 0); at >= 0 {
				f, next = &all[at], at
			}
			if d.strict {
				if f != nil {
					d.names.addField(&d.scanner, next, from, i)
				} else {
					d.names.add(&d.scanner, from, i)
				}
			}
		}
		if d.at(i) != ':' {
			if i = d.space(i); d.at(i) != ':' {
				d.fail()
			}
		}
		if i++; d.at(i) == ' ' {
			i++
		}
		i = d.space(i)
		switch {
		case f == nil:
			if d.flags&disallowUnknownFields != 0 && d.wrong == nil {
				d.wrong = fmt.Errorf("json: unknown field %q", name)
			}
			i = d.skip(i)
		case f.op == readString && d.at(i) == '"': // as in slice
			next++
			at := xunsafe.Cast[string](xunsafe.Add(to, f.offset))
			s, end := d.str(i)
			*at, i = d.keep(s), end
		case f.op == readInt && d.at(i)-'0' <= 9:
			next++
			i = d.integer(f.prog, xunsafe.Add(to, f.offset), i)
		case f.op == readStruct && d.at(i) == '{':
			next++
			i = d.structure(f.prog, xunsafe.Add(to, f.offset), i)
		case f.op == readSlice:
			next++
			i = d.slice(f.prog, xunsafe.Add(to, f.offset), i)
		case f.plain:
			next++
			i = d.value(f.prog, xunsafe.Add(to, f.offset), i)
		default:
			next++
			i = d.field(f, to, i)
		}
		if d.at(i) <= ' ' {
			i = d.space(i)
		}
		switch d.at(i) {
		case ',':
			i = d.space(i + 1)
		case '}':
			d.depth--
			if d.strict {
				d.names.end()
			}
			return i + 1
		default:
			d.fail()
		}
	}
}

// field decodes the value of a field of the struct at to that has embedded pointers before it, or ,string.
func (d *decoder) field(f *decField, to xunsafe.Pointer, i int) int {
	for k := range f.via {
		h := &f.via[k]
		place := xunsafe.Cast[xunsafe.Pointer](xunsafe.Add(to, h.offset))
		if *place == nil {
			if h.hidden {
				if d.wrong == nil {
					d.wrong = fmt.Errorf("json: cannot set embedded pointer to unexported struct: %v", h.typ)
				}
				return d.skip(i)
			}
			*place = d.newValue(f.hops[k])
		}
		to = *place
	}
	if f.quoted {
		return d.quoted(f.prog, xunsafe.Add(to, f.offset), i)
	}
	return d.value(f.prog, xunsafe.Add(to, f.offset), i)
}

// emptySlice returns a slice of length 0 that is not nil.
func (d *decoder) emptySlice(p *decProgram) machine.Slice {
	if d.region != nil {
		return machine.MakeSliceOfType(d.region, p.elem.mem, 0, 0)
	}
	return makeOnHeap(p.typ, machine.Slice{}, 0)
}

// grow returns s with a capacity for n elements, or for expected ones if that is not 0.
func (d *decoder) grow(p *decProgram, s machine.Slice, n, expected int) machine.Slice {
	if d.region != nil {
		return machine.GrowSliceOfType(d.region, p.elem.mem, s, n, expected)
	}
	if expected == 0 {
		expected = max(4, 2*s.Cap)
	}
	return makeOnHeap(p.typ, s, max(n, expected))
}

// growth is the length of a slice when it last grew, and the index in the document then.
type growth struct{ n, at int }

// leastExpected is the size in bytes from which on slices grow to their expected length.
const leastExpected = 64 << 10

// expected returns the length that a slice of n elements will have if the rest of the document is like the
// elements since was, and a sixteenth more. It is at most 4n, or 2n within another slice. It is 0 for a small
// slice.
func (d *decoder) expected(was *growth, size uintptr, n, i int) int {
	if uintptr(n)*size < leastExpected {
		return 0
	}
	more := float64(d.n-i) * float64(n-was.n) / float64(i-was.at)
	*was = growth{n, i}
	all := float64(n) + more + more/16
	if d.inside > 1 {
		all = min(all, 2*float64(n))
	}
	for all > 4*float64(n) {
		all = max(all/4, 2*float64(n))
	}
	if all > float64(machine.MaxAlloc/size) {
		return 0
	}
	return max(int(all), n+n/4)
}

// makeOnHeap copies s, a slice of type t, to the heap with a capacity of n.
func makeOnHeap(t reflect.Type, s machine.Slice, n int) machine.Slice {
	made := reflect.MakeSlice(t, s.Len, n)
	if s.Len > 0 {
		reflect.Copy(made, xunsafe.Value(t, xunsafe.PointerTo(&s))) // s has the words of a slice (assumption A6)
	}
	return machine.Slice{Data: made.UnsafePointer(), Len: s.Len, Cap: n}
}
