package arenapb

import (
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Clone returns a copy of m on the heap that shares no memory with m, and so may be
// kept when the arena of m is gone. proto.Clone is not enough for that: it shares the
// bytes of strings.
//
// A nil m of a message type yields a nil message of that type.
func Clone[M proto.Message](m M) M {
	c := proto.Clone(m)
	if c == nil {
		return m // a nil interface
	}
	own(c.ProtoReflect())
	return c.(M)
}

// own replaces every string in m, which is a copy made by package proto, by one with
// memory of its own.
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
	var keys []protoreflect.MapKey // a map keeps the key that it has, so the entry must go
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
