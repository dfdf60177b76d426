package arenapb

import (
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/runtime/protoimpl"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// size returns the encoded size of the message at m.
func (e *encoder) size(w *writer, m xunsafe.Pointer) int {
	if m == nil {
		return 0 // like an empty message
	}
	n := 0
	if w.unknown != none {
		n = len(*xunsafe.At[[]byte](m, w.unknown))
	}
	if w.extends(m) {
		e.bad = true
	}
	for k := range w.fields {
		f := &w.fields[k]
		at := xunsafe.Add(m, f.offset)
		switch f.op {
		case opText, opString:
			if s := *xunsafe.Cast[string](at); len(s) == 0 && !f.always {
				continue
			} else if len(s) < 0x80 && f.bit == 0 {
				n += int(f.tagLen) + 1 + e.length(f.op, s)
				continue
			}
		case opFixed64, opInt64, opSint64:
			if *xunsafe.Cast[uint64](at) == 0 && !f.always {
				continue
			}
		case opInt32, opSint32, opFixed32:
			if *xunsafe.Cast[uint32](at) == 0 && !f.always {
				continue
			}
		case opMessage, opOneof, opMap, opMessages, opOptional, opPacked, opList:
			// pointers, or headers that begin with one
			if *xunsafe.Cast[xunsafe.Pointer](at) == nil {
				continue
			}
			if f.op == opOneof {
				var in xunsafe.Pointer
				if f, in = f.chosen(at); f != nil {
					n += e.fieldSize(f, in)
				}
				continue
			}
		}
		n += e.fieldSize(f, m)
	}
	return n
}

// fieldSize returns the encoded size of f, in the message or the wrapper at m.
func (e *encoder) fieldSize(f *outField, m xunsafe.Pointer) int {
	at, tag := xunsafe.Add(m, f.offset), int(f.tagLen)
	if f.bit != 0 && *xunsafe.At[uint32](m, f.presence)&f.bit == 0 {
		return 0
	}
	switch f.op {
	case opOneof:
		if f, wrapper := f.chosen(at); f != nil {
			return e.fieldSize(f, wrapper)
		}
		return 0
	case opText, opString:
		if s := *xunsafe.Cast[string](at); len(s) != 0 || f.always {
			return tag + protowire.SizeBytes(e.length(f.op, s))
		}
		return 0
	case opOptional:
		if at = *xunsafe.Cast[xunsafe.Pointer](at); at == nil {
			return 0
		}
		return tag + e.valueSize(f.scalar, f.signed, at)
	case opMessage, opGroup:
		sub := *xunsafe.Cast[xunsafe.Pointer](at)
		switch {
		case sub == nil && !f.inOneof:
			return 0
		case f.op == opGroup:
			return 2*tag + e.size(f.sub, sub)
		}
		return tag + protowire.SizeBytes(e.size(f.sub, sub))
	case opMessages, opGroups:
		n := 0
		for _, sub := range f.messagesAt(at) {
			if size := e.size(f.sub, sub); f.op == opGroups {
				n += 2*tag + size
			} else {
				n += tag + protowire.SizeBytes(size)
			}
		}
		return n
	case opList:
		s := xunsafe.Cast[machine.Slice](at)
		return s.Len*tag + e.listSize(f, s)
	case opPacked:
		if s := xunsafe.Cast[machine.Slice](at); s.Len != 0 {
			return tag + protowire.SizeBytes(e.listSize(f, s))
		}
		return 0
	case opMap:
		return e.mapRun(f, at, 0)
	case opSized:
		return f.sized.size(e, f, at)
	}
	if f.skips(at) {
		return 0
	}
	return tag + e.valueSize(f.op, f.signed, at)
}

// extends reports whether the message at m has extensions.
func (w *writer) extends(m xunsafe.Pointer) bool {
	return w.extensions != none && len(*xunsafe.At[protoimpl.ExtensionFields](m, w.extensions)) != 0
}

// chosen returns the field that is set in the oneof at at, and its wrapper, or nil.
func (f *outField) chosen(at xunsafe.Pointer) (*outField, xunsafe.Pointer) {
	x := xunsafe.Cast[xunsafe.Words](at)
	if x.Type == nil || x.Data == nil {
		return nil, nil
	}
	for i := range f.members {
		if f.members[i].wrapper == x.Type {
			return &f.members[i].outField, x.Data
		}
	}
	return nil, nil
}

func (f *outField) messagesAt(at xunsafe.Pointer) []xunsafe.Pointer {
	if f.behind {
		if at = *xunsafe.Cast[xunsafe.Pointer](at); at == nil {
			return nil
		}
	}
	return *xunsafe.Cast[[]xunsafe.Pointer](at)
}

// listSize returns the encoded size of the elements of s, without tags.
func (e *encoder) listSize(f *outField, s *machine.Slice) int {
	switch f.scalar {
	case opBool:
		return s.Len
	case opFixed32:
		return 4 * s.Len
	case opFixed64:
		return 8 * s.Len
	}
	n := 0
	for i := range s.Len {
		n += e.valueSize(f.scalar, f.signed, xunsafe.Add(s.Data, uintptr(i)*f.stride))
	}
	return n
}

// skips reports whether the number or the bytes at at are omitted because they are zero.
func (f *outField) skips(at xunsafe.Pointer) bool {
	switch f.op {
	case opBool:
		return !f.always && !*xunsafe.Cast[bool](at)
	case opInt32, opSint32, opFixed32:
		return !f.always && *xunsafe.Cast[uint32](at) == 0
	case opBytes:
		b := *xunsafe.Cast[[]byte](at)
		return len(b) == 0 && !(f.always && (b != nil || f.inOneof))
	}
	return !f.always && *xunsafe.Cast[uint64](at) == 0
}

// valueSize returns the encoded size of the scalar at at, without a tag.
func (e *encoder) valueSize(o op, signed bool, at xunsafe.Pointer) int {
	switch o {
	case opBool:
		return 1
	case opFixed32:
		return 4
	case opFixed64:
		return 8
	case opText, opString:
		return protowire.SizeBytes(e.length(o, *xunsafe.Cast[string](at)))
	case opBytes:
		return protowire.SizeBytes(len(*xunsafe.Cast[[]byte](at)))
	}
	return protowire.SizeVarint(number(o, signed, at))
}

// length returns the length of s, and sets e.bad if s must be UTF-8 and is not.
func (e *encoder) length(o op, s string) int {
	if o == opText && !valid(s) {
		e.bad = true
	}
	return len(s)
}

// valid reports whether s is UTF-8. It first checks for ASCII, the usual case.
func valid(s string) bool {
	const tops = 0x8080808080808080
	n, all := len(s), uint64(0)
	switch {
	case n >= 8:
		for i := 0; i < n-8; i += 8 {
			all |= xunsafe.Text64(s, i)
		}
		all |= xunsafe.Text64(s, n-8)
	case n >= 4:
		all = uint64(xunsafe.Text32(s, 0) | xunsafe.Text32(s, n-4))
	case n > 0:
		all = uint64(s[0] | s[n/2] | s[n-1])
	}
	return all&tops == 0 || utf8.ValidString(s)
}

// number returns the varint for the value at at.
func number(o op, signed bool, at xunsafe.Pointer) uint64 {
	switch o {
	case opInt32:
		if signed {
			return uint64(*xunsafe.Cast[int32](at))
		}
		return uint64(*xunsafe.Cast[uint32](at))
	case opSint32:
		return protowire.EncodeZigZag(int64(*xunsafe.Cast[int32](at)))
	case opSint64:
		return protowire.EncodeZigZag(*xunsafe.Cast[int64](at))
	}
	return *xunsafe.Cast[uint64](at)
}
