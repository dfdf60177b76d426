package arenagrpc

import (
	"errors"
	"fmt"
	"math/bits"
	"sync"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/internal/machine"
)

// Codec returns the codec that decodes requests into the arenas of their calls; see [Wrap]. It has the name
// of gRPC's own codec, proto, and encodes and decodes all other messages like it. It may also be used by a
// client, where it does only that.
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

// open returns the content of e. It may be called once.
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
	if c := taken(v); c != nil {
		return c.unmarshal(data, v, m)
	}
	return unmarshal(nil, data, v, m)
}

// unmarshal decodes v, whose message is m, into a, or onto the heap if a is nil. It first copies data into a
// as one piece.
//
// A message of gogo/protobuf, or of the program's own, is decoded by its struct tags. If that fails, package
// proto decides.
func unmarshal(a *arena.Arena, data mem.BufferSlice, v any, m proto.Message) (err error) {
	_, generated := v.(proto.Message)
	if a == nil || !generated {
		whole := data.MaterializeToBuffer(mem.DefaultBufferPool())
		defer whole.Free()
		if a != nil {
			err := arenapb.UnmarshalStruct(a, whole.ReadOnlyData(), v)
			var over *arena.LimitError
			if err == nil || errors.As(err, &over) {
				return err
			}
		}
		return proto.Unmarshal(whole.ReadOnlyData(), m)
	}
	defer func() {
		switch x := recover().(type) {
		case nil:
		case *arena.LimitError: // the copy exceeded the limit
			err = x
		default:
			panic(x)
		}
	}()
	n := data.Len()
	b := arena.MakeSliceUninit[byte](a, n, n+16) // with room for AliasBuffer
	data.CopyTo(b)
	r := machine.Enter(a, "arenagrpc.Codec")
	b = machine.TrimBytes(r, b)
	r.Leave()
	return arenapb.UnmarshalOptions{AliasBuffer: true}.Unmarshal(a, b, m)
}

// marshal returns m's encoding, in a pooled buffer if it is large enough, because gRPC sends it after the
// call's arena was put back.
func marshal(m proto.Message) (mem.BufferSlice, error) {
	var pooled *[]byte
	var pool mem.BufferPool
	data, err := arenapb.MarshalOptions{}.MarshalInto(func(size int) []byte {
		if mem.IsBelowBufferPoolingThreshold(size) {
			return make([]byte, size)
		}
		if pool = &buffers; size > mostPooled {
			pool = mem.DefaultBufferPool()
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
	case pooled == nil || len(data) != len(*pooled): // package proto computes wrong sizes for MessageSets
		return mem.BufferSlice{mem.SliceBuffer(data)}, nil
	}
	return mem.BufferSlice{mem.NewBuffer(pooled, pool)}, nil
}

// buffers holds buffers of replies. gRPC's own buffers, which have 1 MB above 32 KB, are cleared completely
// at Get. Only bytes written by marshal are sent from these.
var buffers bufferPool

// bufferPool holds buffers by the power of two of their capacity.
type bufferPool struct {
	sizes [mostPooledBits + 1]sync.Pool // of *[]byte
}

const (
	mostPooledBits = 20
	mostPooled     = 1 << mostPooledBits
)

// Get returns n bytes with arbitrary content. n is at most mostPooled.
func (p *bufferPool) Get(n int) *[]byte {
	k := bits.Len(uint(n - 1))
	if b, ok := p.sizes[k].Get().(*[]byte); ok {
		*b = (*b)[:n]
		return b
	}
	b := make([]byte, n, 1<<k)
	return &b
}

// Put returns a buffer from Get to the pool.
func (p *bufferPool) Put(b *[]byte) { p.sizes[bits.Len(uint(cap(*b)-1))].Put(b) }

// messageOf returns v as a proto.Message of the current API, or nil.
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

// envelope is a marshaled reply.
type envelope struct {
	data mem.BufferSlice
	err  error
}
