package arenaconnect

import (
	"fmt"
	"sync"

	"google.golang.org/protobuf/proto"

	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/internal/goroutine"
)

// codec replaces connect's codec of the same name and decodes into arenas.
type codec struct{}

func (codec) Name() string { return "proto" }

func (c codec) Marshal(v any) ([]byte, error) { return c.MarshalAppend(nil, v) }

// MarshalAppend lets connect encode into its own buffers.
func (codec) MarshalAppend(to []byte, v any) ([]byte, error) {
	m, ok := v.(proto.Message)
	if !ok {
		return nil, fmt.Errorf("arenaconnect: can't marshal a %T, which is no proto.Message", v)
	}
	return arenapb.MarshalOptions{}.MarshalAppend(to, m)
}

func (codec) Unmarshal(data []byte, v any) error {
	m, ok := v.(proto.Message)
	if !ok {
		return fmt.Errorf("arenaconnect: can't unmarshal into a %T, which is no proto.Message", v)
	}
	var err error
	if r := reading.take(goroutine.Self()); r != nil { // for one message
		err = r.unmarshal(data, m)
	} else {
		err = proto.Unmarshal(data, m)
	}
	if err != nil {
		return fmt.Errorf("unmarshal into %T: %w", v, err) // the error text of connect
	}
	return nil
}

// A reader provides the arena for the next message. It is a call or a stream.
type reader interface {
	unmarshal(data []byte, m proto.Message) error
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
