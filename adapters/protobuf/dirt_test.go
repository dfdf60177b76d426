package arenapb_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/adapters/protobuf/internal/oracle"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// soil ends a cycle of a after filling its memory with b.
func soil(t *testing.T, a *arena.Arena, b byte) {
	a.Release()
	for range 30 {
		x := a.AllocBytes(500)
		for i := range x {
			x[i] = b
		}
	}
	a.Reset()
	if x := arena.MakeSliceUninit[byte](a, 64, 64); !check.On && machine.LayoutOK && !bytes.Equal(x, bytes.Repeat([]byte{b}, 64)) {
		t.Fatalf("the arena is clean: %x", x)
	}
}

// The result does not depend on old data in the arena, nor on the bytes after an aliased document. No message
// shows such bytes, not even one left half decoded by an error, because they may belong to another client.
func TestDirt(t *testing.T) {
	rounds := 400
	if testing.Short() {
		rounds = 100
	}
	dirts := []byte{0, 1, 0x0a, 0x0b, 0x0c, 0x7f, 0x80, 0x8a, 0xff}
	var arenas []*arena.Arena
	for range dirts {
		arenas = append(arenas, arena.NewArena(16<<10, 64<<10))
	}
	c := oracle.Random(rand.New(rand.NewPCG(25, 26)))
	for _, m := range kinds {
		var docs [][]byte
		for _, s := range edges {
			docs = append(docs, unhex(t, s))
		}
		for range rounds {
			docs = append(docs, oracle.Wire(c, m.ProtoReflect().Descriptor()))
		}
		for i, doc := range docs {
			var first proto.Message
			var firstErr error
			for k, a := range arenas {
				if i%10 == 0 {
					soil(t, a, dirts[k])
				}
				got := oracle.Fresh(a, m)
				data := arena.CloneSlice(a, doc) // placed before the old data
				err := arenapb.UnmarshalOptions{AllowPartial: true, AliasBuffer: k%2 == 0}.Unmarshal(a, data, got)
				if k == 0 {
					first, firstErr = got, err
				} else if (err == nil) != (firstErr == nil) || !proto.Equal(got, first) {
					t.Fatalf("%s: %x is %v (%v), behind other dirt %v (%v)", oracle.NameOf(m), doc, got, err, first, firstErr)
				}
			}
		}
	}
}
