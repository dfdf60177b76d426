package arenapb

import (
	"reflect"

	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// WrittenByProto says why package proto writes m's type; "" where it does not.
func WrittenByProto(m proto.Message) string { return programOf(reflect.TypeOf(m)).writerOf().why }

// Tried is m as it is written into n bytes, if it fits; bad is for package proto.
func Tried(m proto.Message, n int) (b []byte, fits, bad bool) {
	e := encoder{deterministic: true}
	b, fits = e.try(programOf(reflect.TypeOf(m)).writerOf(), xunsafe.WordsOf(&m).Data, make([]byte, n))
	return b, fits, e.bad
}

// Counted is m as it is written into as many bytes as were counted.
func Counted(m proto.Message) (b []byte, bad bool) {
	w, at := programOf(reflect.TypeOf(m)).writerOf(), xunsafe.WordsOf(&m).Data
	e := encoder{deterministic: true}
	b = make([]byte, e.size(w, at))
	e.b = b
	return b[e.message(w, at, len(b)):], e.bad
}

// IsLarge reports whether the sizes of messages of m's type are counted.
func IsLarge(m proto.Message) bool { return programOf(reflect.TypeOf(m)).writerOf().large.Load() }

// TriedWrongly writes a message by a program that does not know what it holds.
func TriedWrongly() {
	holds := new(int)
	(&encoder{}).try(&writer{unknown: none, extensions: none, fields: []outField{{op: opMessage}}}, xunsafe.PointerTo(&holds), make([]byte, 100))
}

// Scratch is how many bytes the next message may have that is written before it is counted.
func Scratch() int {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	return len(s.b)
}

// MostScratch is how large a message is written before it is counted.
func MostScratch() int { return mostScratch }

// SpareScratch is how much must be left in front of it.
const SpareScratch = spareScratch
