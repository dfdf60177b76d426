package arenapb

import (
	"bytes"
	"fmt"
	"reflect"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// leaveOut leaves the fields of p to package proto whose message types are.
func (p *program) leaveOut() {
	leave := func(f *field) {
		if f.sub != nil && f.sub.why != "" {
			f.op = opForeign
		}
	}
	for _, f := range p.all {
		p.change(f, leave)
	}
}

// change applies how to all entries of a field, one for each wire type.
func (p *program) change(f *field, how func(*field)) {
	for _, x := range p.short {
		if x.desc == f.desc && x != other {
			how(x)
		}
	}
	for _, x := range p.long {
		if x.desc == f.desc {
			how(x)
		}
	}
}

// learn determines with package proto whether strings of f must be UTF-8, and whether empty bytes are nil.
func (p *program) learn(f *field) {
	if f.key == opString && p.refuses(f, entryOf(protowire.AppendBytes([]byte{0x0a}, []byte{0xff}))) {
		p.change(f, func(f *field) { f.key = opText })
	}
	o := f.scalar
	if o == opOther {
		o = f.op
	}
	switch {
	case o == opString:
		bad := protowire.AppendBytes(nil, []byte{0xff})
		if f.op == opMap {
			bad = entryOf(append([]byte{0x12}, bad...))
		}
		if p.refuses(f, bad) {
			p.change(f, func(f *field) {
				if f.scalar == opString {
					f.scalar = opText
				} else {
					f.op = opText
				}
			})
		}
	case o == opBytes:
		empty := []byte{0}
		if f.op == opMap {
			empty = entryOf([]byte{0x12, 0})
		}
		if m := p.read(f, empty); m != nil {
			filled := !p.hasNilBytes(f, m)
			p.change(f, func(f *field) { f.filled, f.elems = filled, filled })
		}
	}
}

// entryOf returns a map entry with its length.
func entryOf(b []byte) []byte { return protowire.AppendBytes(nil, b) }

// hasNilBytes reports whether f's bytes, which are set but empty in m, are nil.
func (p *program) hasNilBytes(f *field, m proto.Message) bool {
	r := m.ProtoReflect()
	switch v := r.Get(f.desc); f.op {
	case opList:
		return v.List().Len() == 1 && v.List().Get(0).Bytes() == nil
	case opMap:
		isNil := false
		v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
			isNil = v.Bytes() == nil
			return true
		})
		return isNil
	case opOneof:
		return v.Bytes() == nil
	default:
		return *xunsafe.Cast[[]byte](xunsafe.Add(xunsafe.WordsOf(&m).Data, f.offset)) == nil
	}
}

// document returns a document with field f; value follows its tag.
func document(f *field, value []byte) []byte {
	return append(protowire.AppendVarint(nil, uint64(f.tag)), value...)
}

// read returns package proto's result for a document with one field, or nil.
func (p *program) read(f *field, value []byte) proto.Message {
	m := reflect.New(p.typ).Interface().(proto.Message)
	if (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(document(f, value), m) != nil {
		return nil
	}
	return m
}

func (p *program) refuses(f *field, value []byte) bool { return p.read(f, value) == nil }

// tryOut decodes a document for each field and compares the message word by word with package proto's, and
// with one set by package protoreflect. So all three store values at the same places.
func (p *program) tryOut() {
	a := arena.NewArena(1<<10, 0)
	for _, f := range p.all {
		if f.op == opForeign {
			continue
		}
		for _, value := range samples(f) {
			if why := p.tryField(a, f, value); why != "" {
				p.refuse(fmt.Sprintf("field %s: %s", f.desc.Name(), why))
				return
			}
		}
	}
	if p.unknown != none {
		doc := protowire.AppendVarint(protowire.AppendTag(nil, protowire.MaxValidNumber, protowire.VarintType), 7)
		if p.info.Desc.Fields().ByNumber(protowire.MaxValidNumber) == nil {
			m := reflect.New(p.typ).Interface().(proto.Message)
			if err := p.readAll(a, doc, m); err != nil || !bytes.Equal(m.ProtoReflect().GetUnknown(), doc) {
				p.refuse("unknown fields are elsewhere")
			}
		}
	}
}

// readAll decodes doc like Unmarshal with Merge and AllowPartial.
func (p *program) readAll(a *arena.Arena, doc []byte, m proto.Message) (err error) {
	o := UnmarshalOptions{AllowPartial: true}
	_, err = o.read(a, p, xunsafe.WordsOf(&m).Data, doc)
	return err
}

func (p *program) tryField(a *arena.Arena, f *field, value []byte) string {
	doc := document(f, value)
	made, want, set := reflect.New(p.typ), reflect.New(p.typ), reflect.New(p.typ)
	m, w, s := made.Interface().(proto.Message), want.Interface().(proto.Message), set.Interface().(proto.Message)
	if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(doc, w); err != nil {
		return "" // nothing to compare with
	}
	if err := p.readAll(a, doc, m); err != nil {
		return err.Error()
	}
	w.ProtoReflect().Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		s.ProtoReflect().Set(fd, v)
		return true
	})
	for _, x := range []proto.Message{m, w, s} {
		touch(x.ProtoReflect())
		plain(reflect.ValueOf(x).Elem())
	}
	switch {
	case !reflect.DeepEqual(m, w):
		return "not as package proto reads it"
	case !reflect.DeepEqual(m, s) && w.ProtoReflect().Has(f.desc):
		return "not as package protoreflect sets it"
	case !proto.Equal(m, w):
		return "not as package protoreflect sees it"
	}
	return ""
}

// touch initializes the type pointer of each message in m, which messages otherwise do at first use.
func touch(m protoreflect.Message) {
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.IsMap() && fd.MapValue().Message() != nil:
			v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
				touch(v.Message())
				return true
			})
		case fd.IsList() && fd.Message() != nil:
			for i := range v.List().Len() {
				touch(v.List().Get(i).Message())
			}
		case fd.Message() != nil && !fd.IsMap():
			touch(v.Message())
		}
		return true
	})
}

// plain clears the race detector's data in a message of the opaque API.
func plain(v reflect.Value) {
	if f, ok := v.Type().FieldByName("XXX_raceDetectHookData"); ok {
		zero(f.Type, xunsafe.Add(v.Addr().UnsafePointer(), f.Offset))
	}
}

// samples returns encoded values of f, without a tag.
func samples(f *field) [][]byte {
	number := []byte{0xd5, 0x01} // 213
	o := f.op
	if o == opMarked || o == opLate {
		o = f.marked
	}
	switch {
	case o == opMessage || o == opOneofMessage || o == opMessages:
		return [][]byte{{0}}
	case o == opGroup || o == opOneofGroup || o == opGroups:
		return [][]byte{protowire.AppendTag(nil, f.number(), protowire.EndGroupType)}
	case o == opMap:
		entry := protowire.AppendTag(nil, 1, f.keyWire)
		entry = append(entry, scalarSample(f.key, number)...)
		entry = protowire.AppendTag(entry, 2, f.valueWire)
		return [][]byte{entryOf(append(entry, scalarSample(f.scalar, number)...))}
	case f.scalar != opOther:
		return [][]byte{scalarSample(f.scalar, number)}
	default:
		return [][]byte{scalarSample(o, number)}
	}
}

func scalarSample(o op, number []byte) []byte {
	switch o {
	case opBool:
		return []byte{1}
	case opFixed32:
		return []byte{1, 2, 3, 0x44}
	case opFixed64:
		return []byte{1, 2, 3, 4, 5, 6, 7, 0x48}
	case opText, opString, opBytes:
		return []byte{3, 'a', 'b', 'c'}
	case opMessage:
		return []byte{0}
	}
	return number
}
