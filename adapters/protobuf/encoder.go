package arenapb

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"sync"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// encoder encodes one message from its end to its beginning: the length of a nested message is known when it
// is written, because the message itself was written before. So lengths need not be computed in advance.
type encoder struct {
	b             []byte // filled from the end; nil while sizes are computed
	spare         int    // bytes to keep free for the next tag and number, if b may be too small
	deterministic bool
	bad           bool // package proto must encode it: extensions, or text that is not UTF-8
}

// scratch is a buffer for messages whose size is not known: copying the result takes a tenth of the time of
// computing the size.
type scratch struct{ b []byte }

var scratches = sync.Pool{New: func() any { return &scratch{make([]byte, 1<<10)} }}

// mostScratch is the maximum size of a scratch, in bytes. For larger messages the size is computed.
const mostScratch = 1 << 20

// spareScratch is enough for a tag and a number.
const spareScratch = 16

// write encodes the message at m into memory from take, which it calls once. It returns false, without
// calling take, if package proto must encode the message.
func (e *encoder) write(w *writer, m xunsafe.Pointer, take func(size int) []byte) bool {
	var s *scratch
	if !w.large.Load() {
		s = scratches.Get().(*scratch)
		defer scratches.Put(s)
		if made, ok := e.try(w, m, s.b); ok {
			if e.bad || len(made) == 0 {
				return false
			}
			e.b = take(len(made))[:len(made)]
			copy(e.b, made)
			return true
		}
	}
	size := e.size(w, m)
	if e.bad || size == 0 {
		return false
	}
	e.b = take(size)[:size]
	if e.message(w, m, size) != 0 {
		panic("arenapb: the message was changed while it was marshalled")
	}
	if large := 2*size > mostScratch; large != (s == nil) {
		w.large.Store(large)
	} else if !large {
		s.b = make([]byte, 2*size+spareScratch)
	}
	return true
}

// errTooSmall ends try.
var errTooSmall = errors.New("arenapb: the memory is too small")

// try encodes the message at m to the end of b, and reports whether it fits.
func (e *encoder) try(w *writer, m xunsafe.Pointer, b []byte) (made []byte, ok bool) {
	e.b, e.spare = b, spareScratch
	defer func() {
		e.b, e.spare = nil, 0
		if x := recover(); x != nil && x != any(errTooSmall) {
			panic(x)
		}
	}()
	return b[e.message(w, m, len(b)):], true
}

// room panics with errTooSmall if n bytes do not fit before i.
func (e *encoder) room(n, i int) {
	if i < n+e.spare && e.spare != 0 {
		panic(errTooSmall)
	}
}

// message encodes the message at m so that it ends at i, and returns where it begins.
func (e *encoder) message(w *writer, m xunsafe.Pointer, i int) int {
	if m == nil {
		return i
	}
	if w.unknown != none {
		if b := *xunsafe.At[[]byte](m, w.unknown); len(b) != 0 {
			i = e.raw(b, i)
		}
	}
	if w.extends(m) {
		e.bad = true
	}
	for k := len(w.fields) - 1; k >= 0; k-- {
		f, in := &w.fields[k], m
		at := xunsafe.Add(in, f.offset)
		if f.op == opOneof {
			if f, in = f.chosen(at); f == nil {
				continue
			}
			at = in
		}
		switch f.op {
		case opText, opString:
			s := *xunsafe.Cast[string](at)
			if len(s) == 0 && !f.always {
				continue
			}
			if len(s) < 0x80 && f.tagLen == 1 && f.bit == 0 {
				e.room(len(s), i)
				if f.op == opText && e.spare != 0 && !valid(s) {
					e.bad = true
				}
				i -= len(s) + 2
				to := e.b[i:]
				to[1], to[0] = byte(len(s)), f.tag[0]
				copy(to[2:], s)
				continue
			}
		case opFixed64:
			v := *xunsafe.Cast[uint64](at)
			if v == 0 && !f.always {
				continue
			}
			if f.tagLen == 1 && f.bit == 0 {
				e.room(0, i)
				i -= 9
				to := e.b[i : i+9]
				to[0] = f.tag[0]
				binary.LittleEndian.PutUint64(to[1:], v)
				continue
			}
		case opMessage:
			sub := *xunsafe.Cast[xunsafe.Pointer](at)
			if sub == nil && !f.inOneof {
				continue
			}
			end := i
			i = e.message(f.sub, sub, i)
			i = e.head(f, end-i, i)
			continue
		case opMessages:
			list := f.messagesAt(at)
			for k := len(list) - 1; k >= 0; k-- {
				end := i
				i = e.message(f.sub, list[k], i)
				i = e.head(f, end-i, i)
			}
			continue
		case opInt32, opSint32, opFixed32:
			v := *xunsafe.Cast[uint32](at)
			if v == 0 && !f.always {
				continue
			}
			if v < 0x80 && f.op == opInt32 && f.tagLen == 1 && f.bit == 0 {
				e.room(0, i)
				i -= 2
				to := e.b[i : i+2]
				to[1], to[0] = byte(v), f.tag[0]
				continue
			}
		case opInt64, opSint64:
			v := *xunsafe.Cast[uint64](at)
			if v == 0 && !f.always {
				continue
			}
			if f.op == opInt64 && f.bit == 0 {
				i = e.tag(f, e.varint(v, i))
				continue
			}
		case opBytes:
			b := *xunsafe.Cast[[]byte](at)
			if b == nil && !f.inOneof {
				continue
			}
			if n := len(b); n != 0 && n < 0x80 && f.tagLen == 1 && f.bit == 0 {
				e.room(n, i)
				i -= n + 2
				to := e.b[i:]
				to[1], to[0] = byte(n), f.tag[0]
				copy(to[2:], b)
				continue
			}
		case opMap, opOptional, opPacked, opList: // pointers, or headers that begin with one
			if *xunsafe.Cast[xunsafe.Pointer](at) == nil && !f.inOneof {
				continue
			}
		}
		i = e.field(f, in, i)
	}
	return i
}

// field is message for field f of the message, or of the wrapper, at m.
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
	case opSized:
		return f.sized.write(e, f, at, i)
	}
	if f.skips(at) {
		return i
	}
	return e.tag(f, e.value(f.op, f.signed, at, i))
}

// sub encodes a nested message with its length, or between the tags of a group.
func (e *encoder) sub(f *outField, group bool, m xunsafe.Pointer, i int) int {
	end := i
	if group {
		e.room(0, i)
		i = e.tag(f, i)
		e.b[i]++ // the end-group wire type is the start-group type plus one
		i = e.message(f.sub, m, i)
		e.room(0, i)
		return e.tag(f, i)
	}
	i = e.message(f.sub, m, i)
	return e.tag(f, e.varint(uint64(end-i), i))
}

// value encodes a scalar without its tag.
func (e *encoder) value(o op, signed bool, at xunsafe.Pointer, i int) int {
	switch e.room(0, i); o {
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
	if e.room(len(s), i); o == opText && e.spare != 0 && !valid(s) {
		e.bad = true
	}
	i -= len(s)
	copy(e.b[i:], s)
	return e.varint(uint64(len(s)), i)
}

func (e *encoder) raw(b []byte, i int) int {
	e.room(len(b), i)
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

// head encodes f's tag and the length n before i. Usually each is one byte.
func (e *encoder) head(f *outField, n, i int) int {
	if n < 0x80 && f.tagLen == 1 {
		e.room(0, i)
		i -= 2
		to := e.b[i : i+2]
		to[1], to[0] = byte(n), f.tag[0]
		return i
	}
	return e.tag(f, e.varint(uint64(n), i))
}

func (e *encoder) varint(v uint64, i int) int {
	if e.room(0, i); v < 0x80 {
		i--
		e.b[i] = byte(v)
		return i
	}
	if v < 0x4000 {
		i -= 2
		to := e.b[i : i+2]
		to[0], to[1] = byte(v)|0x80, byte(v>>7)
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
