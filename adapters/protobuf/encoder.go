package arenapb

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/runtime/protoimpl"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// encoder writes one message, from its end to its beginning: when the length of a message is
// to be written, that stands behind it already. So lengths are counted once, for the memory,
// and kept nowhere.
type encoder struct {
	b             []byte // filled from its end on
	a             *arena.Arena
	deterministic bool
	bad           bool // package proto must write it: extensions, or text that is not UTF-8
}

// write writes the message at m into memory of e.a. It returns false for what package proto
// must write.
func (e *encoder) write(w *writer, m xunsafe.Pointer) bool {
	size := e.size(w, m)
	if e.bad {
		return false
	}
	e.b = arena.MakeSliceUninit[byte](e.a, size, size)
	return e.message(w, m, size) == 0 && !e.bad
}

// size is how many bytes the message at m takes.
func (e *encoder) size(w *writer, m xunsafe.Pointer) int {
	if m == nil {
		return 0 // as an empty one
	}
	n := 0
	if w.unknown != none {
		n = len(*xunsafe.At[[]byte](m, w.unknown))
	}
	if w.extensions != none && len(*xunsafe.At[protoimpl.ExtensionFields](m, w.extensions)) != 0 {
		e.bad = true
	}
	for k := range w.fields {
		n += e.fieldSize(&w.fields[k], m)
	}
	return n
}

// fieldSize is how many bytes f takes, in the message or the wrapper at m.
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
		if n := len(*xunsafe.Cast[string](at)); n != 0 || f.always {
			return tag + protowire.SizeBytes(n)
		}
		return 0
	case opOptional:
		if at = *xunsafe.Cast[xunsafe.Pointer](at); at == nil {
			return 0
		}
		return tag + valueSize(f.scalar, f.signed, at)
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
		return s.Len*tag + f.listSize(s)
	case opPacked:
		if s := xunsafe.Cast[machine.Slice](at); s.Len != 0 {
			return tag + protowire.SizeBytes(f.listSize(s))
		}
		return 0
	case opMap:
		return e.mapRun(f, at, 0)
	}
	if f.skips(at) {
		return 0
	}
	return tag + valueSize(f.op, f.signed, at)
}

// chosen returns the field that the oneof at at has, and its wrapper; nil if it has none.
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

// listSize is how many bytes the elements of s take, without tags.
func (f *outField) listSize(s *machine.Slice) int {
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
		n += valueSize(f.scalar, f.signed, xunsafe.Add(s.Data, uintptr(i)*f.stride))
	}
	return n
}

// skips reports whether the number or the bytes at at are not written because they are zero.
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

// valueSize is how many bytes the scalar at at takes, without a tag.
func valueSize(o op, signed bool, at xunsafe.Pointer) int {
	switch o {
	case opBool:
		return 1
	case opFixed32:
		return 4
	case opFixed64:
		return 8
	case opText, opString:
		return protowire.SizeBytes(len(*xunsafe.Cast[string](at)))
	case opBytes:
		return protowire.SizeBytes(len(*xunsafe.Cast[[]byte](at)))
	}
	return protowire.SizeVarint(number(o, signed, at))
}

// number is what the varint at at is written as.
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

// message writes the message at m so that it ends at i, and returns where it begins.
func (e *encoder) message(w *writer, m xunsafe.Pointer, i int) int {
	if m == nil {
		return i
	}
	if w.unknown != none {
		i = e.raw(*xunsafe.At[[]byte](m, w.unknown), i)
	}
	for k := len(w.fields) - 1; k >= 0; k-- {
		i = e.field(&w.fields[k], m, i)
	}
	return i
}

// field is message for the field f of the message, or of the wrapper, at m.
func (e *encoder) field(f *outField, m xunsafe.Pointer, i int) int {
	at := xunsafe.Add(m, f.offset)
	if f.bit != 0 && *xunsafe.At[uint32](m, f.presence)&f.bit == 0 {
		return i
	}
	switch f.op {
	case opOneof:
		if f, wrapper := f.chosen(at); f != nil {
			return e.field(f, wrapper, i)
		}
		return i
	case opText, opString:
		if s := *xunsafe.Cast[string](at); len(s) != 0 || f.always {
			return e.tag(f, e.text(f.op, s, i))
		}
		return i
	case opOptional:
		if at = *xunsafe.Cast[xunsafe.Pointer](at); at == nil {
			return i
		}
		return e.tag(f, e.value(f.scalar, f.signed, at, i))
	case opMessage, opGroup:
		sub := *xunsafe.Cast[xunsafe.Pointer](at)
		if sub == nil && !f.inOneof {
			return i
		}
		return e.sub(f, f.op == opGroup, sub, i)
	case opMessages, opGroups:
		list := f.messagesAt(at)
		for k := len(list) - 1; k >= 0; k-- {
			i = e.sub(f, f.op == opGroups, list[k], i)
		}
		return i
	case opList:
		s := xunsafe.Cast[machine.Slice](at)
		for k := s.Len - 1; k >= 0; k-- {
			i = e.tag(f, e.value(f.scalar, f.signed, xunsafe.Add(s.Data, uintptr(k)*f.stride), i))
		}
		return i
	case opPacked:
		s, end := xunsafe.Cast[machine.Slice](at), i
		if s.Len == 0 {
			return i
		}
		for k := s.Len - 1; k >= 0; k-- {
			i = e.value(f.scalar, f.signed, xunsafe.Add(s.Data, uintptr(k)*f.stride), i)
		}
		return e.tag(f, e.varint(uint64(end-i), i))
	case opMap:
		return e.mapRun(f, at, i)
	}
	if f.skips(at) {
		return i
	}
	return e.tag(f, e.value(f.op, f.signed, at, i))
}

// sub writes a message in another one, with its length or between a group's two tags.
func (e *encoder) sub(f *outField, group bool, m xunsafe.Pointer, i int) int {
	end := i
	if group {
		i = e.tag(f, i)
		e.b[i]++ // the wire type of a group's end is the next one
		return e.tag(f, e.message(f.sub, m, i))
	}
	i = e.message(f.sub, m, i)
	return e.tag(f, e.varint(uint64(end-i), i))
}

// value writes a scalar without its tag.
func (e *encoder) value(o op, signed bool, at xunsafe.Pointer, i int) int {
	switch o {
	case opBool:
		i--
		e.b[i] = *xunsafe.Cast[byte](at)
		return i
	case opFixed32:
		i -= 4
		binary.LittleEndian.PutUint32(e.b[i:], *xunsafe.Cast[uint32](at))
		return i
	case opFixed64:
		i -= 8
		binary.LittleEndian.PutUint64(e.b[i:], *xunsafe.Cast[uint64](at))
		return i
	case opText, opString:
		return e.text(o, *xunsafe.Cast[string](at), i)
	case opBytes:
		b := *xunsafe.Cast[[]byte](at)
		return e.varint(uint64(len(b)), e.raw(b, i))
	}
	return e.varint(number(o, signed, at), i)
}

func (e *encoder) text(o op, s string, i int) int {
	if o == opText && !utf8.ValidString(s) {
		e.bad = true
	}
	i -= len(s)
	copy(e.b[i:], s)
	return e.varint(uint64(len(s)), i)
}

func (e *encoder) raw(b []byte, i int) int {
	i -= len(b)
	copy(e.b[i:], b)
	return i
}

func (e *encoder) tag(f *outField, i int) int {
	if f.tagLen == 1 {
		i--
		e.b[i] = f.tag[0]
		return i
	}
	return e.raw(f.tag[:f.tagLen], i)
}

func (e *encoder) varint(v uint64, i int) int {
	if v < 0x80 {
		i--
		e.b[i] = byte(v)
		return i
	}
	n := (bits.Len64(v) + 6) / 7
	i -= n
	to := e.b[i : i+n]
	for k := range to[1:] {
		to[k] = byte(v) | 0x80
		v >>= 7
	}
	to[n-1] = byte(v)
	return i
}
