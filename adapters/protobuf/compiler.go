package arenapb

import (
	"reflect"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/runtime/protoimpl"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// compiler compiles programs. programsLock is held, and programs are published when all of them are complete.
type compiler struct {
	made map[reflect.Type]*program // by pointer type
}

// program returns the program of t. It may be incomplete if t is recursive, and is nil if package proto has
// no message info for t.
func (c *compiler) program(t reflect.Type) *program {
	p := programs[t]
	if p == nil {
		p = c.made[t]
	}
	if p != nil {
		if p.info == nil {
			return nil
		}
		return p
	}
	info := infoOf(t)
	if info == nil {
		return nil
	}
	p = &program{
		info: info, name: info.Desc.FullName(), typ: t.Elem(), mem: machine.TypeOf(t.Elem()),
		long: map[uint32]*field{}, unknown: none, presence: none, extensions: none,
	}
	for i := range p.short {
		p.short[i] = other
	}
	c.made[t] = p
	p.try(func() { c.fill(p) })
	return p
}

// layout is the layout of a generated struct, as far as its fields' names and tags tell.
type layout struct {
	fields   map[protowire.Number]reflect.StructField
	oneofs   map[protoreflect.Name]reflect.StructField
	wrappers map[protowire.Number]reflect.Type
	opaque   bool
}

// layoutOf returns the layout of p's struct, and records in p the offsets of its special fields.
func layoutOf(p *program) layout {
	l := layout{map[protowire.Number]reflect.StructField{}, map[protoreflect.Name]reflect.StructField{}, map[protowire.Number]reflect.Type{}, false}
	for i := range p.typ.NumField() {
		f := p.typ.Field(i)
		if i == 0 {
			l.opaque = strings.HasPrefix(f.Tag.Get("protogen"), "opaque.")
		}
		switch f.Name {
		case "unknownFields", "XXX_unrecognized":
			if f.Type == reflect.TypeFor[protoimpl.UnknownFields]() {
				p.unknown = f.Offset
			} else {
				p.refuse("unknown fields of type " + f.Type.String())
			}
		case "extensionFields", "XXX_extensions", "XXX_InternalExtensions":
			if f.Type == reflect.TypeFor[protoimpl.ExtensionFields]() {
				p.extensions = f.Offset
			} else {
				p.refuse("extensions of type " + f.Type.String())
			}
		case "XXX_presence":
			p.presence = f.Offset
		case "lazyFields", "XXX_lazyUnmarshalInfo":
			p.refuse("fields that are decoded lazily")
		case "weakFields", "XXX_weak":
			p.refuse("weak fields")
		default:
			if n := numberIn(f); n != 0 {
				l.fields[n] = f
			} else if s := f.Tag.Get("protobuf_oneof"); s != "" {
				l.oneofs[protoreflect.Name(s)] = f
			}
		}
	}
	for _, w := range p.info.OneofWrappers {
		t := reflect.TypeOf(w).Elem()
		if t.NumField() == 1 {
			l.wrappers[numberIn(t.Field(0))] = t
		}
	}
	return l
}

// numberIn returns the field number in a struct field's tag, or 0.
func numberIn(f reflect.StructField) protowire.Number {
	for s := range strings.SplitSeq(f.Tag.Get("protobuf"), ",") {
		if n, err := strconv.ParseInt(s, 10, 32); err == nil {
			return protowire.Number(n)
		}
	}
	return 0
}

func (c *compiler) fill(p *program) {
	l := layoutOf(p)
	desc := p.info.Desc
	// desc.Options would panic in programs that do not link descriptorpb.
	if s, ok := desc.(interface{ IsMessageSet() bool }); ok && s.IsMessageSet() {
		p.refuse("a MessageSet")
	}
	fields := desc.Fields()
	var required uint
	index := uint32(0) // of the presence bit, as counted by package protoimpl
	for i := range fields.Len() {
		fd := fields.Get(i)
		f := field{op: opForeign, desc: fd}
		if fd.Cardinality() == protoreflect.Required {
			if required < 64 {
				f.required = 1 << required
				p.required |= f.required
			} else {
				p.incomplete = true
			}
			required++
		}
		oneof := fd.ContainingOneof()
		if oneof != nil && oneof.IsSynthetic() {
			oneof = nil
		}
		if oneof != nil {
			c.oneof(p, &f, l, oneof)
		} else if sf, ok := l.fields[fd.Number()]; ok {
			f.offset = sf.Offset
			c.field(p, &f, sf.Type)
			if l.opaque && fd.HasPresence() && fd.Message() == nil && p.presence != none {
				f.presence, f.bit = p.presence+uintptr(index/32)*4, 1<<(index%32)
			}
		} else {
			p.refuse("no struct field for " + string(fd.Name()))
			continue
		}
		if all := fd.ContainingOneof(); all == nil || all.Fields().Get(all.Fields().Len()-1) == fd {
			index++
		}
		p.enter(&f)
	}
}

// oneof makes f a member of a oneof, which is an interface in the struct.
func (c *compiler) oneof(p *program, f *field, l layout, oneof protoreflect.OneofDescriptor) {
	sf, ok := l.oneofs[oneof.Name()]
	w := l.wrappers[f.desc.Number()]
	if !ok || w == nil || sf.Type.Kind() != reflect.Interface || !reflect.PointerTo(w).Implements(sf.Type) {
		p.refuse("no struct field or wrapper for " + string(f.desc.Name()))
		return
	}
	f.offset = sf.Offset
	var inner field
	inner.desc = f.desc
	c.field(p, &inner, w.Field(0).Type)
	f.mem, f.sub = machine.TypeOf(w), inner.sub
	f.wrapper = firstWord(sf.Type, reflect.New(w))
	switch {
	case inner.op == opMessage:
		f.op = opOneofMessage
	case inner.op == opGroup:
		f.op = opOneofGroup
	case opBool <= inner.op && inner.op <= opBytes:
		f.op, f.scalar = opOneof, inner.op
	}
}

// scalars maps the kinds of scalars to their Go kinds and the ops that read them.
var scalars = map[protoreflect.Kind]struct {
	kind reflect.Kind
	op   op
}{
	protoreflect.BoolKind:     {reflect.Bool, opBool},
	protoreflect.EnumKind:     {reflect.Int32, opInt32},
	protoreflect.Int32Kind:    {reflect.Int32, opInt32},
	protoreflect.Uint32Kind:   {reflect.Uint32, opInt32},
	protoreflect.Int64Kind:    {reflect.Int64, opInt64},
	protoreflect.Uint64Kind:   {reflect.Uint64, opInt64},
	protoreflect.Sint32Kind:   {reflect.Int32, opSint32},
	protoreflect.Sint64Kind:   {reflect.Int64, opSint64},
	protoreflect.Fixed32Kind:  {reflect.Uint32, opFixed32},
	protoreflect.Sfixed32Kind: {reflect.Int32, opFixed32},
	protoreflect.FloatKind:    {reflect.Float32, opFixed32},
	protoreflect.Fixed64Kind:  {reflect.Uint64, opFixed64},
	protoreflect.Sfixed64Kind: {reflect.Int64, opFixed64},
	protoreflect.DoubleKind:   {reflect.Float64, opFixed64},
	protoreflect.StringKind:   {reflect.String, opString},
	protoreflect.BytesKind:    {reflect.Slice, opBytes},
}

// scalarOp returns the op that reads a scalar of fd's kind into a t, or 0.
func scalarOp(fd protoreflect.FieldDescriptor, t reflect.Type) op {
	s, ok := scalars[fd.Kind()]
	if !ok || s.kind != t.Kind() || s.op == opBytes && t.Elem().Kind() != reflect.Uint8 {
		return opOther
	}
	return s.op
}

// field makes f read into a t. Unsupported types are left to package proto.
func (c *compiler) field(p *program, f *field, t reflect.Type) {
	fd := f.desc
	group := fd.Kind() == protoreflect.GroupKind
	switch {
	case fd.IsMap():
		if t.Kind() == reflect.Map && c.mapField(f, t) {
			f.op = opMap
		}
	case fd.IsList():
		if t.Kind() == reflect.Pointer { // in the opaque API
			t = t.Elem()
			f.list = machine.TypeOf(t)
		}
		if t.Kind() != reflect.Slice {
			return
		}
		f.mem = machine.TypeOf(t.Elem())
		if fd.Message() == nil {
			if f.scalar = scalarOp(fd, t.Elem()); f.scalar != opOther && f.list == nil {
				f.op = opList
			}
		} else if f.sub = c.program(t.Elem()); f.sub != nil {
			f.op = opMessages
			if group {
				f.op = opGroups
			}
		}
	case fd.Message() != nil:
		if f.sub = c.program(t); f.sub != nil {
			f.op = opMessage
			if group {
				f.op = opGroup
			}
		}
	case t.Kind() == reflect.Pointer:
		if f.scalar = scalarOp(fd, t.Elem()); f.scalar != opOther && f.scalar != opBytes {
			f.op, f.mem = opOptional, machine.TypeOf(t.Elem())
		}
	default:
		if o := scalarOp(fd, t); o != opOther {
			f.op = o
		}
	}
}

func wireTypeOf(k protoreflect.Kind) protowire.Type {
	switch k {
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		return protowire.Fixed32Type
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		return protowire.Fixed64Type
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return protowire.BytesType
	case protoreflect.GroupKind:
		return protowire.StartGroupType
	}
	return protowire.VarintType
}

// firstWord returns the first word of an interface of type t that holds v.
func firstWord(t reflect.Type, v reflect.Value) xunsafe.Pointer {
	x := reflect.New(t)
	x.Elem().Set(v)
	return xunsafe.Cast[xunsafe.Words](x.UnsafePointer()).Type
}

// mapField makes f read into a map of type t, and reports whether such maps are supported.
func (c *compiler) mapField(f *field, t reflect.Type) bool {
	key, value := f.desc.MapKey(), f.desc.MapValue()
	if f.key = scalarOp(key, t.Key()); f.key == opOther || t.Key().PkgPath() != "" {
		return false
	}
	f.maps, f.keyWire, f.valueWire = machine.MapTypeOf(t), wireTypeOf(key.Kind()), wireTypeOf(value.Kind())
	if value.Message() != nil {
		if value.Kind() != protoreflect.MessageKind {
			return false
		}
		f.scalar, f.sub = opMessage, c.program(t.Elem())
		return f.sub != nil
	}
	f.scalar = scalarOp(value, t.Elem())
	return f.scalar != opOther
}

// finish completes the new programs: it determines how package proto treats each field, and verifies that the
// programs store the same values at the same places. If they do not, messages of the type are left to package
// proto.
func (c *compiler) finish() {
	for _, step := range []func(*program){
		func(p *program) {
			for _, f := range p.all {
				p.learn(f)
			}
		},
		func(p *program) {
			for _, f := range p.all {
				p.change(f, (*field).specialize)
			}
		},
		(*program).leaveOut,
		(*program).tryOut,
	} {
		for _, p := range c.made {
			if p.why == "" {
				p.try(func() { step(p) })
			}
		}
	}
	for _, p := range c.made {
		p.leaveOut()
	}
}
