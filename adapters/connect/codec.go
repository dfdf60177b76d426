package arenaconnect

import (
	"fmt"
	"reflect"
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/internal/goroutine"
)

// codec replaces connect's codec of the same name and decodes into arenas. Structs that are no proto.Message, such as
// gogo/protobuf's messages, are decoded and encoded by the protobuf tags of their fields, or by their own methods if
// package arenapb does not support the type.
type codec struct{}

func (codec) Name() string { return "proto" }

func (c codec) Marshal(v any) ([]byte, error) { return c.MarshalAppend(nil, v) }

// MarshalAppend lets connect encode into its own buffers.
func (codec) MarshalAppend(to []byte, v any) ([]byte, error) {
	if m, ok := v.(proto.Message); ok {
		return arenapb.MarshalOptions{}.MarshalAppend(to, m)
	}
	b, err := arenapb.MarshalStruct(nil, v)
	if m, ok := v.(interface{ Marshal() ([]byte, error) }); ok && err != nil {
		b, err = m.Marshal()
	}
	return append(to, b...), err
}

func (codec) Unmarshal(data []byte, v any) error {
	var err error
	if r := reading.take(goroutine.Self()); r != nil { // for one message
		err = r.unmarshal(data, v)
	} else if m, ok := v.(proto.Message); ok {
		err = proto.Unmarshal(data, m)
	} else {
		err = unmarshal(nil, data, v)
	}
	if err != nil {
		return fmt.Errorf("unmarshal into %T: %w", v, err) // the error text of connect
	}
	return nil
}

// unmarshal decodes v into a, or onto the heap if a is nil.
func unmarshal(a *arena.Arena, data []byte, v any) error {
	if m, ok := v.(proto.Message); ok {
		return arenapb.Unmarshal(a, data, m)
	}
	err := arenapb.UnmarshalStruct(a, data, v)
	if m, ok := v.(interface{ Unmarshal([]byte) error }); ok && err != nil && refusedBy(err) == nil {
		return m.Unmarshal(data)
	}
	return err
}

// reset clears v, a message whose arena is gone.
func reset(v any) {
	if m, ok := v.(proto.Message); ok {
		proto.Reset(m)
	} else if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer && !p.IsNil() {
		p.Elem().SetZero()
	}
}

// A reader provides the arena for the next message. It is a call or a stream.
type reader interface {
	unmarshal(data []byte, v any) error
}

// reading maps goroutines that wait for a message to their readers.
var reading readers

// readers maps goroutine numbers to readers. It is divided into parts to avoid contention. Adding to and
// deleting from a small map does not allocate.
type readers [64]readersPart

type readersPart struct {
	mu sync.Mutex
	m  map[uint64]reader
	_  [112]byte // up to two cache lines
}

func (all *readers) of(self uint64) *readersPart { return &all[self*0x9E3779B97F4A7C15>>58] }

func (all *readers) put(self uint64, r reader) {
	part := all.of(self)
	part.mu.Lock()
	defer part.mu.Unlock()
	if part.m == nil {
		part.m = map[uint64]reader{}
	}
	part.m[self] = r
}

// take removes and returns the reader of self, or nil.
func (all *readers) take(self uint64) reader {
	part := all.of(self)
	part.mu.Lock()
	defer part.mu.Unlock()
	r := part.m[self]
	delete(part.m, self)
	return r
}
