package arenapb

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena"
)

// Marshal returns m in protobuf's wire format, as proto.Marshal does, in memory of a, or on
// the heap if a is nil. m may lie anywhere. Where m does not fit into what a limit leaves,
// the error is an *arena.LimitError.
//
// Package proto writes it, at its speed: once, into memory of the right size. On the heap is
// only what package proto needs for maps and extensions.
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
	options := proto.MarshalOptions{AllowPartial: o.AllowPartial, Deterministic: o.Deterministic}
	size := options.Size(m)
	if a == nil || size == 0 {
		return options.Marshal(m) // which knows what is nil and what empty
	}
	defer func() {
		switch x := recover().(type) {
		case nil:
		case *arena.LimitError:
			b, err = nil, fmt.Errorf("arenapb: a message of %d bytes: %w", size, x)
		default:
			panic(x)
		}
	}()
	options.UseCachedSize = true // nothing has changed since Size
	return options.MarshalAppend(arena.MakeSliceUninit[byte](a, 0, size), m)
}
