package arenapb

import (
	"fmt"
	"reflect"

	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Marshal returns m in protobuf's wire format, as proto.Marshal does, in memory of a, or on
// the heap if a is nil. m may lie anywhere. Where m does not fit into what a limit leaves,
// the error is an *arena.LimitError.
//
// The types that Unmarshal knows are written here, once, into memory of the right size, and
// nothing is taken from the heap; but sorting a large map's keys takes memory of a. Package
// proto writes the others, and messages with extensions.
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
	if t := reflect.TypeOf(m); t != nil {
		p := programOf(t)
		to := xunsafe.WordsOf(&m).Data
		if w := p.writerOf(); w.why == "" && to != nil {
			e := encoder{a: a, deterministic: o.Deterministic}
			if e.write(w, to) && len(e.b) != 0 {
				if w.lacks && !o.AllowPartial {
					err = proto.CheckInitialized(m)
				}
				return e.b, err
			}
		}
	}
	return o.plain(a, m)
}

// plain is Marshal by package proto.
func (o MarshalOptions) plain(a *arena.Arena, m proto.Message) ([]byte, error) {
	options := proto.MarshalOptions{AllowPartial: o.AllowPartial, Deterministic: o.Deterministic}
	size := options.Size(m)
	if a == nil || size == 0 {
		return options.Marshal(m) // which knows what is nil and what empty
	}
	options.UseCachedSize = true // nothing has changed since Size
	return options.MarshalAppend(arena.MakeSliceUninit[byte](a, 0, size), m)
}
