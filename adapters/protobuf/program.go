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

// program is how messages of one type are read: made once, and then shared.
type program struct {
	info *protoimpl.MessageInfo
	name protoreflect.FullName
	typ  reflect.Type  // the struct
	mem  *machine.Type // of it

	// short finds fields by tags of one byte, long by others. Both have an entry for
	// each wire type that the field may have. What is not a field is &other.
	short [128]*field
	long  map[uint32]*field

	all        []*field // each once, in the order of the descriptor
	required   uint64   // the bits of all required fields
	incomplete bool     // more required fields than bits

	unknown    uintptr // where unknown fields are kept, or none
	extensions uintptr // where the map of extensions is, or none
	presence   uintptr // where presence bits are, or none

	why       string // what makes package proto read this type; "" for nothing
	fallbacks atomic.Uint64

	out atomic.Pointer[writer] // how messages are written, from the first Marshal on
}

const none = ^uintptr(0)

// other stands for what is not a field of the message.
var other = &field{op: opOther}

// op is how a field is read.
type op uint8

const (
	opOther op = iota // unknown, an extension, the end of a group, or an error

	// a scalar, in the struct
	opBool
	opInt32 // also unsigned and enums
	opInt64
	opSint32
	opSint64
	opFixed32
	opFixed64
	opText   // a string that must be UTF-8
	opString // one that need not
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
	opLate // what field.marked says, where package proto may not count required fields; see late

	opMap
	opForeign // left to package proto
	opSized   // of a struct with tags: field.sized reads it

	opMarked // what field.marked says, of a field that is required or has a presence bit
)

// field is one field of a message, as it is found by one of its tags.
type field struct {
	op     op
	marked op      // see opMarked, and opLate
	scalar op      // what a list, a wrapper or a pointer has, or a map's value
	key    op      // of a map
	tagLen uint8   // in bytes
	tag    uint32  // the number and the wire type
	lead   uint32  // tag as it stands in a document, the first byte lowest
	mask   uint32  // of as many bytes
	offset uintptr // in the struct

	presence uintptr // where the word with the presence bit is in the struct, if there is a bit
	bit      uint32

	required uint64 // the bit, for a required field

	sub       *program         // of messages
	mem       *machine.Type    // of a pointer's target, a wrapper, a list's elements
	list      *machine.Type    // of the list's header, if that is behind a pointer
	maps      *machine.MapType // of a map
	wrapper   xunsafe.Pointer  // the first word of the oneof's interface
	filled    bool             // empty bytes are not nil
	elems     bool             // as filled, for the elements of a list, and for a map's values
	sized     *sized           // see opSized
	keyWire   protowire.Type   // of a map's keys
	valueWire protowire.Type   // of a map's values

	desc protoreflect.FieldDescriptor // nil in structs with tags
}

// number is the field's number.
func (f *field) number() protowire.Number { return protowire.Number(f.tag >> 3) }

var (
	programsLock sync.Mutex
	programs     = map[reflect.Type]*program{} // all, by pointer types, under the lock

	ready sync.Map // of reflect.Type to *program: those that were asked for
)

// recent is where programs are looked for first: each in the one place that the address
// of its type's descriptor picks. Types that fall into the same take turns.
var recent [recentPrograms]atomic.Pointer[recentProgram]

const recentPrograms = 1 << 8

type recentProgram struct {
	typ xunsafe.Pointer // the descriptor
	*program
}

func recentAt(typ xunsafe.Pointer) *atomic.Pointer[recentProgram] {
	n := xunsafe.Number(typ)
	return &recent[(n>>5^n>>13)%recentPrograms]
}

// programOf returns the program for messages of type t, nil if t is not a generated
// message.
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

// newProgram makes the program of t, and those that it leads to, and tries them out.
func newProgram(t reflect.Type) *program {
	programsLock.Lock()
	defer programsLock.Unlock()
	if p := programs[t]; p != nil {
		return p // which is tried already, since the lock was free
	}
	if !machine.LayoutOK {
		p := &program{typ: t, name: protoreflect.FullName(t.String()), why: "this build takes nothing for granted of the runtime"}
		programs[t] = p
		return p
	}
	c := compiler{made: map[reflect.Type]*program{}}
	p := c.program(t)
	if p == nil {
		// Neither a name nor a layout: dynamic messages, say.
		p = &program{typ: t, name: protoreflect.FullName(t.String()), why: "not a struct that protoc-gen-go generates"}
		programs[t] = p
		return p
	}
	c.finish()
	maps.Copy(programs, c.made) // whole, all of them
	return p
}

// infoOf returns what package protoimpl knows of t, a pointer type, nil if it is not the
// type of a generated message.
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
			info = nil // a method of a program's own that can't be called on nil
		}
	}()
	info, _ = m.ProtoReflect().Type().(*protoimpl.MessageInfo)
	if info == nil || info.GoReflectType != t {
		return nil
	}
	return info
}

// try runs one step of making p. Where that panics, package proto reads the type: it may
// well panic, too, and then says why.
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

// enter enters f in p's tables, once for each wire type that it may have.
func (p *program) enter(f *field) {
	fd := f.desc
	wire := wireTypeOf(fd.Kind())
	if fd.IsMap() {
		wire = protowire.BytesType
	}
	if f.op == opForeign {
		// Whatever its wire type: package proto knows which it may have.
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

// tag enters a copy of f for fields with this number and wire type, and returns it.
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

// specialize replaces f's op by the one that does the same faster.
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
