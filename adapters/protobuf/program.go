package arenapb

import (
	"fmt"
	"maps"
	"reflect"
	"sync"
	"sync/atomic"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/runtime/protoimpl"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// program is the compiled decoding of a message type. It is immutable and shared.
type program struct {
	info *protoimpl.MessageInfo
	name protoreflect.FullName
	typ  reflect.Type  // the struct
	mem  *machine.Type // of the struct

	// short maps tags of one byte to fields, long all other tags. Both have an entry for each wire type that
	// a field may have. Tags that are not of a field map to other.
	short [128]*field
	long  map[uint32]*field

	all        []*field // each field once, in the order of the descriptor
	required   uint64   // bits of all required fields
	incomplete bool     // more required fields than bits

	unknown    uintptr // offset of the unknown fields, or none
	extensions uintptr // offset of the map of extensions, or none
	presence   uintptr // offset of the presence bits, or none

	why       string // why package proto decodes this type, or ""
	fallbacks atomic.Uint64

	out atomic.Pointer[writer] // the compiled encoding, made at the first Marshal
}

const none = ^uintptr(0)

// other is the entry for tags that are not of a field.
var other = &field{op: opOther}

// op is the operation that reads a field.
type op uint8

const (
	opOther op = iota // unknown, an extension, the end of a group, or an error

	// a scalar, in the struct
	opBool
	opInt32 // also unsigned integers and enums
	opInt64
	opSint32
	opSint64
	opFixed32
	opFixed64
	opText   // a string that must be UTF-8
	opString // a string that may be invalid UTF-8
	opBytes

	opOptional // a scalar behind a pointer
	opOneof    // a scalar in a oneof's wrapper
	opOneofText
	opList // scalars, each with a tag
	opPacked

	opMessage
	opOneofMessage
	opMessages
	opGroup // opMessage, opOneofMessage, opMessages as a group
	opOneofGroup
	opGroups
	opLate // field.marked, if package proto may not count missing required fields; see late

	opMap
	opForeign // left to package proto
	opSized   // read by field.sized, in structs with tags

	opMarked // field.marked, for a field that is required or has a presence bit
)

// field is one field of a message, for one of its tags.
type field struct {
	op     op
	marked op      // see opMarked and opLate
	scalar op      // the element of a list, wrapper or pointer, or a map's value
	key    op      // of a map
	tagLen uint8   // in bytes
	tag    uint32  // number and wire type
	lead   uint32  // the encoded tag as a little-endian word
	mask   uint32  // of tagLen bytes
	offset uintptr // in the struct

	presence uintptr // offset of the word with the presence bit, if any
	bit      uint32

	required uint64 // the bit of a required field

	sub       *program         // of messages
	mem       *machine.Type    // of a pointer's target, a wrapper, or a list's elements
	list      *machine.Type    // of the list's header, if it is behind a pointer
	maps      *machine.MapType // of a map
	wrapper   xunsafe.Pointer  // first word of the oneof's interface
	filled    bool             // empty bytes are not nil
	elems     bool             // as filled, for the elements of a list or a map's values
	sized     *sized           // see opSized
	keyWire   protowire.Type   // of a map's keys
	valueWire protowire.Type   // of a map's values

	desc protoreflect.FieldDescriptor // nil in structs with tags
}

// number returns the field number.
func (f *field) number() protowire.Number { return protowire.Number(f.tag >> 3) }

var (
	programsLock sync.Mutex
	programs     = map[reflect.Type]*program{} // all programs by pointer type, guarded by programsLock

	ready sync.Map // of reflect.Type to *program, for types used directly
)

// recent is a cache indexed by the address of the type descriptor. Types with the same index replace each
// other.
var recent [recentPrograms]atomic.Pointer[recentProgram]

const recentPrograms = 1 << 8

type recentProgram struct {
	typ xunsafe.Pointer // type descriptor
	*program
}

func recentAt(typ xunsafe.Pointer) *atomic.Pointer[recentProgram] {
	n := xunsafe.Number(typ)
	return &recent[(n>>5^n>>13)%recentPrograms]
}

// programOf returns the program for messages of type t, or nil if t is not a generated message.
func programOf(t reflect.Type) *program {
	word := xunsafe.WordsOf(&t).Data
	place := recentAt(word)
	if x := place.Load(); x != nil && x.typ == word {
		return x.program
	}
	known, ok := ready.Load(t)
	if !ok {
		known, _ = ready.LoadOrStore(t, newProgram(t))
	}
	p := known.(*program)
	place.Store(&recentProgram{word, p})
	return p
}

// newProgram compiles and verifies the program of t and those of the types that it contains.
func newProgram(t reflect.Type) *program {
	programsLock.Lock()
	defer programsLock.Unlock()
	if p := programs[t]; p != nil {
		return p // verified, because the lock was free
	}
	if !machine.LayoutOK {
		p := &program{typ: t, name: protoreflect.FullName(t.String()), why: "this build takes nothing for granted of the runtime"}
		programs[t] = p
		return p
	}
	c := compiler{made: map[reflect.Type]*program{}}
	p := c.program(t)
	if p == nil {
		// Neither a name nor a layout, as of a dynamic message.
		p = &program{typ: t, name: protoreflect.FullName(t.String()), why: "not a struct that protoc-gen-go generates"}
		programs[t] = p
		return p
	}
	c.finish()
	maps.Copy(programs, c.made) // all of them are complete
	return p
}

// infoOf returns protoimpl's description of t, a pointer type, or nil if t is not a generated message.
func infoOf(t reflect.Type) (info *protoimpl.MessageInfo) {
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return nil
	}
	m, ok := reflect.Zero(t).Interface().(proto.Message)
	if !ok {
		return nil
	}
	defer func() {
		if recover() != nil {
			info = nil // a method of the program that does not accept nil
		}
	}()
	info, _ = m.ProtoReflect().Type().(*protoimpl.MessageInfo)
	if info == nil || info.GoReflectType != t {
		return nil
	}
	return info
}

// try runs one step of compiling p. If it panics, package proto decodes the type; it may also panic, with a
// better message.
func (p *program) try(step func()) {
	defer func() {
		if x := recover(); x != nil {
			p.refuse(fmt.Sprint("making its program panics: ", x))
		}
	}()
	step()
}

// refuse leaves all messages of p's type to package proto.
func (p *program) refuse(why string) {
	if p.why == "" {
		p.why = why
	}
}

// enter adds f to p's tables, once for each wire type that it may have.
func (p *program) enter(f *field) {
	fd := f.desc
	wire := wireTypeOf(fd.Kind())
	if fd.IsMap() {
		wire = protowire.BytesType
	}
	if f.op == opForeign {
		// For any wire type: package proto checks it.
		for w := range protowire.Type(6) {
			if w != protowire.EndGroupType {
				p.tag(*f, fd.Number(), w)
			}
		}
		return
	}
	p.all = append(p.all, p.tag(*f, fd.Number(), wire))
	if fd.IsList() && wire != protowire.BytesType && wire != protowire.StartGroupType {
		f.op = opPacked
		p.tag(*f, fd.Number(), protowire.BytesType)
	}
}

// tag adds a copy of f for fields with this number and wire type, and returns it.
func (p *program) tag(f field, number protowire.Number, w protowire.Type) *field {
	tag := protowire.EncodeTag(number, w)
	f.tag = uint32(tag)
	lead := protowire.AppendVarint(nil, tag)
	f.tagLen = uint8(len(lead))
	for i, b := range lead[:min(4, len(lead))] {
		f.lead |= uint32(b) << (8 * i)
		f.mask |= 0xff << (8 * i)
	}
	if tag < uint64(len(p.short)) {
		p.short[tag] = &f
	} else {
		p.long[f.tag] = &f
	}
	return &f
}

// isMap reports whether field num of p, a generated message, is a map.
func (p *program) isMap(num protowire.Number) bool {
	if p.info == nil {
		return false
	}
	fd := p.info.Desc.Fields().ByNumber(num)
	return fd != nil && fd.IsMap()
}

// specialize replaces f's op by a faster equivalent.
func (f *field) specialize() {
	if f.op == opOneof && f.scalar == opText {
		f.op = opOneofText
	}
	if (f.required != 0 || f.bit != 0) && f.op != opForeign {
		f.op, f.marked = opMarked, f.op
	}
	if f.op == opOneofMessage || f.op == opOneofGroup {
		first := f.desc.ContainingOneof().Fields().Get(0)
		if f.desc != first && mayLack(f.desc.Message(), map[protoreflect.FullName]bool{}) {
			f.op, f.marked = opLate, f.op
		}
	}
}
