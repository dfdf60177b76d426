package arenapb_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/adapters/protobuf/internal/oracle"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/lazypb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/openpb"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

var aliasing = arenapb.UnmarshalOptions{AliasBuffer: true}

var someText = strings.Repeat("some text ", 20)

// sample returns a document with a string, bytes and an unknown field.
func sample(t *testing.T) []byte {
	unknown := &openpb.Scalars{Child: &openpb.Scalars{S: "unknown to Choice"}}
	b, err := proto.Marshal(&openpb.Choice{One: &openpb.Choice_By{By: []byte("some bytes")}, Two: &openpb.Choice_X{X: someText}})
	if err != nil {
		t.Fatal(err)
	}
	b, err = proto.MarshalOptions{}.MarshalAppend(b, unknown)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// follows reports whether m's string, bytes and unknown fields alias data: all or none.
func follows(t *testing.T, m *openpb.Choice, data []byte) bool {
	t.Helper()
	text, by, unknown := strings.Clone(m.GetX()), bytes.Clone(m.GetBy()), bytes.Clone(m.ProtoReflect().GetUnknown())
	if text != someText || string(by) != "some bytes" || !bytes.Contains(unknown, []byte("unknown to Choice")) {
		t.Fatalf("read %v", m)
	}
	for i := range data {
		data[i] ^= 1
	}
	changed := []bool{m.GetX() != text, !bytes.Equal(m.GetBy(), by), !bytes.Equal(m.ProtoReflect().GetUnknown(), unknown)}
	for i := range data {
		data[i] ^= 1
	}
	if changed[0] != changed[1] || changed[0] != changed[2] {
		t.Errorf("of the string, the bytes and the unknown field these are parts of the document: %v", changed)
	}
	return changed[0]
}

// AliasBuffer works as documented: a document is aliased if it is the arena's newest allocation, and
// otherwise copied.
func TestAliasBuffer(t *testing.T) {
	if !machine.LayoutOK {
		t.Skip("package proto reads all, and copies")
	}
	doc := sample(t)
	heap := func(*arena.Arena) []byte { return append(make([]byte, 0, len(doc)+16), doc...) }
	inArena := func(a *arena.Arena) []byte {
		b, err := arena.ReadAll(a, bytes.NewReader(doc))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, c := range []struct {
		name   string
		place  func(*arena.Arena) []byte
		shares bool
	}{
		{"on the heap", heap, false},
		{"the newest", inArena, true},
		{"with capacity", func(a *arena.Arena) []byte {
			b := arena.MakeSliceUninit[byte](a, len(doc), len(doc)+100)
			copy(b, doc)
			return b
		}, false},
		{"the first part", func(a *arena.Arena) []byte {
			return arena.CloneSlice(a, append(bytes.Clone(doc), "more"...))[:len(doc)]
		}, false},
		{"the last part", func(a *arena.Arena) []byte { return arena.CloneSlice(a, append([]byte("less"), doc...))[len("less"):] }, true},
		{"older", func(a *arena.Arena) []byte {
			b := inArena(a)
			a.AllocBytes(1)
			return b
		}, false},
		{"alone in a chunk", func(a *arena.Arena) []byte {
			a.AllocBytes(8) // in the shared chunk
			b, err := arena.ReadAll(a, bytes.NewReader(protowire.AppendBytes(protowire.AppendTag(bytes.Clone(doc), 999, protowire.BytesType), make([]byte, 1<<20))))
			if err != nil {
				t.Fatal(err)
			}
			return b
		}, false},
		{"another arena's", func(*arena.Arena) []byte { return inArena(arena.NewArena(1<<10, 0)) }, false},
		{"at a chunk's end", func(a *arena.Arena) []byte {
			a.AllocBytes(8)
			a.AllocBytes(a.Stats().RetainedBytes - 8 - (len(doc)+7)/8*8)
			return arena.CloneSlice(a, doc)
		}, false},
	} {
		if check.On && c.name == "at a chunk's end" {
			continue // redzones move it elsewhere
		}
		a := arena.NewArena(4<<10, 0)
		data := c.place(a)
		m := arena.New[openpb.Choice](a)
		used := a.Stats().UsedBytes
		if err := aliasing.Unmarshal(a, data, m); err != nil {
			t.Fatal(c.name, err)
		}
		if used = a.Stats().UsedBytes - used; follows(t, m, data) != c.shares {
			t.Errorf("%s: the document is shared: %v", c.name, !c.shares)
		}
		if (used < len(doc)) != c.shares {
			t.Errorf("%s: took %d bytes of the arena", c.name, used)
		}
		if follows(t, arenapb.Clone(m), data) {
			t.Errorf("%s: a clone shares the document", c.name)
		}
		if follows(t, arena.Escape(a, m), data) {
			t.Errorf("%s: what escaped shares the document", c.name)
		}
		a.Release()
	}
	a := arena.NewArena(4<<10, 0)
	data := inArena(a)
	m := arena.New[openpb.Choice](a)
	if err := arenapb.Unmarshal(a, data, m); err != nil || follows(t, m, data) {
		t.Errorf("the document is shared without the option (%v)", err)
	}
	data = inArena(a)
	if err := aliasing.Unmarshal(a, data, m); err != nil {
		t.Fatal(err)
	}
	m.GetBy()[0]++
	if !bytes.Contains(data, []byte("tome bytes")) {
		t.Errorf("what is written to bytes is not in the document: %q", data)
	}
}

// The bytes after a document in the same slice are not part of it: another document may be merged from them,
// or another goroutine may read them.
func TestAliasBufferParts(t *testing.T) {
	frame := func(key, value string) []byte {
		b, err := proto.Marshal(&openpb.Maps{Ss: map[string]string{key: value}})
		if err != nil {
			t.Fatal(err)
		}
		return protowire.AppendString(protowire.AppendTag(b, 999, protowire.BytesType), value)
	}
	first, second := frame("a key", "of the first"), frame("another", "of the second")
	a := arena.NewArena(4<<10, 0)
	buffer := arena.CloneSlice(a, slices.Concat(first, second))
	got, want := arena.New[openpb.Maps](a), new(openpb.Maps)
	o := aliasing
	o.Merge = true
	for _, doc := range [][]byte{buffer[len(first):], buffer[:len(first)]} {
		if err := errors.Join(o.Unmarshal(a, doc, got), proto.UnmarshalOptions{Merge: true}.Unmarshal(bytes.Clone(doc), want)); err != nil {
			t.Fatal(err)
		}
	}
	if err := oracle.Unlike(got, want); err != nil {
		t.Error(err)
	}

	buffer = arena.CloneSlice(a, slices.Concat(first, second))
	fork, done := a.Fork(), make(chan error)
	go func() {
		m := new(openpb.Maps)
		err := aliasing.Unmarshal(fork, buffer[len(first):], m)
		if err == nil && m.Ss["another"] != "of the second" {
			err = fmt.Errorf("the fork has read %v", m)
		}
		done <- err
	}()
	for range 100 {
		if err := aliasing.Unmarshal(a, buffer[:len(first)], got); err != nil || got.Ss["a key"] != "of the first" {
			t.Fatalf("read %v, %v", got, err)
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Parts decoded by package proto are copied.
func TestAliasBufferLeft(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	a := arena.NewArena(4<<10, 0)
	for _, m := range []proto.Message{(*lazypb.Lazy)(nil), (*openpb.Choice)(nil)} {
		in := a
		if _, known := m.(*openpb.Choice); known {
			in = nil
		}
		for range 50 {
			doc := oracle.Document(t, r, m)
			data := arena.CloneSlice(a, doc)
			got, want := oracle.Fresh(in, m), oracle.Fresh(nil, m)
			o := aliasing
			o.AllowPartial = true
			if err := o.Unmarshal(in, data, got); err != nil {
				t.Fatal(err)
			}
			for i := range data {
				data[i] = 0xff
			}
			if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(doc, want); err != nil {
				t.Fatal(err)
			}
			if err := oracle.Unlike(got, want); err != nil {
				t.Errorf("%T: %v", m, err)
			}
		}
	}
}
