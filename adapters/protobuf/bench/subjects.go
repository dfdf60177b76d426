// Package bench compares arenapb with package proto, vtprotobuf and hyperpb, for the tables of
// docs/generated/protobuf.md: make bench-codecs. vtprotobuf's code is generated first.
package bench

import (
	"bytes"
	"reflect"

	"buf.build/go/hyperpb"
	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/arenareflect"
)

// subject is a way to decode a document: read returns a message equal to that of package proto, and done
// releases it.
type subject struct {
	name string
	read func() proto.Message
	done func()
}

const (
	ours = "arenapb"

	chunkSize   = 64 << 10
	maxRetained = 4 << 20
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// writer is a way to encode a document. The result is valid until the next call.
type writer struct {
	name  string
	write func() []byte
}

// writers returns the ways to encode d. The others are compared with the first one.
func writers(d document) []writer {
	a := arena.NewArena(chunkSize, maxRetained)
	all := []writer{
		{ours, func() []byte {
			a.Reset()
			b, err := arenapb.Marshal(a, d.kind)
			must(err)
			return b
		}},
		{"proto.Marshal", func() []byte {
			b, err := proto.Marshal(d.kind)
			must(err)
			return b
		}},
	}
	if s, ok := pooled(d, func() []byte { return d.bytes }); ok {
		m := s.read().(interface{ MarshalVT() ([]byte, error) })
		all = append(all, writer{"MarshalVT", func() []byte {
			b, err := m.MarshalVT()
			must(err)
			return b
		}})
	}
	return all
}

// subjects returns the ways to decode d. The others are compared with the first one.
func subjects(d document) []subject {
	all := []subject{warm(d, arena.NewArenaPool(chunkSize, maxRetained)), cold(d), plain(d)}
	return append(all, sharing(d, func() []byte { return d.bytes })...)
}

// bodies returns the ways to decode d from a body that is read first, of the codecs that alias the body.
func bodies(d document) []subject {
	return append([]subject{reading(d)}, sharing(d, bodyOf(d))...)
}

// sharing returns the other codecs that alias the body.
func sharing(d document, body func() []byte) []subject {
	all := []subject{profiled(d, body)}
	if s, ok := pooled(d, body); ok {
		all = append(all, s)
	}
	return all
}

// warm uses an arena from a pool.
func warm(d document, pool *arena.ArenaPool) subject {
	t := reflect.TypeOf(d.kind).Elem()
	var a *arena.Arena
	return subject{ours, func() proto.Message {
		a = pool.Get()
		m := arenareflect.New(a, t).Interface().(proto.Message)
		must(arenapb.Unmarshal(a, d.bytes, m))
		return m
	}, func() { pool.Put(a) }}
}

// reading is warm with a body that is first read into the arena and aliased by the message.
func reading(d document) subject {
	t := reflect.TypeOf(d.kind).Elem()
	pool := arena.NewArenaPool(chunkSize, maxRetained)
	var a *arena.Arena
	return subject{ours, func() proto.Message {
		a = pool.Get()
		body, err := arena.ReadAll(a, bytes.NewReader(d.bytes))
		must(err)
		m := arenareflect.New(a, t).Interface().(proto.Message)
		must(arenapb.UnmarshalOptions{AliasBuffer: true}.Unmarshal(a, body, m))
		return m
	}, func() { pool.Put(a) }}
}

// bodyOf returns a function that reads d into the same buffer each time.
func bodyOf(d document) func() []byte {
	var b bytes.Buffer
	return func() []byte {
		b.Reset()
		_, err := b.ReadFrom(bytes.NewReader(d.bytes))
		must(err)
		return b.Bytes()
	}
}

// cold uses a new arena for each message.
func cold(d document) subject {
	t := reflect.TypeOf(d.kind).Elem()
	return subject{"a new arena", func() proto.Message {
		a := arena.NewArena(chunkSize, maxRetained)
		m := arenareflect.New(a, t).Interface().(proto.Message)
		must(arenapb.Unmarshal(a, d.bytes, m))
		return m
	}, func() {}}
}

func plain(d document) subject {
	t := reflect.TypeOf(d.kind).Elem()
	return subject{"proto.Unmarshal", func() proto.Message {
		m := reflect.New(t).Interface().(proto.Message)
		must(proto.Unmarshal(d.bytes, m))
		return m
	}, func() {}}
}

// profiled is hyperpb at its best: compiled with a profile of the same document, aliasing the buffer, and
// reusing memory.
func profiled(d document, body func() []byte) subject {
	t := hyperpb.CompileMessageDescriptor(d.kind.ProtoReflect().Descriptor())
	profile := t.NewProfile()
	shared := new(hyperpb.Shared)
	for range 100 {
		m := shared.NewMessage(t)
		must(m.Unmarshal(d.bytes, hyperpb.WithRecordProfile(profile, 1)))
		shared.Free()
	}
	t = t.Recompile(profile)
	return subject{"hyperpb", func() proto.Message {
		m := shared.NewMessage(t)
		must(m.Unmarshal(body(), hyperpb.WithAllowAlias(true)))
		return m
	}, shared.Free}
}
