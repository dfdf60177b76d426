package arenapb

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ebbpool/arena/internal/machine"
)

// structCompiler compiles programs and writers from struct tags, as compiler does from descriptors. The same
// functions execute both.
type structCompiler struct {
	made map[reflect.Type]*structMessage // by struct type
}

// message returns the message of struct type t. It may be incomplete if t is recursive.
func (c *structCompiler) message(t reflect.Type) *structMessage {
	if m := c.made[t]; m != nil {
		return m
	}
	m := &structMessage{
		p: &program{typ: t, mem: machine.TypeOf(t), long: map[uint32]*field{}, unknown: none, presence: none, extensions: none},
		w: &writer{unknown: none, extensions: none},
	}
	for i := range m.p.short {
		m.p.short[i] = other
	}
	c.made[t] = m
	if err := c.fill(m); err != nil {
		m.err = err
	}
	return m
}

// A tag is a parsed protobuf tag.
type tag struct {
	wire   string
	number protowire.Number
	label  string // opt, req or rep
	has    map[string]bool
}

func parseTag(s string) (tag, error) {
	parts := strings.Split(s, ",")
	if len(parts) < 3 {
		return tag{}, fmt.Errorf("tag %q, want wire type, number and label", s)
	}
	n, err := strconv.ParseInt(parts[1], 10, 32)
	if err != nil || !protowire.Number(n).IsValid() {
		return tag{}, fmt.Errorf("number %q in tag", parts[1])
	}
	t := tag{wire: parts[0], number: protowire.Number(n), label: parts[2], has: map[string]bool{}}
	for _, option := range parts[3:] {
		name, _, _ := strings.Cut(option, "=")
		t.has[name] = true
	}
	if t.label != "opt" && t.label != "req" && t.label != "rep" {
		return tag{}, fmt.Errorf("label %q in tag", t.label)
	}
	if _, ok := wireTypes[t.wire]; !ok {
		return tag{}, fmt.Errorf("wire type %q in tag", t.wire)
	}
	return t, nil
}

var wireTypes = map[string]protowire.Type{
	"varint": protowire.VarintType, "zigzag32": protowire.VarintType, "zigzag64": protowire.VarintType,
	"fixed32": protowire.Fixed32Type, "fixed64": protowire.Fixed64Type, "bytes": protowire.BytesType, "group": protowire.StartGroupType,
}

// structField is a field with its number, which determines the order of encoding.
type structField struct {
	number protowire.Number
	out    outField
}

func (c *structCompiler) fill(m *structMessage) error {
	p, t := m.p, m.p.typ
	if !hasTags(t) && !onlyXXX(t) {
		return fmt.Errorf("%v has no protobuf tags", t)
	}
	var fields []structField
	oneofs := map[string]reflect.StructField{}
	for i := range t.NumField() {
		sf := t.Field(i)
		switch sf.Name {
		case "XXX_unrecognized", "unknownFields":
			if sf.Type.Kind() != reflect.Slice || sf.Type.Elem().Kind() != reflect.Uint8 {
				return fmt.Errorf("%v.%s: type %v", t, sf.Name, sf.Type)
			}
			p.unknown, m.w.unknown = sf.Offset, sf.Offset
			continue
		case "XXX_extensions", "XXX_InternalExtensions", "extensionFields":
			return fmt.Errorf("%v: extensions", t)
		}
		if name, ok := sf.Tag.Lookup("protobuf_oneof"); ok {
			oneofs[name] = sf
			continue
		}
		text, ok := sf.Tag.Lookup("protobuf")
		if !ok {
			continue
		}
		f := field{offset: sf.Offset}
		out, n, err := c.field(m, &f, sf, text)
		if err != nil {
			return fmt.Errorf("%v.%s: %w", t, sf.Name, err)
		}
		out.offset = sf.Offset
		fields = append(fields, structField{n, out})
	}
	if len(oneofs) > 0 {
		more, err := c.oneofs(m, oneofs)
		if err != nil {
			return err
		}
		fields = append(fields, more...)
	}
	slices.SortStableFunc(fields, func(x, y structField) int { return cmp.Compare(x.number, y.number) })
	for i, f := range fields {
		if i > 0 && f.number == fields[i-1].number {
			return fmt.Errorf("%v: two fields with number %d", t, f.number)
		}
		m.w.fields = append(m.w.fields, f.out)
	}
	return nil
}

// oneofs adds the fields of the oneofs, whose wrappers the type's method XXX_OneofWrappers returns. A oneof
// is encoded in the place of its last field.
func (c *structCompiler) oneofs(m *structMessage, oneofs map[string]reflect.StructField) ([]structField, error) {
	t := m.p.typ
	v := reflect.New(t).Interface()
	var wrappers []any
	switch v := v.(type) {
	case interface{ XXX_OneofWrappers() []any }:
		wrappers = v.XXX_OneofWrappers()
	default:
		return nil, fmt.Errorf("%v: oneofs without a method XXX_OneofWrappers", t)
	}
	var all []structField
	for name, sf := range oneofs {
		if sf.Type.Kind() != reflect.Interface {
			return nil, fmt.Errorf("%v.%s: type %v of a oneof", t, sf.Name, sf.Type)
		}
		one := structField{out: outField{op: opOneof, offset: sf.Offset}}
		for _, x := range wrappers {
			w := reflect.TypeOf(x)
			if !w.Implements(sf.Type) || w.Kind() != reflect.Pointer || w.Elem().Kind() != reflect.Struct || w.Elem().NumField() != 1 {
				continue
			}
			in := w.Elem().Field(0)
			f := field{offset: sf.Offset, wrapper: firstWord(sf.Type, reflect.New(w.Elem()))}
			wrapped := machine.TypeOf(w.Elem())
			out, n, err := c.member(m, &f, in, wrapped)
			if err != nil {
				return nil, fmt.Errorf("%v, oneof %s: %w", t, name, err)
			}
			out.always, out.inOneof = true, true
			one.number = max(one.number, n)
			one.out.members = append(one.out.members, member{f.wrapper, out})
		}
		all = append(all, one)
	}
	return all, nil
}

// member is field for the field in of a oneof's wrapper.
func (c *structCompiler) member(m *structMessage, f *field, in reflect.StructField, wrapped *machine.Type) (outField, protowire.Number, error) {
	tag, err := parseTag(in.Tag.Get("protobuf"))
	if err != nil {
		return outField{}, 0, err
	}
	out, err := c.typed(f, tag, in)
	if err != nil {
		return outField{}, 0, err
	}
	switch {
	case f.op == opMessage:
		f.op = opOneofMessage
	case f.op == opGroup:
		f.op = opOneofGroup
	case opBool <= f.op && f.op <= opBytes:
		f.op, f.scalar = opOneof, f.op
	case f.op == opSized && f.sized.shape == sizedValue:
	default:
		return outField{}, 0, fmt.Errorf("type %v in a oneof", in.Type)
	}
	f.mem = wrapped
	out.tagLen = uint8(copy(out.tag[:], protowire.AppendTag(nil, tag.number, wireTypes[tag.wire])))
	m.p.tag(*f, tag.number, wireTypes[tag.wire])
	return out, tag.number, nil
}

// field compiles a field of a struct and adds it.
func (c *structCompiler) field(m *structMessage, f *field, sf reflect.StructField, text string) (outField, protowire.Number, error) {
	p := m.p
	tag, err := parseTag(text)
	if err != nil {
		return outField{}, 0, err
	}
	if !sf.IsExported() {
		return outField{}, 0, fmt.Errorf("not exported")
	}
	if tag.label == "req" {
		if f.required = p.required + 1; f.required == 0 {
			return outField{}, 0, fmt.Errorf("more than 64 required fields")
		}
		p.required |= f.required
	}
	out, err := c.typed(f, tag, sf)
	if err != nil {
		return outField{}, 0, err
	}
	if f.required != 0 {
		f.op, f.marked = opMarked, f.op
	}
	wire := wireTypes[tag.wire]
	if f.op == opMap || f.op == opSized {
		wire = protowire.BytesType
	}
	p.tag(*f, tag.number, wire)
	if f.op == opList && wire != protowire.BytesType {
		f.op = opPacked
		p.tag(*f, tag.number, protowire.BytesType)
	}
	if out.op == opPacked {
		wire = protowire.BytesType
	}
	out.tagLen = uint8(copy(out.tag[:], protowire.AppendTag(nil, tag.number, wire)))
	return out, tag.number, nil
}

// typed makes f read into a variable with the type and tag of sf, and returns its encoding.
func (c *structCompiler) typed(f *field, tag tag, sf reflect.StructField) (outField, error) {
	t := sf.Type
	if tag.wire == "group" {
		list := t.Kind() == reflect.Slice
		if list {
			t = t.Elem()
		}
		if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct || list != (tag.label == "rep") {
			return outField{}, fmt.Errorf("type %v for a group", sf.Type)
		}
		m := c.message(t.Elem())
		f.op, f.sub = opGroup, m.p
		if list {
			f.op, f.mem = opGroups, machine.TypeOf(t)
		}
		return outField{op: f.op, sub: m.w}, nil
	}
	if t.Kind() == reflect.Map {
		return c.mapped(f, tag, sf)
	}
	if tag.wire == "bytes" {
		if out, ok, err := c.sized(f, tag, t); ok || err != nil {
			return out, err
		}
	}
	if tag.label == "rep" {
		if t.Kind() != reflect.Slice {
			return outField{}, fmt.Errorf("type %v of a repeated field", t)
		}
		e := t.Elem()
		if f.scalar = tag.scalar(e); f.scalar == opOther {
			return outField{}, fmt.Errorf("type %v for wire type %s", t, tag.wire)
		}
		f.op, f.mem, f.elems = opList, machine.TypeOf(e), true
		out := outField{op: opList, scalar: f.scalar, stride: f.mem.Size, signed: signedKind(e.Kind())}
		if tag.has["packed"] && tag.wire != "bytes" {
			out.op = opPacked
		}
		return out, nil
	}
	if o := tag.scalar(t); o != opOther {
		f.op, f.filled = o, true
		return outField{op: o, always: !tag.has["proto3"], signed: signedKind(t.Kind())}, nil
	}
	if t.Kind() == reflect.Pointer {
		if o := tag.scalar(t.Elem()); o != opOther {
			f.op, f.scalar, f.mem, f.filled = opOptional, o, machine.TypeOf(t.Elem()), true
			return outField{op: opOptional, scalar: o, signed: signedKind(t.Elem().Kind())}, nil
		}
	}
	return outField{}, fmt.Errorf("type %v for wire type %s", t, tag.wire)
}

// sized is typed for structs, custom types, times and durations, and for pointers and slices of them. ok is false for
// other types.
func (c *structCompiler) sized(f *field, tag tag, t reflect.Type) (out outField, ok bool, err error) {
	x := &sized{}
	inner := t
	if tag.label == "rep" {
		if t.Kind() != reflect.Slice {
			return out, false, nil
		}
		inner, x.shape = t.Elem(), sizedList
	}
	if x.element, err = c.elementOf(tag, inner); x.element.kind == noElement || err != nil {
		return out, false, err
	}
	if x.element.kind == messageElement && x.element.pointer {
		f.op, f.sub = opMessage, x.element.message.p
		if x.shape == sizedList {
			f.op, f.mem = opMessages, machine.TypeOf(inner)
		}
		return outField{op: f.op, sub: x.element.message.w}, true, nil
	}
	f.op, f.sized = opSized, x
	out = outField{op: opSized, sized: x}
	if x.shape == sizedList {
		f.mem = machine.TypeOf(inner)
		out.stride = f.mem.Size
	}
	return out, true, nil
}

// elementOf returns how variables of type t, values or pointers, are decoded and encoded. Its kind is
// noElement if t is a scalar or unknown.
func (c *structCompiler) elementOf(tag tag, t reflect.Type) (x element, err error) {
	if t.Kind() == reflect.Pointer {
		x.pointer, t = true, t.Elem()
	}
	x.typ, x.mem = t, machine.TypeOf(t)
	implements := reflect.PointerTo(t).Implements(reflect.TypeFor[custom]())
	switch {
	case tag.has["wktptr"]:
		return x, fmt.Errorf("unknown option wktptr")
	case tag.has["stdtime"] && t == reflect.TypeFor[time.Time]():
		x.kind = timeElement
	case tag.has["stdduration"] && t == reflect.TypeFor[time.Duration]():
		x.kind = durationElement
	case implements && (tag.has["customtype"] || tag.scalar(t) == opOther && !hasTags(t) && (t.Kind() != reflect.Struct || t.NumField() == 0 || !onlyXXX(t))):
		x.kind = customElement
	case t.Kind() != reflect.Struct:
	case hasTags(t) || onlyXXX(t):
		x.kind, x.message = messageElement, c.message(t)
	default:
		return x, fmt.Errorf("%v has no protobuf tags", t)
	}
	return x, nil
}

// hasTags reports whether t is a struct with a field that has a protobuf tag.
func hasTags(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		if _, ok := tag.Lookup("protobuf"); ok {
			return true
		}
		if _, ok := tag.Lookup("protobuf_oneof"); ok {
			return true
		}
	}
	return false
}

// onlyXXX reports whether t has only the fields that generated code adds.
func onlyXXX(t reflect.Type) bool {
	for i := range t.NumField() {
		switch name := t.Field(i).Name; {
		case strings.HasPrefix(name, "XXX_"), name == "state", name == "sizeCache", name == "unknownFields":
		default:
			return false
		}
	}
	return true
}

// mapped is typed for maps.
func (c *structCompiler) mapped(f *field, tag tag, sf reflect.StructField) (out outField, err error) {
	t := sf.Type
	key, err := parseTag(sf.Tag.Get("protobuf_key"))
	if err != nil {
		return out, fmt.Errorf("protobuf_key: %w", err)
	}
	value, err := parseTag(sf.Tag.Get("protobuf_val"))
	if err != nil {
		return out, fmt.Errorf("protobuf_val: %w", err)
	}
	for name := range tag.has { // gogo puts options of values into the field's tag
		value.has[name] = true
	}
	f.key = key.scalar(t.Key())
	if tag.wire != "bytes" || tag.label != "rep" || f.key == opOther || f.key == opBytes || f.key >= opFixed32 && f.key <= opFixed64 && !isInteger(t.Key().Kind()) {
		return out, fmt.Errorf("type %v of a map", t)
	}
	f.maps, f.keyWire, f.valueWire, f.elems = machine.MapTypeOf(t), wireTypes[key.wire], wireTypes[value.wire], true
	out = outField{omits: true, key: f.key, keySigns: signedKind(t.Key().Kind()), signed: signedKind(t.Elem().Kind()),
		keyTag: 1<<3 | byte(f.keyWire), valueTag: 2<<3 | byte(f.valueWire)}
	if value.wire == "bytes" {
		e, err := c.elementOf(value, t.Elem())
		if err != nil {
			return out, err
		}
		if e.kind == messageElement && e.pointer {
			f.op, f.scalar, f.sub = opMap, opMessage, e.message.p
			out.op, out.scalar, out.sub = opMap, opMessage, e.message.w
			return out, nil
		}
		if e.kind != noElement {
			f.op, f.sized = opSized, &sized{shape: sizedMap, element: e, mem: machine.TypeOf(t.Elem()), key: machine.TypeOf(t.Key()), mapType: t}
			out.op, out.sized = opSized, f.sized
			return out, nil
		}
	}
	f.op = opMap
	if f.scalar = value.scalar(t.Elem()); f.scalar == opOther {
		return out, fmt.Errorf("type %v of a map", t)
	}
	out.op, out.scalar = opMap, f.scalar
	return out, nil
}

// scalar returns the op that reads a scalar of the tag's wire type into a t, or opOther.
func (tag tag) scalar(t reflect.Type) op {
	k := t.Kind()
	wide := k == reflect.Int64 || k == reflect.Uint64 || strconv.IntSize == 64 && (k == reflect.Int || k == reflect.Uint)
	narrow := !wide && (isInteger(k) && k != reflect.Int8 && k != reflect.Int16 && k != reflect.Uint8 && k != reflect.Uint16)
	switch {
	case tag.wire == "varint" && k == reflect.Bool:
		return opBool
	case tag.wire == "varint" && wide:
		return opInt64
	case tag.wire == "varint" && narrow:
		return opInt32
	case tag.wire == "zigzag32" && narrow && signedKind(k):
		return opSint32
	case tag.wire == "zigzag64" && wide && signedKind(k):
		return opSint64
	case tag.wire == "fixed32" && (narrow || k == reflect.Float32):
		return opFixed32
	case tag.wire == "fixed64" && (wide || k == reflect.Float64):
		return opFixed64
	case tag.wire == "bytes" && k == reflect.String:
		return opString
	case tag.wire == "bytes" && k == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return opBytes
	}
	return opOther
}

func isInteger(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Uint64 }

func signedKind(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Int64 }
