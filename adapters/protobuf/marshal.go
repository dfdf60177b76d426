package arenapb

import (
	"fmt"
	"reflect"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Marshal returns the encoding of m, like proto.Marshal, in memory of a, or of the heap if a is nil. If a
// limit of a is exceeded, it returns a *arena.LimitError. It is short for MarshalOptions{}.Marshal.
//
// Types supported by Unmarshal are encoded once into a shared buffer and copied; for messages larger than 512
// KB the size is computed first. This does not allocate on the heap, except for sorting a map of more than 8
// keys. Other types, and messages with extensions, are encoded by package proto.
func Marshal(a *arena.Arena, m proto.Message) ([]byte, error) {
	return MarshalOptions{}.Marshal(a, m)
}

// MarshalOptions configures encoding. The options have the same meaning as in package proto.
type MarshalOptions struct {
	// AllowPartial allows messages with missing required fields.
	AllowPartial bool

	// Deterministic sorts maps by key.
	Deterministic bool
}

// Marshal is like [Marshal], with options.
func (o MarshalOptions) Marshal(a *arena.Arena, m proto.Message) (b []byte, err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case *arena.LimitError:
			b, err = nil, fmt.Errorf("arenapb: a message to be written: %w", x)
		default:
			panic(x)
		}
	}()
	return o.MarshalInto(func(size int) []byte { return arena.MakeSliceUninit[byte](a, size, size) }, m)
}

// MarshalAppend appends the encoding of m to b, like proto.MarshalOptions.MarshalAppend.
func (o MarshalOptions) MarshalAppend(b []byte, m proto.Message) ([]byte, error) {
	n := len(b)
	made, err := o.MarshalInto(func(size int) []byte {
		b = slices.Grow(b, size)
		return b[n : n+size]
	}, m)
	return append(b[:n], made...), err // usually in place
}

// MarshalInto is like Marshal with memory from take, such as a pool's buffer. It calls take once with the
// size of the encoding, and not at all if that is zero. take must return size bytes with any content.
// MarshalInto returns that memory, also if the error is a missing required field. For MessageSets, whose
// sizes package proto computes wrong, it returns other memory.
func (o MarshalOptions) MarshalInto(take func(size int) []byte, m proto.Message) ([]byte, error) {
	if t := reflect.TypeOf(m); t != nil {
		to := xunsafe.WordsOf(&m).Data
		if w := programOf(t).writerOf(); w.why == "" && to != nil {
			e := encoder{deterministic: o.Deterministic}
			if e.write(w, to, take) {
				if w.lacks && !o.AllowPartial {
					return e.b, proto.CheckInitialized(m)
				}
				return e.b, nil
			}
		}
	}
	options := proto.MarshalOptions{AllowPartial: o.AllowPartial, Deterministic: o.Deterministic}
	size := options.Size(m)
	if size == 0 {
		return options.Marshal(m) // distinguishes nil and empty
	}
	options.UseCachedSize = true // nothing has changed since Size
	return options.MarshalAppend(take(size)[:0:size], m)
}
