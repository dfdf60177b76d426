package arenapb_test

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/adapters/protobuf/internal/oracle"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/oldpb"
)

// many is a message of 65 required fields, one more than there are bits for, without
// those that lacks says.
func many(lacks ...protowire.Number) []byte {
	var doc []byte
	for n := protowire.Number(1); n <= 65; n++ {
		if !slices.Contains(lacks, n) {
			doc = protowire.AppendVarint(protowire.AppendTag(doc, n, protowire.VarintType), uint64(n))
		}
	}
	return doc
}

// within is doc as field n, in a group if that is what the field is.
func within(n protowire.Number, group bool, doc []byte) []byte {
	if group {
		return protowire.AppendTag(append(protowire.AppendTag(nil, n, protowire.StartGroupType), doc...), n, protowire.EndGroupType)
	}
	return protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), doc)
}

// A required field is missed wherever it lacks: of more fields than a program has bits for,
// in messages and in groups, also where the message around it lacks nothing.
func TestRequired(t *testing.T) {
	a := arena.NewArena(4<<10, 0)
	check := func(m proto.Message, doc []byte, complete bool) {
		t.Helper()
		if err := proto.Unmarshal(doc, oracle.Fresh(nil, m)); (err == nil) != complete {
			t.Fatalf("package proto says %v", err)
		}
		if err := oracle.Differ(a, m, doc, nil); err != nil {
			t.Error(err)
		}
		a.Reset()
	}
	for _, lacks := range [][]protowire.Number{nil, {1}, {64}, {65}, {64, 65}, {1, 65}} {
		complete := lacks == nil
		check((*oldpb.Many)(nil), many(lacks...), complete)
		check((*oldpb.Many)(nil), append(many(), within(67, false, many(lacks...))...), complete)
		check((*oldpb.Many)(nil), append(many(), within(69, true, many(lacks...))...), complete)
		check((*oldpb.Many)(nil), append(many(), within(68, true, within(1, false, many(lacks...)))...), complete)
		check((*oldpb.Many)(nil), slices.Concat(many(), within(67, false, many(lacks...)), within(67, false, many())), true) // one message, in two pieces
	}
	id := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 7)
	name := protowire.AppendString(protowire.AppendTag(nil, 2, protowire.BytesType), "x")
	check((*oldpb.Groups)(nil), within(12, true, id), true)
	check((*oldpb.Groups)(nil), within(12, true, name), false)
	check((*oldpb.Groups)(nil), append(within(12, true, name), within(12, true, id)...), true)
	check((*oldpb.Groups)(nil), within(1, true, within(3, false, within(12, true, nil))), false)

	// In extensions, and in extensions of these, of a message that lacks nothing itself.
	extension := func(n protowire.Number, doc []byte) []byte { return slices.Concat(id, within(n, false, doc)) }
	whole := slices.Concat(id, protowire.AppendBytes(protowire.AppendTag(nil, 6, protowire.BytesType), nil))
	check((*oldpb.Both)(nil), extension(11, whole), true)
	check((*oldpb.Both)(nil), extension(11, id), false)
	check((*oldpb.Both)(nil), extension(10, within(105, false, whole)), true)
	check((*oldpb.Both)(nil), extension(10, within(105, false, id)), false)
	check((*oldpb.Both)(nil), within(11, false, whole), false)
}
