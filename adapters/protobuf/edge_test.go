package arenapb_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/adapters/protobuf/internal/oracle"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/lazypb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/oldpb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/openpb"
	"github.com/ebbpool/arena/internal/machine"
)

// edges are edge cases like those of a conformance suite: documents in hexadecimal, decoded as messages of
// every kind.
var edges = []string{
	"",
	"00", "07", "0800", "08", "0a", "0a01", "0aff", // truncated, or an invalid number
	"0e", "0f", "0b", "0c", "0b0c", "0b14", "0b0b0c0c", // invalid wire types, groups without end
	"8801", "888000", "88808000ff", "880000", "8a800001 61", // overlong tags
	"f8ffffff0f01", "f8ffffff1f01", "f8ffffffff0f01", "faffffff0f00", "faffffff0f0161", // the largest number, and beyond
	"08ffffffffffffffffff01", "08ffffffffffffffffff02", "08ffffffffffffffffffff01", "0880808080808080808000", "08808080808080808080", // numbers of ten bytes and more
	"10ffffffffffffffffff01", "10ffffffff0f", "1080808080808001", "18ffffffffffffffffff01", "30ffffffffffffffffff01", "38ffffffffffffffffff01", "30ffffffffffff7f",
	"0aff01", "0affffffffffffffffff01", "0a808080808001", "0affffffff07", "0affffffffffffffff7f", // lengths beyond the end
	"08020801", "0805", "0880808080808080808001", // bools other than 0 and 1
	"4100", "410000000000000000", "45000000", "4501020304", "0900000000000000", "0d0000", // fixed
	"7200", "7201ff", "7203e697a5", "7202c080", "7203eda080", "7204f4908080", "7204f09f9880", "72086162636465666768", "7209616263646566676880", "7a00", "7a01ff",
	"0a0201 02", "0a03010203", "0a0480808001", "0a02ff80", "0a00", "4a0900000000000000000000", "4a080000000000000000", // packed
	"08010a020101 0801", "10011205ff80010203", "90010192020401020304", // packed and unpacked, in turn
	"f2ff03020801 f2ff03021002", "faff0302 0801", "faff03040801 1002 faff03021003", // a message in pieces
	"080110021803", "4a0208014a021002", "4a020801 32016161 4a021002", "080a4a00 0801", "72014178017a00", // oneofs
	"0a00", "0a020a00", "0a021200", "0a060a01611201 62", "0a0612016 20a0161", "0a0a0a01611201620a0163 120164", "0a0618010a016112 00", "0a040a020a00", "0a030801 00", "0a010f", "0a0261ff", "0a0200 00", // maps
	"12040a016112 00", "12060a01611200 12060a0161120 20a00", "2a0408011201 78", "3a0408011001", "220408 0a 10 0b",
	"a801017a0161a801027a0162", "a80101a80102", "a88001 01a80102", "a8010172016 1a80102", "ab01ac01", "ab01a80101ac01", "ab01ab01ac01ac01", "ab01b401", "ab01", // unknown and known fields in turn
	"0b08010c", "0b0801 0b 0c 0c", "0b2a0161 0c", "2b3001 34 2b 34 2c", "2b30012c", "2b2c", "2c", "430801 44", "434448014344", "4349 01", // groups
	"a0060 1", "aa060161", "ca06020801", "d3060801d406", "c23e00", "a006", "a00680", "a50600000000", // extensions
	"8080808010 01", "8280808010 00", "8080808080 01 01", // a number above the largest whose lower bits are no field
	"f20102 3201ff", "f20103 d20101ff", "f20103 f20201ff", "f20103 820101ff", "f20105 f2010332 01ff", "f20105 fa010332 01ff", "f20107 8a0204080112 01ff", // a length one byte beyond its message, followed by invalid UTF-8
	"18ffffffffffffffff18 1001", "18ffffffffffffffff18 1801 1001", // a long number whose end looks like the list's tag
	"0a06 8080808010 01", "2206 0a0161 120105", "2a05 0801 120161", "0a07 0a0161 120161 08", "120a 0a0161 1202 0a00 1001", // entries with wrong numbers and wire types
	"8a", "8a80", "0a 8a", "0a01 8a", "0a02 0a8a", "2a01 92", "0b 8a", "d5", "c28f", "0a00 0a8a8a", "52018a 00", // a truncated tag, before a field of any kind
	"7201ff 7280808080808080808080", "7201ff 72ffffffffffffffffffff", "7a0161 7a80808080808080808002", "0a020b00 0aff ffffffffffffffffff", "0a01ff 0aff808080808080808000", // two errors in one list
	"1200", "1a00", "2200", "2a00", "2b2c", "2b30012c", "4200", "5200", "5a00", "0a0161 12020801", "12020801 1200", "1200 12020801", "1a020a00", "82010412001a00", "7204 12021200", "8b01 8c01", "8b01 1a00 8c01 8b010801 8c01", // required fields in oneofs
	"0801 32016 1", "08013200", "3200", "0801", "1a00", "2200", "0a00 0a00", "2a00", "2a0612040801 3200", // required
}

func unhex(t *testing.T, s string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return b
}

func TestEdges(t *testing.T) {
	a := arena.NewArena(4<<10, 0)
	for _, m := range both {
		for _, s := range edges {
			doc := unhex(t, s)
			if err := oracle.Differ(a, m, doc, nil); err != nil {
				t.Errorf("%s: %v\nof %s", oracle.NameOf(m), err, s)
			}
			if err := oracle.Differ(a, m, doc, doc); err != nil {
				t.Errorf("%s: after itself: %v\nof %s", oracle.NameOf(m), err, s)
			}
		}
		a.Reset()
	}
}

// nest wraps doc in n fields with tag.
func nest(doc []byte, tag uint64, n int) []byte {
	for range n {
		doc = append(protowire.AppendVarint(nil, tag), protowire.AppendBytes(nil, doc)...)
	}
	return doc
}

// The limit of nesting equals package proto's, in fields, lists, oneofs, groups and maps, by default and with
// other limits.
func TestRecursionLimit(t *testing.T) {
	a := arena.NewArena(4<<10, 0)
	groups := func(n int) []byte {
		one, end := protowire.AppendTag(nil, 1, protowire.StartGroupType), protowire.AppendTag(nil, 1, protowire.EndGroupType)
		deep := []byte{}
		for range n {
			deep = append(append(append([]byte{}, one...), append(protowire.AppendTag(nil, 3, protowire.BytesType), protowire.AppendBytes(nil, deep)...)...), end...)
		}
		return deep
	}
	for _, limit := range []int{1, 2, 3, 4, 5, 20, 1000, 0, -1} {
		for _, more := range []int{-2, -1, 0, 1} {
			depth := limit + more
			if limit == 0 {
				depth += 10000
			}
			if depth < 0 || limit == 0 && testing.Short() {
				continue
			}
			for _, c := range []struct {
				m   proto.Message
				doc []byte
			}{
				{(*openpb.Scalars)(nil), nest(nil, 2047<<3|2, min(depth, 2000))},
				{(*openpb.Choice)(nil), nest(nil, 9<<3|2, depth)},
				{(*openpb.Lists)(nil), nest(nil, 17<<3|2, min(depth, 2000))},
				{(*openpb.Maps)(nil), nest(nest(nil, 2<<3|2, 1), 2<<3|2, min(depth, 1000)/2)},
				{(*openpb.Maps)(nil), nest([]byte{0x10, 1}, 2<<3|2, min(depth, 1000)/2*2)},
				{(*oldpb.Groups)(nil), groups(min(depth, 1000) / 2)},
				{(*oldpb.Extended)(nil), nest(nil, 103<<3|2, min(depth, 1000))}, // extensions, which package proto decodes
				{(*lazypb.Outer)(nil), nest(nil, 1<<3|2, min(depth, 2))},        // a field left to package proto
				{(*openpb.Scalars)(nil), bytes.Repeat([]byte{0x9b, 1}, depth)},
			} {
				o := arenapb.UnmarshalOptions{RecursionLimit: limit}
				want, got := oracle.Fresh(nil, c.m), oracle.Fresh(a, c.m)
				wantErr := proto.UnmarshalOptions{RecursionLimit: limit}.Unmarshal(c.doc, want)
				gotErr := o.Unmarshal(a, c.doc, got)
				if (wantErr == nil) != (gotErr == nil) || wantErr != nil && wantErr.Error() != gotErr.Error() {
					t.Errorf("%s, limit %d, depth %d: %v, package proto has %v", oracle.NameOf(c.m), limit, depth, gotErr, wantErr)
				}
				if wantErr == nil && depth < 100 && !proto.Equal(got, want) {
					t.Errorf("%s, limit %d, depth %d: the messages differ", oracle.NameOf(c.m), limit, depth)
				}
			}
			a.Reset()
		}
	}
}

// A truncated tag is reported as such, also where one more level of nesting would be too deep.
func TestCutAtLimit(t *testing.T) {
	a := arena.NewArena(4<<10, 0)
	for _, m := range both {
		for tag := range 256 {
			for _, doc := range [][]byte{{byte(tag) | 0x80}, {byte(tag), 0x80}, {0x0a, 1, byte(tag) | 0x80}, {byte(tag), 1, 0x8a}, {0x0b, byte(tag) | 0x80, 0x0c}} {
				for limit := range 3 {
					if err := oracle.DifferBy(arenapb.UnmarshalOptions{RecursionLimit: limit, AllowPartial: true}, a, m, doc); err != nil {
						t.Fatalf("%s: %v\nof %x", oracle.NameOf(m), err, doc)
					}
				}
			}
		}
		a.Reset()
	}
}

// The Resolver finds extensions. Those that it does not find are unknown fields.
func TestResolver(t *testing.T) {
	a := arena.NewArena(4<<10, 0)
	doc := unhex(t, "a00607 aa060161 ca0602 0801 c23e04 0801 3200")
	for _, r := range []interface {
		protoregistry.ExtensionTypeResolver
	}{nil, new(protoregistry.Types), protoregistry.GlobalTypes} {
		want, got := new(oldpb.Extended), arena.New[oldpb.Extended](a)
		o := arenapb.UnmarshalOptions{AllowPartial: true}
		p := proto.UnmarshalOptions{AllowPartial: true}
		if r != nil {
			o.Resolver, p.Resolver = r, r
		}
		if err := p.Unmarshal(doc, want); err != nil {
			t.Fatal(err)
		}
		if err := o.Unmarshal(a, doc, got); err != nil {
			t.Fatal(err)
		}
		if err := oracle.Unlike(got, want); err != nil {
			t.Error(err)
		}
		if known := proto.HasExtension(got, oldpb.E_XInt); known != (r == nil || r == protoregistry.GlobalTypes) {
			t.Errorf("the extension is known: %v", known)
		}
	}
}

// NoLazyDecoding acts as in package proto: a lazy field is decoded immediately or at first use, in an arena,
// on the heap, and inside a message decoded by this package.
func TestNoLazyDecoding(t *testing.T) {
	decoded := func(m proto.Message) bool {
		if o, ok := m.(*lazypb.Outer); ok {
			m = o.GetLazy()
		}
		return !reflect.ValueOf(m).Elem().FieldByName("xxx_hidden_Part").IsNil()
	}
	lazy := unhex(t, "0a03 0a0161")
	for _, m := range []proto.Message{(*lazypb.Lazy)(nil), (*lazypb.Outer)(nil)} {
		doc := lazy
		if m == proto.Message((*lazypb.Outer)(nil)) {
			doc = nest(lazy, 0x0a, 1)
		}
		for _, at := range []bool{false, true} {
			want := oracle.Fresh(nil, m)
			if err := (proto.UnmarshalOptions{NoLazyDecoding: at}).Unmarshal(doc, want); err != nil {
				t.Fatal(err)
			}
			if decoded(want) != at {
				t.Fatalf("%s, NoLazyDecoding %v: package proto has decoded it: %v", oracle.NameOf(m), at, !at)
			}
			for _, a := range []*arena.Arena{nil, arena.NewArena(4<<10, 0)} {
				got := oracle.Fresh(a, m)
				if err := (arenapb.UnmarshalOptions{NoLazyDecoding: at}).Unmarshal(a, doc, got); err != nil {
					t.Fatal(err)
				}
				if decoded(got) != at {
					t.Errorf("%s, NoLazyDecoding %v, in an arena %v: decoded: %v", oracle.NameOf(m), at, a != nil, !at)
				}
			}
		}
	}
}

// An extension known only to the Resolver is decoded, in an arena and on the heap.
func TestResolverOfItsOwn(t *testing.T) {
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: proto.String("own.proto"), Package: proto.String("own"), Dependency: []string{"old.proto"},
		Extension: []*descriptorpb.FieldDescriptorProto{{
			Name: proto.String("own"), Number: proto.Int32(150), Extendee: proto.String(".arenapb.test.old.Extended"),
			Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Type: descriptorpb.FieldDescriptorProto_TYPE_INT32.Enum(),
		}},
	}, protoregistry.GlobalFiles)
	if err != nil {
		t.Fatal(err)
	}
	own := dynamicpb.NewExtensionType(file.Extensions().Get(0))
	types := new(protoregistry.Types)
	if err := types.RegisterExtension(own); err != nil {
		t.Fatal(err)
	}
	for _, a := range []*arena.Arena{nil, arena.NewArena(4<<10, 0)} {
		m := new(oldpb.Extended)
		if err := (arenapb.UnmarshalOptions{Resolver: types}).Unmarshal(a, unhex(t, "b00907"), m); err != nil {
			t.Fatal(err)
		}
		if !proto.HasExtension(m, own) || proto.GetExtension(m, own) != int32(7) {
			t.Errorf("the extension is unknown: %v", m)
		}
	}
}

// The old contents of a message are dropped, in an arena and on the heap.
func TestDropsWhatWas(t *testing.T) {
	for _, a := range []*arena.Arena{nil, arena.NewArena(4<<10, 0)} {
		m := &openpb.Scalars{I32: 1, S: "old", By: []byte("old"), Child: &openpb.Scalars{I32: 2}}
		if err := arenapb.Unmarshal(a, unhex(t, "1803"), m); err != nil {
			t.Fatal(err)
		}
		if want := (&openpb.Scalars{I64: 3}); !proto.Equal(m, want) {
			t.Errorf("%v, want %v", m, want)
		}
	}
}

// A nil message causes the same panic as in package proto.
func TestNilMessage(t *testing.T) {
	says := func(f func() error) (v any) {
		defer func() { v = recover() }()
		return f()
	}
	a := arena.NewArena(4<<10, 0)
	for _, m := range []proto.Message{nil, (*openpb.Scalars)(nil)} {
		for _, merge := range []bool{false, true} {
			want := says(func() error { return proto.UnmarshalOptions{Merge: merge}.Unmarshal(nil, m) })
			got := says(func() error { return arenapb.UnmarshalOptions{Merge: merge}.Unmarshal(a, nil, m) })
			if fmt.Sprint(want) != fmt.Sprint(got) {
				t.Errorf("%T, merge %v: %v, package proto says %v", m, merge, got, want)
			}
		}
	}
}

// Merge handles messages set by a program: a oneof with a nil wrapper, and shortened lists with messages in
// their capacity.
func TestMergeInto(t *testing.T) {
	a := arena.NewArena(4<<10, 0)
	merge := func(doc string, want, got proto.Message) {
		t.Helper()
		wantErr := proto.UnmarshalOptions{Merge: true}.Unmarshal(unhex(t, doc), want)
		gotErr := arenapb.UnmarshalOptions{Merge: true}.Unmarshal(a, unhex(t, doc), got)
		if wantErr != nil || gotErr != nil {
			t.Fatal(wantErr, gotErr)
		}
		if err := oracle.Unlike(got, want); err != nil {
			t.Error(err)
		}
	}
	for _, doc := range []string{"32026162", "4a021001", "0801"} {
		one := func() *openpb.Choice { return &openpb.Choice{One: (*openpb.Choice_S)(nil)} }
		child := func() *openpb.Choice { return &openpb.Choice{One: (*openpb.Choice_Child)(nil)} }
		merge(doc, one(), one())
		merge(doc, child(), child())
	}
	group := func() *oldpb.Groups {
		m := &oldpb.Groups{Many: []*oldpb.Groups_Many{{Y: proto.Int64(1), T: []string{"old"}}, {Y: proto.Int64(2)}}}
		m.Many = m.Many[:1]
		return m
	}
	kept := [2]*oldpb.Groups_Many{}
	for i, m := range []*oldpb.Groups{group(), group()} {
		kept[i] = m.Many[:2][1]
		if i == 1 {
			merge("2b3a01782c", group(), m)
		}
	}
	if kept[1].Y == nil || *kept[1].Y != 2 || len(kept[1].T) != 0 {
		t.Errorf("a message behind the list's end became %v", kept[1])
	}
	lists := func() *openpb.Lists {
		m := &openpb.Lists{Child: []*openpb.Lists{{S: []string{"old"}}, {}}, By: [][]byte{[]byte("old"), []byte("older")}, I64: []int64{1, 2}}
		m.Child, m.By, m.I64 = m.Child[:0], m.By[:1], m.I64[:1]
		return m
	}
	merge("8a010372017a 7a0161 7a00 1805 1806 1807", lists(), lists())
}

// Unknown fields directly before the document in memory are not joined with it. They may be two objects, of
// which one pointer would keep only the first alive.
func TestUnknownBeforeDocument(t *testing.T) {
	a := arena.NewArena(4<<10, 0)
	doc := unhex(t, "f80701")
	for n := range 40 {
		m := new(openpb.Scalars)
		//arenavet:ignore append to it on purpose
		before := slices.Clip(append(a.AllocBytes(8 * n)[:0], bytes.Repeat(doc, 8*n/3)...))
		m.ProtoReflect().SetUnknown(before)
		if err := (arenapb.UnmarshalOptions{Merge: true}).Unmarshal(a, doc, m); err != nil {
			t.Fatal(err)
		}
		got := m.ProtoReflect().GetUnknown()
		if !bytes.Equal(got, slices.Concat(before, doc)) {
			t.Errorf("%x", got)
		}
		if len(before) > 0 && &got[0] == &before[0] {
			t.Fatalf("the document was added to %d bytes before it, in place", len(before))
		}
	}
}

// Lengths of one, two and more bytes, at their boundaries: decoded, encoded, and counted before a list is
// allocated.
func TestLengths(t *testing.T) {
	a := arena.NewArena(64<<10, 0)
	for _, n := range []int{0, 1, 125, 126, 127, 128, 129, 255, 256, 16383, 16384, 16385, 16511, 16512, 1<<21 - 1, 1 << 21} {
		b, text := bytes.Repeat([]byte{'b'}, n), strings.Repeat("t", n)
		each := &openpb.Scalars{S: text, By: b, Child: &openpb.Scalars{By: b}, U64: uint64(n), I32: int32(n)}
		for _, want := range []proto.Message{
			each, &openpb.Lists{S: []string{text, text, "x"}, By: [][]byte{b, b, {1}}, Many: []*openpb.Scalars{each, each, {U64: 1}}},
			&openpb.Choice{One: &openpb.Choice_Sc{Sc: &openpb.Scalars{By: b}}},
		} {
			doc, err := proto.Marshal(want)
			if err != nil {
				t.Fatal(err)
			}
			got := oracle.Fresh(a, want)
			if err := arenapb.Unmarshal(a, doc, got); err != nil || !proto.Equal(got, want) {
				t.Errorf("%T with %d bytes: %v", want, n, err)
			}
			if err := oracle.DifferOut(a, want); err != nil {
				t.Errorf("%T with %d bytes is not written as by package proto", want, n)
			}
			if l, ok := got.(*openpb.Lists); ok && machine.LayoutOK && (cap(l.S) != 3 || cap(l.By) != 3 || cap(l.Many) != 3) {
				t.Errorf("lists of 3, of %d bytes each, have room for %d, %d and %d", n, cap(l.S), cap(l.By), cap(l.Many))
			}
		}
		a.Reset()
	}
}
