package arenapb_test

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/adapters/protobuf/internal/oracle"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/oldpb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/openpb"
)

// edges are what a conformance suite has: documents in hexadecimal, read as messages of
// every kind.
var edges = []string{
	"",
	"00", "07", "0800", "08", "0a", "0a01", "0aff", // cut off, or no number
	"0e", "0f", "0b", "0c", "0b0c", "0b14", "0b0b0c0c", // wire types that there are not, groups that don't end
	"8801", "888000", "88808000ff", "880000", "8a800001 61", // tags longer than they need be
	"f8ffffff0f01", "f8ffffff1f01", "f8ffffffff0f01", "faffffff0f00", "faffffff0f0161", // the largest number, and beyond
	"08ffffffffffffffffff01", "08ffffffffffffffffff02", "08ffffffffffffffffffff01", "0880808080808080808000", "08808080808080808080", // numbers of ten bytes and more
	"10ffffffffffffffffff01", "10ffffffff0f", "1080808080808001", "18ffffffffffffffffff01", "30ffffffffffffffffff01", "38ffffffffffffffffff01", "30ffffffffffff7f",
	"0aff01", "0affffffffffffffffff01", "0a808080808001", "0affffffff07", "0affffffffffffffff7f", // lengths beyond the end
	"08020801", "0805", "0880808080808080808001", // a bool that is neither
	"4100", "410000000000000000", "45000000", "4501020304", "0900000000000000", "0d0000", // fixed
	"7200", "7201ff", "7203e697a5", "7202c080", "7203eda080", "7204f4908080", "7204f09f9880", "72086162636465666768", "7209616263646566676880", "7a00", "7a01ff",
	"0a0201 02", "0a03010203", "0a0480808001", "0a02ff80", "0a00", "4a0900000000000000000000", "4a080000000000000000", // packed
	"08010a020101 0801", "10011205ff80010203", "90010192020401020304", // packed and not, in turns
	"f2ff03020801 f2ff03021002", "faff0302 0801", "faff03040801 1002 faff03021003", // a message in pieces
	"080110021803", "4a0208014a021002", "4a020801 32016161 4a021002", "080a4a00 0801", "72014178017a00", // oneofs
	"0a00", "0a020a00", "0a021200", "0a060a01611201 62", "0a0612016 20a0161", "0a0a0a01611201620a0163 120164", "0a0618010a016112 00", "0a040a020a00", "0a030801 00", "0a010f", "0a0261ff", "0a0200 00", // maps
	"12040a016112 00", "12060a01611200 12060a0161120 20a00", "2a0408011201 78", "3a0408011001", "220408 0a 10 0b",
	"a801017a0161a801027a0162", "a80101a80102", "a88001 01a80102", "a8010172016 1a80102", "ab01ac01", "ab01a80101ac01", "ab01ab01ac01ac01", "ab01b401", "ab01", // unknown fields in turns with known
	"0b08010c", "0b0801 0b 0c 0c", "0b2a0161 0c", "2b3001 34 2b 34 2c", "2b30012c", "2b2c", "2c", "430801 44", "434448014344", "4349 01", // groups
	"a0060 1", "aa060161", "ca06020801", "d3060801d406", "c23e00", "a006", "a00680", "a50600000000", // extensions
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
	for _, m := range kinds {
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

// Messages may be nested just as deep as package proto has it, in fields, lists, oneofs,
// groups and maps, with the default limit and with others.
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

// Extensions are found by the Resolver, and unknown fields where it knows none.
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
