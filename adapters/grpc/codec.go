package arenagrpc

import (
	"errors"
	"fmt"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"

	arenapb "github.com/ebbpool/arena/adapters/protobuf"
)

// Codec returns the codec that decodes requests into the arenas of their calls: see
// Wrap. All other messages it reads and writes as gRPC's own codec does, whose name,
// proto, it has. It may be a client's codec, too, and then does just that.
func Codec() encoding.CodecV2 { return codec{} }

type codec struct{}

func (codec) Name() string { return "proto" }

func (codec) Marshal(v any) (mem.BufferSlice, error) {
	if e, ok := v.(*envelope); ok {
		return e.open()
	}
	m := messageOf(v)
	if m == nil {
		return nil, fmt.Errorf("arenagrpc: can't marshal a %T, which is no proto.Message", v)
	}
	return marshal(m)
}

// open returns what is in e, once.
func (e *envelope) open() (mem.BufferSlice, error) {
	data, err := e.data, e.err
	e.data, e.err = nil, errors.New("arenagrpc: the same reply was sent twice")
	return data, err
}

func (codec) Unmarshal(data mem.BufferSlice, v any) error {
	m := messageOf(v)
	if m == nil {
		return fmt.Errorf("arenagrpc: can't unmarshal into a %T, which is no proto.Message", v)
	}
	whole := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer whole.Free()
	if c := taken(v); c != nil {
		return c.unmarshal(whole.ReadOnlyData(), m)
	}
	return proto.Unmarshal(whole.ReadOnlyData(), m)
}

// marshal returns m's bytes, in a pooled buffer if there are enough of them: gRPC sends them
// when the call's arena is gone.
func marshal(m proto.Message) (mem.BufferSlice, error) {
	pool := mem.DefaultBufferPool()
	var pooled *[]byte
	data, err := arenapb.MarshalOptions{}.MarshalInto(func(size int) []byte {
		if mem.IsBelowBufferPoolingThreshold(size) {
			return make([]byte, size)
		}
		pooled = pool.Get(size)
		return *pooled
	}, m)
	switch {
	case err != nil && pooled != nil:
		pool.Put(pooled)
		fallthrough
	case err != nil:
		return nil, err
	case pooled == nil || len(data) != len(*pooled): // package proto gets the sizes of MessageSets wrong
		return mem.BufferSlice{mem.SliceBuffer(data)}, nil
	}
	return mem.BufferSlice{mem.NewBuffer(pooled, pool)}, nil
}

// messageOf returns v as a message of today's kind, nil if it is none.
func messageOf(v any) proto.Message {
	switch v := v.(type) {
	case proto.Message:
		return v
	case protoadapt.MessageV1:
		return protoadapt.MessageV2Of(v)
	}
	return nil
}

// as returns m, a copy of v's message, with v's type.
func as(v any, m proto.Message) any {
	if _, ok := v.(proto.Message); ok {
		return m
	}
	return protoadapt.MessageV1Of(m)
}

// envelope is a reply that has been marshalled.
type envelope struct {
	data mem.BufferSlice
	err  error
}
