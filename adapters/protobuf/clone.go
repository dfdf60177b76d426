package arenapb

import (
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Clone returns a copy of m on the heap that shares no memory with m, so it may be kept after the arena of m
// is reset. proto.Clone is not sufficient, because it shares the bytes of strings.
//
// If m is nil, Clone returns a nil message of its type.
func Clone[M proto.Message](m M) M {
	c := proto.Clone(m)
	if c == nil {
		return m // a nil interface
	}
	own(c.ProtoReflect())
	return c.(M)
}

// own replaces every string in m, a copy made by package proto, by a copy.
func own(m protoreflect.Message) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsMap():
			ownMap(f, v.Map())
		case f.IsList():
			ownList(f, v.List())
		case f.Kind() == protoreflect.StringKind:
			m.Set(f, protoreflect.ValueOfString(strings.Clone(v.String())))
		case f.Message() != nil:
			own(v.Message())
		}
		return true
	})
}

func ownList(f protoreflect.FieldDescriptor, l protoreflect.List) {
	for i := range l.Len() {
		switch {
		case f.Kind() == protoreflect.StringKind:
			l.Set(i, protoreflect.ValueOfString(strings.Clone(l.Get(i).String())))
		case f.Message() != nil:
			own(l.Get(i).Message())
		}
	}
}

func ownMap(f protoreflect.FieldDescriptor, m protoreflect.Map) {
	texts := f.MapKey().Kind() == protoreflect.StringKind
	var keys []protoreflect.MapKey // assigning keeps the existing key, so the entry must be deleted
	m.Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
		switch {
		case f.MapValue().Message() != nil:
			own(v.Message())
		case f.MapValue().Kind() == protoreflect.StringKind && !texts:
			m.Set(k, protoreflect.ValueOfString(strings.Clone(v.String())))
		}
		if texts {
			keys = append(keys, k)
		}
		return true
	})
	for _, k := range keys {
		v := m.Get(k)
		if f.MapValue().Kind() == protoreflect.StringKind {
			v = protoreflect.ValueOfString(strings.Clone(v.String()))
		}
		m.Clear(k)
		m.Set(protoreflect.ValueOfString(strings.Clone(k.String())).MapKey(), v)
	}
}
