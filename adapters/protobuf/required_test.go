package arenapb_test

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/adapters/protobuf/internal/oracle"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/oddopaquepb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/oddpb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/oldpb"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// many encodes a message with 65 required fields, one more than there are bits for, except those in lacks.
func many(lacks ...protowire.Number) []byte {
	var doc []byte
	for n := protowire.Number(1); n <= 65; n++ {
		if !slices.Contains(lacks, n) {
			doc = protowire.AppendVarint(protowire.AppendTag(doc, n, protowire.VarintType), uint64(n))
		}
	}
	return doc
}

// within encodes doc as field n, as a group if the field is one.
func within(n protowire.Number, group bool, doc []byte) []byte {
	if group {
		return protowire.AppendTag(append(protowire.AppendTag(nil, n, protowire.StartGroupType), doc...), n, protowire.EndGroupType)
	}
	return protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), doc)
}

// A missing required field is reported wherever it is: with more fields than a program has bits for, in
// messages and groups, also if the outer message is complete.
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
		check((*oldpb.Wide)(nil), within(1, true, many(lacks...)), complete)
		check((*oldpb.Many)(nil), append(many(), within(67, false, many(lacks...))...), complete)
		check((*oldpb.Many)(nil), append(many(), within(69, true, many(lacks...))...), complete)
		check((*oldpb.Many)(nil), append(many(), within(68, true, within(1, false, many(lacks...)))...), complete)
		check((*oldpb.Many)(nil), slices.Concat(many(), within(67, false, many(lacks...)), within(67, false, many())), true) // one message in two pieces
	}
	id := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 7)
	name := protowire.AppendString(protowire.AppendTag(nil, 2, protowire.BytesType), "x")
	check((*oldpb.Groups)(nil), within(12, true, id), true)
	check((*oldpb.Groups)(nil), within(12, true, name), false)
	check((*oldpb.Groups)(nil), append(within(12, true, name), within(12, true, id)...), true)
	// Which of these package proto reports depends on the order in which it has used types.
	deep := within(1, true, within(3, false, within(12, true, nil)))
	check((*oldpb.Groups)(nil), deep, proto.Unmarshal(deep, new(oldpb.Groups)) == nil)

	// In extensions, and in extensions of these, of a message that is complete itself.
	extension := func(n protowire.Number, doc []byte) []byte { return slices.Concat(id, within(n, false, doc)) }
	whole := slices.Concat(id, protowire.AppendBytes(protowire.AppendTag(nil, 6, protowire.BytesType), nil))
	check((*oldpb.Both)(nil), extension(11, whole), true)
	check((*oldpb.Both)(nil), extension(11, id), false)
	check((*oldpb.Both)(nil), extension(10, within(105, false, whole)), true)
	check((*oldpb.Both)(nil), extension(10, within(105, false, id)), false)
	check((*oldpb.Both)(nil), within(11, false, whole), false)
}

// Missing fields that package proto does not report are not reported here: in a oneof's message that is not
// the first, and some in recursive messages.
func TestRequiredNotCounted(t *testing.T) {
	a := arena.NewArena(4<<10, 0)
	for _, m := range []proto.Message{(*oddpb.CycleA)(nil), (*oddpb.CycleB)(nil), (*oddopaquepb.CycleA)(nil)} {
		// Which of these package proto reports depends on the order in which it has used types.
		for _, doc := range []string{"0a040a021200", "1a00", "0a021200", "22020a00", "22040a021200", "0a041a021200"} {
			if err := oracle.Differ(a, m, unhex(t, doc), nil); err != nil {
				t.Errorf("%s: %s: %v", oracle.NameOf(m), doc, err)
			}
		}
	}
	for _, c := range []struct {
		m      proto.Message
		doc    string
		before string // already in the message
		passes bool
	}{
		{(*oddpb.Ones)(nil), "1200", "", true},           // late
		{(*oddpb.Ones)(nil), "2200", "", true},           // last
		{(*oddpb.Ones)(nil), "2b2c", "", true},           // a group
		{(*oddpb.Ones)(nil), "4200", "", false},          // first
		{(*oddpb.Ones)(nil), "12004200", "", false},      // both
		{(*oddpb.Ones)(nil), "42001200", "", false},      //
		{(*oddpb.Ones)(nil), "82010412001200", "", true}, // in a message that is complete itself
		{(*oddpb.Ones)(nil), "4a0161", "4200", true},     // incomplete before
		{(*oddpb.Ones)(nil), "4a0161", "1200", true},     // and replaced
		{(*oddopaquepb.Ones)(nil), "1200", "", true},
		{(*oddopaquepb.Ones)(nil), "4200", "", false},
		{(*oldpb.Both)(nil), "0801 5a0408013200", "", true},
		// An entry's message in two pieces, one of which is complete.
		{(*oldpb.Holder)(nil), "2a0a 1204 08013200 1202 1a00", "", true},
		{(*oldpb.Holder)(nil), "2a0a 1202 1a00 1204 08013200", "", true},
		{(*oldpb.Holder)(nil), "2a08 1202 1a00 1202 0801", "", false},
		{(*oldpb.Holder)(nil), "2a02 0801", "", false},
		{(*oldpb.Holder)(nil), "0a00 2a06 1204 08013200", "", false},
		{(*oldpb.Both)(nil), "0801 5a020801", "", false},
	} {
		doc, before := unhex(t, c.doc), unhex(t, c.before)
		want := oracle.Fresh(nil, c.m)
		if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(before, want); err != nil {
			t.Fatal(err)
		}
		if err := (proto.UnmarshalOptions{Merge: true}).Unmarshal(doc, want); (err == nil) != c.passes {
			t.Errorf("%s: %s after %q: package proto says %v: the test is about something else", oracle.NameOf(c.m), c.doc, c.before, err)
		}
		for _, o := range []arenapb.UnmarshalOptions{{Merge: true}, {}} {
			if err := oracle.DifferBy(o, a, c.m, doc, before); err != nil {
				t.Errorf("%s: %s after %q: %v", oracle.NameOf(c.m), c.doc, c.before, err)
			}
		}
	}
}

// A message with a missing field is not decoded a second time, on the heap, unless it is not known whether
// package proto reports it.
func TestLackingIsReadOnce(t *testing.T) {
	if check.On || check.Race || !machine.LayoutOK {
		t.Skip("these builds allocate")
	}
	a := arena.NewArena(64<<10, 1<<20)
	for _, c := range []struct {
		doc   string
		twice bool
	}{{"4200", false}, {"1200 4200", true}, {"8b01 8c01", false}} {
		doc := unhex(t, c.doc+strings.Repeat("7a024a00", 1000)) // followed by a thousand messages
		n := testing.AllocsPerRun(20, func() {
			if err := arenapb.Unmarshal(a, doc, arena.New[oddpb.Ones](a)); err == nil {
				t.Fatal("it lacks nothing")
			}
			a.Reset()
		})
		if twice := n > 500; twice != c.twice {
			t.Errorf("%s: %v allocations", c.doc, n)
		}
	}
}
