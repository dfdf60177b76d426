package arenapprof

import (
	"encoding/binary"
	"runtime"
	"time"

	"github.com/ebbpool/arena/internal/live"
)

// encoder encodes a profile in the format of github.com/google/pprof/proto/profile.proto. Numbers are field
// numbers of that format.
type encoder struct {
	message
	strings   map[string]uint64
	functions map[string]uint64
	locations map[location]uint64
}

type location struct {
	pc   uintptr // also if another function is inlined there
	name string
}

func newEncoder() *encoder {
	e := &encoder{strings: map[string]uint64{}, functions: map[string]uint64{}, locations: map[location]uint64{}}
	e.string("") // the first string of every profile
	e.bytes(1, e.valueType("inuse_objects", "count"))
	e.bytes(1, e.valueType("inuse_bytes", "bytes"))
	return e
}

// profile returns the encoded profile, taken at the given time.
func (e *encoder) profile(at time.Time) []byte {
	var mapping message
	mapping.number(1, 1)
	for _, has := range []int{7, 8, 9} { // has functions, files and lines: no symbols need to be looked up
		mapping.number(has, 1)
	}
	e.bytes(3, mapping)
	e.number(9, uint64(at.UnixNano()))
	e.number(14, e.string("inuse_bytes")) // the default sample type
	return e.message
}

func (e *encoder) valueType(kind, unit string) (m message) {
	m.number(1, e.string(kind))
	m.number(2, e.string(unit))
	return m
}

// sample adds an arena.
func (e *encoder) sample(a live.Arena, l labels) {
	var m message
	frames := runtime.CallersFrames(a.Stack())
	for more := true; more; {
		var f runtime.Frame
		if f, more = frames.Next(); f.PC != 0 {
			m.number(1, e.location(f))
		}
	}
	rate := uint64(a.Rate())
	m.number(2, rate)
	m.number(2, rate*uint64(a.Bytes()))
	for _, pair := range l {
		var label message
		label.number(1, e.string(pair[0]))
		label.number(2, e.string(pair[1]))
		m.bytes(3, label)
	}
	e.bytes(2, m)
}

func (e *encoder) location(f runtime.Frame) uint64 {
	key := location{f.PC, f.Function}
	id, known := e.locations[key]
	if known {
		return id
	}
	id = uint64(len(e.locations) + 1)
	e.locations[key] = id
	var line, m message
	line.number(1, e.function(f))
	line.number(2, uint64(f.Line))
	m.number(1, id)
	m.number(2, 1)
	m.number(3, uint64(f.PC))
	m.bytes(4, line)
	e.bytes(4, m)
	return id
}

func (e *encoder) function(f runtime.Frame) uint64 {
	id, known := e.functions[f.Function]
	if known {
		return id
	}
	id = uint64(len(e.functions) + 1)
	e.functions[f.Function] = id
	var m message
	m.number(1, id)
	m.number(2, e.string(f.Function))
	m.number(4, e.string(f.File))
	e.bytes(5, m)
	return id
}

// string returns the index of s in the string table.
func (e *encoder) string(s string) uint64 {
	id, known := e.strings[s]
	if !known {
		id = uint64(len(e.strings))
		e.strings[s] = id
		e.bytes(6, []byte(s))
	}
	return id
}

// message is a message in the protobuf wire format.
type message []byte

func (m *message) number(field int, n uint64) {
	*m = binary.AppendUvarint(append(*m, byte(field<<3)), n)
}

func (m *message) bytes(field int, b []byte) {
	*m = append(binary.AppendUvarint(append(*m, byte(field<<3|2)), uint64(len(b))), b...)
}
