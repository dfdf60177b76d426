package arenapb

import (
	"reflect"

	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// WrittenByProto returns why package proto encodes m's type, or "".
func WrittenByProto(m proto.Message) string { return programOf(reflect.TypeOf(m)).writerOf().why }

// Tried encodes m into n bytes and reports whether it fits. bad means that package proto must encode it.
func Tried(m proto.Message, n int) (b []byte, fits, bad bool) {
	e := encoder{deterministic: true}
	b, fits = e.try(programOf(reflect.TypeOf(m)).writerOf(), xunsafe.WordsOf(&m).Data, make([]byte, n))
	return b, fits, e.bad
}

// Counted encodes m into a buffer of the computed size.
func Counted(m proto.Message) (b []byte, bad bool) {
	w, at := programOf(reflect.TypeOf(m)).writerOf(), xunsafe.WordsOf(&m).Data
	e := encoder{deterministic: true}
	b = make([]byte, e.size(w, at))
	e.b = b
	return b[e.message(w, at, len(b)):], e.bad
}

// IsLarge reports whether the sizes of messages of m's type are computed.
func IsLarge(m proto.Message) bool { return programOf(reflect.TypeOf(m)).writerOf().large.Load() }

// TriedWrongly encodes a message with a program for another type.
func TriedWrongly() {
	holds := new(int)
	(&encoder{}).try(&writer{unknown: none, extensions: none, fields: []outField{{op: opMessage}}}, xunsafe.PointerTo(&holds), make([]byte, 100))
}

// Scratch returns the size of the next scratch.
func Scratch() int {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	return len(s.b)
}

// MostScratch returns the maximum size of a scratch.
func MostScratch() int { return mostScratch }

// SpareScratch is the number of bytes that must stay free before a message.
const SpareScratch = spareScratch
