package arenapb

import (
	"bytes"
	"cmp"
	"reflect"
	"slices"
	"sync/atomic"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// writer is the compiled encoding of a message type: its fields in the order in which package proto writes
// them.
type writer struct {
	fields     []outField
	unknown    uintptr // as in a program
	extensions uintptr
	lacks      bool   // the message, or a nested one, may lack required fields
	why        string // why package proto must encode this type, or ""

	large atomic.Bool // the last message did not fit a scratch
}

// outField is a field, or a oneof with all of its fields.
type outField struct {
	op       op // opBool to opBytes: in the struct; opOptional, opOneof, opList, opPacked, opMessage(s), opGroup(s), opMap
	scalar   op
	key      op      // of a map
	always   bool    // zero is also written
	signed   bool    // 32 bits, sign-extended
	keySigns bool    // as signed, for a map's keys
	omits    bool    // nil or empty values of a map are omitted
	tagLen   uint8   // in bytes
	tag      [5]byte // encoded
	keyTag   byte    // in a map's entries
	valueTag byte
	bit      uint32 // the presence bit, if any
	presence uintptr
	offset   uintptr
	stride   uintptr // size of a list's elements
	behind   bool    // the list's header is behind a pointer
	inOneof  bool
	sub      *writer // of messages
	sized    *sized  // see opSized

	members []member // of a oneof
}

// member is a field of a oneof, and the first word of the interface that holds its wrapper.
type member struct {
	wrapper xunsafe.Pointer
	outField
}

// writerOf returns the writer of p's messages. Its why is set if package proto must encode them, because of
// any type that they contain.
func (p *program) writerOf() *writer {
	if w := p.out.Load(); w != nil {
		return w
	}
	programsLock.Lock()
	defer programsLock.Unlock()
	if w := p.out.Load(); w != nil {
		return w
	}
	made := map[*program]*writer{}
	w := newWriter(p, made)
	for _, other := range made {
		if other.why != "" && w.why == "" {
			w.why = other.why
		}
	}
	if w.why == "" {
		w.lacks = mayLack(p.info.Desc, map[protoreflect.FullName]bool{})
		p.try(func() { w.why = p.tryWriting(w) })
	}
	if p.why != "" {
		w.why = p.why
	}
	p.out.Store(w)
	return w
}

// newWriter makes the writer of p and of the types that it contains.
func newWriter(p *program, made map[*program]*writer) *writer {
	if w := made[p]; w != nil {
		return w
	}
	w := &writer{unknown: p.unknown, extensions: p.extensions, why: p.why}
	made[p] = w
	if p.why != "" {
		return w
	}
	oneofs := map[protoreflect.OneofDescriptor]int{}
	if len(p.all) < p.info.Desc.Fields().Len() {
		w.why = "fields that package proto reads"
		return w
	}
	for _, f := range writeOrder(p.all) {
		if f.op == opForeign {
			w.why = "field " + string(f.desc.Name()) + " is package proto's"
			return w
		}
		out := f.out(made)
		if f.wrapper == nil {
			w.fields = append(w.fields, out)
			continue
		}
		oneof := f.desc.ContainingOneof()
		at, ok := oneofs[oneof]
		if !ok {
			at = len(w.fields)
			oneofs[oneof] = at
			w.fields = append(w.fields, outField{op: opOneof, offset: f.offset})
		}
		out.offset, out.always, out.inOneof = 0, true, true
		w.fields[at].members = append(w.fields[at].members, member{f.wrapper, out})
	}
	return w
}

// writeOrder sorts fields like package proto: by number, oneofs last.
func writeOrder(all []*field) []*field {
	return slices.SortedFunc(slices.Values(all), func(x, y *field) int {
		index := func(f *field) int {
			if f.wrapper == nil {
				return -1
			}
			return f.desc.ContainingOneof().Index()
		}
		return cmp.Or(cmp.Compare(index(x), index(y)), cmp.Compare(x.number(), y.number()))
	})
}

// out returns the compiled encoding of f, in its struct or in its wrapper.
func (f *field) out(made map[*program]*writer) outField {
	o, fd := f.op, f.desc
	if o == opMarked || o == opLate {
		o = f.marked
	}
	wire := wireTypeOf(fd.Kind())
	if fd.IsMap() || fd.IsPacked() {
		wire = protowire.BytesType
	}
	out := outField{
		op: o, scalar: f.scalar, key: f.key, offset: f.offset, bit: f.bit, presence: f.presence,
		always: fd.HasPresence(), signed: signed(fd), behind: f.list != nil,
	}
	out.tagLen = uint8(copy(out.tag[:], protowire.AppendTag(nil, fd.Number(), wire)))
	if f.sub != nil {
		out.sub = newWriter(f.sub, made)
	}
	switch o {
	case opOneof, opOneofText:
		out.op = f.scalar
	case opOneofMessage:
		out.op = opMessage
	case opOneofGroup:
		out.op = opGroup
	case opList, opPacked:
		out.stride = f.mem.Size
		if out.op = opList; fd.IsPacked() {
			out.op = opPacked
		}
	case opMap:
		out.keyTag, out.valueTag = 1<<3|byte(f.keyWire), 2<<3|byte(f.valueWire)
		out.signed, out.keySigns = signed(fd.MapValue()), signed(fd.MapKey())
	}
	return out
}

// signed reports whether fd's numbers have a sign that is not zigzag-encoded.
func signed(fd protoreflect.FieldDescriptor) bool {
	k := fd.Kind()
	return k == protoreflect.Int32Kind || k == protoreflect.EnumKind || k == protoreflect.Int64Kind ||
		k == protoreflect.Sint32Kind || k == protoreflect.Sint64Kind || k == protoreflect.Sfixed32Kind || k == protoreflect.Sfixed64Kind
}

// tryWriting encodes a message for each field, and one with all of them. It returns how the result differs
// from that of package proto, or "".
func (p *program) tryWriting(w *writer) string {
	var all []byte
	for _, f := range p.all {
		for _, value := range samples(f) {
			doc := document(f, value)
			if why := p.tryMessage(w, doc); why != "" {
				return "field " + string(f.desc.Name()) + why
			}
			all = append(all, doc...)
		}
	}
	if why := p.tryMessage(w, all); why != "" {
		return "the message" + why
	}
	return ""
}

func (p *program) tryMessage(w *writer, doc []byte) string {
	m := reflect.New(p.typ).Interface().(proto.Message)
	if (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(doc, m) != nil {
		return ""
	}
	want, err := proto.MarshalOptions{AllowPartial: true, Deterministic: true}.Marshal(m)
	e := encoder{deterministic: true}
	made := e.write(w, xunsafe.WordsOf(&m).Data, func(n int) []byte { return make([]byte, n) })
	if err != nil || e.bad || made != (len(want) != 0) || !bytes.Equal(e.b, want) {
		return ": not as package proto writes it"
	}
	return ""
}
