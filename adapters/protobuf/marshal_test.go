package arenapb_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/adapters/protobuf/internal/oracle"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/allopenpb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/featurespb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/oldpb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/openpb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/setpb"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// The encoding of random messages, on the heap and in an arena, equals package proto's, including errors. It
// is in the arena and stays unchanged.
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
					if err := oracle.DifferOut(a, x); err != nil {
						t.Fatal(err)
					}
					if r.IntN(4) == 0 {
						spoil(r, x.ProtoReflect())
						if err := oracle.DifferOut(a, x); err != nil {
							t.Fatal(err)
						}
						break
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

// spoil sets values that no document can contain: invalid UTF-8, nil and non-nil empty bytes.
func spoil(r *rand.Rand, m protoreflect.Message) {
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.IsMap() && fd.MapKey().Kind() == protoreflect.StringKind && r.IntN(4) == 0:
			v.Map().Set(protoreflect.ValueOfString("\xff").MapKey(), v.Map().NewValue())
		case fd.IsMap():
		case fd.IsList() && fd.Kind() == protoreflect.StringKind:
			v.List().Append(protoreflect.ValueOfString("\xfe"))
		case fd.IsList():
		case fd.Message() != nil:
			spoil(r, v.Message())
		case fd.Kind() == protoreflect.StringKind && r.IntN(4) == 0:
			m.Set(fd, protoreflect.ValueOfString("\xff"))
		case fd.Kind() == protoreflect.BytesKind:
			m.Set(fd, protoreflect.ValueOfBytes([][]byte{nil, {}}[r.IntN(2)]))
		}
		return true
	})
}

// Messages that only a program can make: nil in place of a message.
func TestMarshalHoles(t *testing.T) {
	for _, m := range []proto.Message{
		&openpb.Lists{Child: []*openpb.Lists{nil, {B: []bool{}}, nil}, Many: []*openpb.Scalars{nil}, By: [][]byte{nil, {}}, Un: []int32{}, I32: []int32{}},
		&openpb.Maps{Sm: map[string]*openpb.Maps{"": nil, "x": {}}, Zm: map[int64]*openpb.Scalars{-1: nil, 1: nil, 0: {}}, Sb: map[string][]byte{"n": nil}, Is: map[int32]string{}},
		&openpb.Choice{One: (*openpb.Choice_Sc)(nil)}, &openpb.Choice{One: &openpb.Choice_Sc{}}, &openpb.Choice{One: &openpb.Choice_Child{}, Two: &openpb.Choice_Y{}},
		&oldpb.Groups{Many: []*oldpb.Groups_Many{nil, {}}, O: &oldpb.Groups_Chosen_{}}, &oldpb.Groups{O: &oldpb.Groups_Other{}},
		&oldpb.Required{Many: []*oldpb.Required{nil}, Data: []byte{}}, &oldpb.Extended{B: []byte{}, F: proto.Float32(float32(math.Copysign(0, -1)))},
		&openpb.Scalars{Db: math.Copysign(0, -1), I32: -1, S32: math.MinInt32, E: openpb.Color_BLUE}, &featurespb.Mixed{Idata: []byte{}, Data: []byte{}},
	} {
		for _, a := range []*arena.Arena{nil, arena.NewArena(1<<10, 0)} {
			if err := oracle.DifferOut(a, m); err != nil {
				t.Error(err)
			}
		}
		if why := arenapb.WrittenByProto(m); why != "" && machine.LayoutOK {
			t.Errorf("package proto writes %T: %s", m, why)
		}
	}
}

// Package proto encodes none of the kinds that Unmarshal supports, or it would be compared with itself, and
// all others.
func TestMarshalKinds(t *testing.T) {
	if !machine.LayoutOK {
		t.Skip("package proto writes them all")
	}
	for _, m := range kinds {
		if why := arenapb.WrittenByProto(m); why != "" {
			t.Errorf("package proto writes %s: %s", oracle.NameOf(m), why)
		}
	}
	for _, m := range left {
		if arenapb.WrittenByProto(m) == "" && m != proto.Message((*setpb.Item)(nil)) {
			t.Errorf("package proto does not write %s", oracle.NameOf(m))
		}
	}
}

// Sorted maps of any size are encoded like by package proto.
func TestMarshalMaps(t *testing.T) {
	r, a := rand.New(rand.NewPCG(39, 40)), arena.NewArena(16<<10, 0)
	for n := range 40 {
		if err := oracle.DifferOut(a, mapsWith(r, n)); err != nil {
			t.Error(err)
		}
		a.Reset()
	}
}

// Nil interfaces, nil messages and empty messages are encoded like by package proto.
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

// MarshalAppend keeps the existing bytes, and MarshalInto calls take once, with the exact size.
func TestMarshalAppend(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	for _, m := range both {
		for range 20 {
			x := oracle.Fresh(nil, m)
			oracle.Fill(r, x.ProtoReflect(), 2)
			if r.IntN(2) == 0 {
				spoil(r, x.ProtoReflect())
			}
			before := append(make([]byte, 0, r.IntN(200)+5), "text"...)
			want, fails := proto.MarshalOptions{Deterministic: true}.MarshalAppend(bytes.Clone(before), x)
			got, err := arenapb.MarshalOptions{Deterministic: true}.MarshalAppend(before, x)
			if (err == nil) != (fails == nil) || err == nil && !bytes.Equal(got, want) || !bytes.HasPrefix(got, []byte("text")) {
				t.Fatalf("%x (%v), want %x (%v)", got, err, want, fails)
			}
			var took [][]byte
			into, err := arenapb.MarshalOptions{Deterministic: true}.MarshalInto(func(size int) []byte {
				took = append(took, make([]byte, size))
				return took[0]
			}, x)
			if err == nil && (!bytes.Equal(into, want[4:]) || slices.Contains(kinds, m) && len(into) > 0 && (len(took) != 1 || len(took[0]) != len(into) || &took[0][0] != &into[0])) {
				t.Fatalf("%x in memory of %d takes, want %x", into, len(took), want[4:])
			}
		}
	}
}

// Encoding into too small a buffer, of any size, reports only that. If the message fits, the result is the
// same as with a computed size.
func TestMarshalInto(t *testing.T) {
	if !machine.LayoutOK {
		t.Skip("package proto writes all")
	}
	r := rand.New(rand.NewPCG(43, 44))
	for _, m := range kinds {
		for round := range 30 {
			x := oracle.Fresh(nil, m)
			oracle.Fill(r, x.ProtoReflect(), 2)
			if round%4 == 0 {
				spoil(r, x.ProtoReflect())
			}
			want, bad := arenapb.Counted(x)
			enough := len(want) + arenapb.SpareScratch
			for n := 0; n <= enough; n += 1 + len(want)/500 {
				got, fits, worse := arenapb.Tried(x, n)
				if fits && (!bytes.Equal(got, want) || worse != bad) {
					t.Fatalf("%T in %d bytes is %x (bad: %v), want %x (bad: %v)", x, n, got, worse, want, bad)
				}
			}
			if _, fits, _ := arenapb.Tried(x, enough); !fits {
				t.Fatalf("%T: %d bytes do not fit %d", x, len(want), enough)
			}
		}
	}
}

// The sizes of large messages are computed and those of small ones are not, whichever came before.
func TestMarshalLarge(t *testing.T) {
	if !machine.LayoutOK {
		t.Skip("package proto writes all")
	}
	defer func() {
		if x := recover(); x == nil {
			t.Error("a wrong program writes nothing, and says nothing")
		}
	}()
	a := arena.NewArena(64<<10, 16<<20)
	grown := 0
	for range 100 { // a scratch of another processor, or a new one after a collection, is small
		_, err := arenapb.Marshal(a, wrapperspb.Bytes(make([]byte, 20_000)))
		if grown = arenapb.Scratch(); err != nil || grown >= 20_000 {
			break
		}
	}
	if grown < 20_000 && !check.Race {
		t.Errorf("messages of 20,000 bytes are counted each time: %d fit", grown)
	}
	for _, size := range []int{1, arenapb.MostScratch(), arenapb.MostScratch(), 100, arenapb.MostScratch()/2 - 50, 100_000} {
		m := wrapperspb.Bytes(bytes.Repeat([]byte{7}, size))
		want, _ := proto.Marshal(m)
		if got, err := arenapb.Marshal(a, m); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes are written as %d (%v)", size, len(got), err)
		}
		if is := arenapb.IsLarge(m); is != (size == arenapb.MostScratch()) {
			t.Errorf("%d bytes are large: %v", size, is)
		}
		if n := testing.AllocsPerRun(10, func() { arenapb.Marshal(a, m); a.Reset() }); n != 0 && !check.On && !check.Race {
			t.Errorf("%d bytes: %v allocations", size, n)
		}
	}
	arenapb.TriedWrongly()
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
	if check.On || check.Race || !machine.LayoutOK {
		t.Skip("these builds allocate")
	}
	a, x := arena.NewArena(64<<10, 1<<20), &allopenpb.All{}
	oracle.Fill(rand.New(rand.NewPCG(9, 10)), x.ProtoReflect(), 2)
	for _, m := range []proto.Message{x, mapsWith(rand.New(rand.NewPCG(9, 10)), 8)} {
		for _, o := range []arenapb.MarshalOptions{{}, {Deterministic: true}} {
			if n := testing.AllocsPerRun(100, func() { o.Marshal(a, m); a.Reset() }); n != 0 {
				t.Errorf("%T, %+v: %v allocations", m, o, n)
			}
		}
	}
}
