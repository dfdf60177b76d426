package arenapb_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/adapters/protobuf/internal/oracle"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/allopenpb"
	"github.com/ebbpool/arena/internal/check"
)

// What is written of random messages, on the heap and in an arena, is what package proto
// writes, byte for byte, with its errors; it lies in the arena, and no byte of it is moved.
func TestMarshal(t *testing.T) {
	rounds := 100
	if testing.Short() {
		rounds = 10
	}
	for _, m := range kinds {
		t.Run(oracle.NameOf(m), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(11, 12))
			a := arena.NewArena(16<<10, 0)
			for range rounds {
				doc := oracle.Document(t, r, m)
				for _, in := range []*arena.Arena{nil, a} {
					x := oracle.Fresh(in, m)
					if err := (arenapb.UnmarshalOptions{AllowPartial: true}).Unmarshal(in, doc, x); err != nil {
						t.Fatal(err)
					}
					for _, partial := range []bool{false, true} {
						want, fails := proto.MarshalOptions{Deterministic: true, AllowPartial: partial}.Marshal(x)
						got, err := arenapb.MarshalOptions{Deterministic: true, AllowPartial: partial}.Marshal(a, x)
						if !bytes.Equal(got, want) || (err == nil) != (fails == nil) {
							t.Fatalf("%x (%v), want %x (%v)", got, err, want, fails)
						}
						if err == nil && len(got) > 0 && (cap(got) != len(got) || &arena.Escape(a, got)[0] == &got[0]) {
							t.Fatalf("%d bytes of %d are not in the arena", len(got), cap(got))
						}
					}
					any, _ := arenapb.MarshalOptions{AllowPartial: true}.Marshal(a, x)
					again := oracle.Fresh(nil, m)
					if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(any, again); err != nil || !proto.Equal(x, again) {
						t.Fatalf("%v is read as %v (%v)", x, again, err)
					}
				}
				a.Reset()
			}
		})
	}
}

// Nothing, nothing of a type, and what is empty are what package proto makes of them.
func TestMarshalNothing(t *testing.T) {
	a := arena.NewArena(4<<10, 0)
	for _, m := range []proto.Message{nil, (*wrapperspb.StringValue)(nil), &wrapperspb.StringValue{}, wrapperspb.String("\xff"), wrapperspb.String("x")} {
		for _, in := range []*arena.Arena{nil, a} {
			want, fails := proto.Marshal(m)
			got, err := arenapb.Marshal(in, m)
			if !bytes.Equal(got, want) || (got == nil) != (want == nil) || (err == nil) != (fails == nil) {
				t.Errorf("%v: %#v (%v), want %#v (%v)", m, got, err, want, fails)
			}
		}
	}
}

func TestMarshalLimit(t *testing.T) {
	a := arena.NewArena(4<<10, 0)
	a.SetLimit(64 << 10)
	if b, err := arenapb.Marshal(a, wrapperspb.Bytes(make([]byte, 1<<20))); b != nil || !errors.As(err, new(*arena.LimitError)) {
		t.Errorf("%d bytes (%v) beyond the limit", len(b), err)
	}
	if b, err := arenapb.Marshal(a, wrapperspb.String("x")); err != nil || len(b) != 3 {
		t.Errorf("%x (%v) after a limit", b, err)
	}
}

func TestMarshalAllocatesNothing(t *testing.T) {
	if check.On || check.Race {
		t.Skip("these builds allocate")
	}
	a, x := arena.NewArena(64<<10, 1<<20), &allopenpb.All{}
	oracle.Fill(rand.New(rand.NewPCG(9, 10)), x.ProtoReflect(), 2)
	clearMaps(x)
	if n := testing.AllocsPerRun(100, func() { arenapb.Marshal(a, x); a.Reset() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
