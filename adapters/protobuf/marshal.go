package arenapb

import (
	"fmt"
	"reflect"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Marshal returns m in protobuf's wire format, as proto.Marshal does, in memory of a, or on
// the heap if a is nil. m may lie anywhere. Where m does not fit into what a limit leaves,
// the error is an *arena.LimitError.
//
// The types that Unmarshal knows are written here: once, into memory that all messages use in
// turn, and copied from there; larger ones than 512 KB once their sizes are counted. Nothing
// is taken from the heap, but to sort a map of more than 8 keys. Package proto writes the
// others, and messages with extensions.
//
// It is MarshalOptions{}.Marshal.
func Marshal(a *arena.Arena, m proto.Message) ([]byte, error) {
	return MarshalOptions{}.Marshal(a, m)
}

// MarshalOptions are those of package proto, with the same meaning.
type MarshalOptions struct {
	// AllowPartial writes messages whose required fields are not all set.
	AllowPartial bool

	// Deterministic sorts maps by their keys.
	Deterministic bool
}

// Marshal returns m's bytes as Marshal does, with options.
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

// MarshalAppend appends m's bytes to b, as proto.MarshalOptions.MarshalAppend does.
func (o MarshalOptions) MarshalAppend(b []byte, m proto.Message) ([]byte, error) {
	n := len(b)
	made, err := o.MarshalInto(func(size int) []byte {
		b = slices.Grow(b, size)
		return b[n : n+size]
	}, m)
	return append(b[:n], made...), err // in place, as a rule
}

// MarshalInto is Marshal into memory from take, such as a pool's buffer: take is called once,
// with the size of m in bytes, and returns as many, which may hold anything; or not at all
// for a message without any. What is returned is that memory, also with an error of required
// fields that are missing; but not for MessageSets, whose sizes package proto gets wrong.
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
		return options.Marshal(m) // which knows what is nil and what empty
	}
	options.UseCachedSize = true // nothing has changed since Size
	return options.MarshalAppend(take(size)[:0:size], m)
}
