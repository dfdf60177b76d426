package arenapb

import (
	"errors"
	"fmt"
	"reflect"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// UnmarshalStruct decodes data, one message in protobuf's wire format, into the struct that v points to, whose fields
// have protobuf tags, as the generated code of gogo/protobuf and of golang/protobuf has them:
//
//	type Sample struct {
//		Value     float64 `protobuf:"fixed64,1,opt,name=value,proto3"`
//		Timestamp int64   `protobuf:"varint,2,opt,name=timestamp,proto3"`
//	}
//
// Memory comes from a, or from the heap if a is nil; v may be anywhere. The struct is set to zero before, also if there
// is an error.
//
// A tag has the wire type (varint, zigzag32, zigzag64, fixed32, fixed64, bytes or group), the number, opt, req or rep,
// and options: packed and proto3, and gogo's customtype, stdtime and stdduration. Fields are scalars, structs, pointers,
// slices and maps of them, and oneofs. A custom type, which has the methods Size, MarshalTo and Unmarshal, is decoded by
// its Unmarshal method, whose argument is memory of a; the method's own allocations are on the heap. A struct with these
// methods is one if it has no tags of its own or the field's tag has customtype. Unknown fields are kept in a field
// XXX_unrecognized, and else dropped. Fields without a tag are ignored. A type that can't be decoded, such as one with
// extensions, is an error.
//
// The results equal those of gogo's generated code, and text need not be UTF-8. Two follow package proto instead: a known
// field with another wire type is an unknown field, also in the entries of maps, and the tags of unknown fields are
// stored in their shortest form. Numbers of 10 bytes must fit 64 bits. If the runtime's layout is unknown, a type's own
// Unmarshal method is called, and types without one are an error.
func UnmarshalStruct(a *arena.Arena, data []byte, v any) (err error) {
	m, to, err := structOf("UnmarshalStruct", v)
	if err != nil {
		return err
	}
	xunsafe.Value(m.p.typ, to).SetZero()
	if !machine.LayoutOK {
		if method, ok := v.(interface{ Unmarshal([]byte) error }); ok {
			return method.Unmarshal(data)
		}
		return fmt.Errorf("arenapb: UnmarshalStruct: unknown runtime layout for %v", m.p.typ)
	}
	if a == nil {
		a = arena.NewArena(max(256, 2*len(data)), 0) // lives as long as the message
	}
	defer func() {
		if err != nil {
			xunsafe.Value(m.p.typ, to).SetZero()
		}
	}()
	o := UnmarshalOptions{}
	found, err := o.read(a, m.p, to, data)
	if err == nil && found != nothing {
		err = errRequired
	}
	if err != nil {
		return fmt.Errorf("arenapb: UnmarshalStruct: %v: %w", m.p.typ, err)
	}
	return nil
}

// MarshalStruct encodes the struct that v points to, which has protobuf tags as for [UnmarshalStruct], into memory of a,
// or of the heap if a is nil. The bytes are those of gogo's generated code, which writes maps in any order.
//
// Scalars that are not pointers are written if they are not zero or their tags lack proto3. Required fields that are nil
// are not written.
func MarshalStruct(a *arena.Arena, v any) (b []byte, err error) {
	m, from, err := structOf("MarshalStruct", v)
	if err != nil {
		return nil, err
	}
	if !machine.LayoutOK {
		if method, ok := v.(interface{ Marshal() ([]byte, error) }); ok {
			return method.Marshal()
		}
		return nil, fmt.Errorf("arenapb: MarshalStruct: unknown runtime layout for %v", m.p.typ)
	}
	defer func() {
		switch x := recover().(type) {
		case nil:
			return
		case trouble:
			err = x.error
		case *arena.LimitError:
			err = x
		default:
			panic(x)
		}
		b, err = nil, fmt.Errorf("arenapb: MarshalStruct: %v: %w", m.p.typ, err)
	}()
	var e encoder
	if !e.write(m.w, from, func(size int) []byte { return arena.MakeSliceUninit[byte](a, size, size) }) {
		return []byte{}, nil
	}
	return e.b, nil
}

var errRequired = errors.New("required field not set")

// structMessage is the compiled decoding and encoding of a struct type.
type structMessage struct {
	p   *program
	w   *writer
	err error
}

var structMessages sync.Map // of reflect.Type, the struct, to *structMessage

// structOf returns the message of v, which must be a pointer to a struct with tags.
func structOf(function string, v any) (*structMessage, xunsafe.Pointer, error) {
	t := reflect.TypeOf(v)
	to := xunsafe.WordsOf(&v).Data
	if t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct || to == nil {
		return nil, nil, fmt.Errorf("arenapb: %s: %T, want a pointer to a struct", function, v)
	}
	known, ok := structMessages.Load(t.Elem())
	if !ok {
		c := structCompiler{made: map[reflect.Type]*structMessage{}}
		m := c.message(t.Elem())
		for _, inner := range c.made {
			if inner.err != nil && m.err == nil {
				m.err = inner.err
			}
		}
		// Store only this message: inner ones may contain a type with an error.
		known, _ = structMessages.LoadOrStore(t.Elem(), m)
	}
	m := known.(*structMessage)
	if m.err != nil {
		return nil, nil, fmt.Errorf("arenapb: %s: %w", function, m.err)
	}
	return m, to, nil
}

// sized is a field that generated messages of package proto do not have: a struct by value, a custom type, a
// time or a duration, or a list or a map of them.
type sized struct {
	shape   sizedShape
	element element
	mem     *machine.Type // of a map's values
	key     *machine.Type // of a map's keys
	mapType reflect.Type
}

type sizedShape uint8

const (
	sizedValue sizedShape = iota
	sizedList
	sizedMap
)

// read reads a run of the field f.
func (x *sized) read(d *decoder, f *field, at xunsafe.Pointer, i, end int) int {
	if f.wrapper != nil {
		at = d.wrapper(f, at)
	}
	switch x.shape {
	case sizedMap:
		return x.readMap(d, f, at, i, end)
	case sizedValue:
		from, to := d.length(i, end)
		x.element.read(d, at, from, to)
		return to
	}
	n := d.run(f, i, end)
	s := xunsafe.Cast[machine.Slice](at)
	d.reserve(f, s, n)
	for {
		from, to := d.length(i, end)
		s.Len++
		x.element.read(d, xunsafe.Add(s.Data, uintptr(s.Len-1)*f.mem.Size), from, to)
		if n--; n == 0 {
			return to
		}
		i = to + int(f.tagLen)
	}
}

// readMap reads a run of entries of a map whose values are neither scalars nor pointers to messages.
func (x *sized) readMap(d *decoder, f *field, at xunsafe.Pointer, i, end int) int {
	n := d.run(f, i, end)
	m := xunsafe.Value(x.mapType, at)
	if d.maps == nil {
		d.maps = machine.Maps(d.r)
	}
	if m.IsNil() {
		*xunsafe.Cast[xunsafe.Pointer](at) = d.maps.Take(f.maps, n)
	} else {
		d.maps.Grow(f.maps, m.Len(), m.Len()+n)
	}
	for {
		from, to := d.length(i, end)
		k, v := machine.NewOfType(d.r, x.key), machine.NewOfType(d.r, x.mem)
		for i = from; i < to; {
			tag, next := d.varint(i)
			num, wire := tag>>3, protowire.Type(tag&7)
			switch {
			case next > to || num == 0 || num > uint64(protowire.MaxValidNumber):
				fail(errDecode)
			case num == 1 && wire == f.keyWire:
				i = d.scalar(f.key, k, next, to, true)
			case num == 2 && wire == protowire.BytesType:
				from, until := d.length(next, to)
				x.element.read(d, v, from, until)
				i = until
			default:
				size := protowire.ConsumeFieldValue(protowire.Number(num), wire, d.view(next, to))
				if size < 0 {
					fail(errDecode)
				}
				i = next + size
			}
		}
		if i != to {
			fail(errDecode)
		}
		m.SetMapIndex(xunsafe.Value(x.mapType.Key(), k), xunsafe.Value(x.mapType.Elem(), v))
		if n--; n == 0 {
			return i
		}
		i += int(f.tagLen)
	}
}

// write encodes field f, whose variable is at at, so that it ends at i, and returns where it begins.
func (x *sized) write(e *encoder, f *outField, at xunsafe.Pointer, i int) int {
	switch x.shape {
	case sizedMap:
		x.entries(at, func(k, v xunsafe.Pointer) {
			end := i
			if x.element.value(v) != nil {
				i = x.element.write(e, v, i)
				i = e.varint(uint64(end-i), i)
				i--
				e.b[i] = f.valueTag
			}
			i = e.value(f.key, f.keySigns, k, i)
			i--
			e.b[i] = f.keyTag
			i = e.head(f, end-i, i)
		})
		return i
	case sizedList:
		s := xunsafe.Cast[machine.Slice](at)
		for k := s.Len - 1; k >= 0; k-- {
			end := i
			i = x.element.write(e, xunsafe.Add(s.Data, uintptr(k)*f.stride), i)
			i = e.head(f, end-i, i)
		}
		return i
	}
	if x.element.value(at) == nil {
		return i
	}
	end := i
	i = x.element.write(e, at, i)
	return e.head(f, end-i, i)
}

// size returns the encoded size of field f.
func (x *sized) size(e *encoder, f *outField, at xunsafe.Pointer) (n int) {
	tag := int(f.tagLen)
	switch x.shape {
	case sizedMap:
		x.entries(at, func(k, v xunsafe.Pointer) {
			entry := 1 + e.valueSize(f.key, f.keySigns, k)
			if x.element.value(v) != nil {
				entry += 1 + protowire.SizeBytes(x.element.size(e, v))
			}
			n += tag + protowire.SizeBytes(entry)
		})
		return n
	case sizedList:
		s := xunsafe.Cast[machine.Slice](at)
		for k := range s.Len {
			n += tag + protowire.SizeBytes(x.element.size(e, xunsafe.Add(s.Data, uintptr(k)*f.stride)))
		}
		return n
	}
	if x.element.value(at) == nil {
		return 0
	}
	return tag + protowire.SizeBytes(x.element.size(e, at))
}

// entries calls f with copies of each key and value of the map at at.
func (x *sized) entries(at xunsafe.Pointer, f func(k, v xunsafe.Pointer)) {
	m := xunsafe.Value(x.mapType, at)
	if m.Len() == 0 {
		return
	}
	k, v := reflect.New(x.mapType.Key()), reflect.New(x.mapType.Elem())
	for all := m.MapRange(); all.Next(); {
		k.Elem().SetIterKey(all)
		v.Elem().SetIterValue(all)
		f(k.UnsafePointer(), v.UnsafePointer())
	}
}
