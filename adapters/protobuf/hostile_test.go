package arenapb_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/bits"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/adapters/protobuf/internal/oracle"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/oldpb"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/openpb"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
)

var update = flag.Bool("update", false, "write the tables of docs/generated/protobuf.md")

const page = "../../docs/generated/protobuf.md"

// replace replaces the text between the page's markers of that name and returns the old text.
func replace(t *testing.T, name, text string) (was string) {
	b, err := os.ReadFile(page)
	if err != nil {
		t.Skip("SKIPPED: ", err) // without the rest of the repository
	}
	begin, end := "<!-- "+name+":begin -->\n", "<!-- "+name+":end -->"
	from, to := strings.Index(string(b), begin), strings.Index(string(b), end)
	if from < 0 || to < from {
		t.Fatalf("%s has no place for %s", page, name)
	}
	from += len(begin)
	if *update {
		if err := os.WriteFile(page, []byte(string(b[:from])+text+string(b[to:])), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return string(b[from:to])
}

// repeat returns a megabyte of copies of doc.
func repeat(doc ...byte) []byte { return bytes.Repeat(doc, 1<<20/len(doc)) }

// hostile lists documents of a megabyte that try to use much memory or time.
var hostile = []struct {
	name string
	m    proto.Message
	doc  []byte
}{
	{"empty messages in a list", (*openpb.Lists)(nil), repeat(0x8a, 1, 0)},
	{"empty messages in a list, of a descriptor", (*descriptorpb.FileDescriptorProto)(nil), repeat(0x22, 0)},
	{"empty strings", (*openpb.Lists)(nil), repeat(0x72, 0)},
	{"packed numbers of a byte, as 64 bits", (*openpb.Lists)(nil), append([]byte{0x2a, 0xfc, 0xff, 0x3f}, make([]byte, 1<<20-4)...)},
	{"numbers with a tag each", (*openpb.Lists)(nil), repeat(0x28, 1)},
	{"two lists in turns", (*openpb.Lists)(nil), repeat(0x72, 0, 0x7a, 0)},
	{"a list and an unknown field in turns", (*openpb.Lists)(nil), repeat(0x8a, 1, 0, 0xf8, 7, 1)},
	{"one oneof's fields in turns", (*openpb.Choice)(nil), repeat(0x4a, 0, 0x52, 0)},
	{"one map's same entry", (*openpb.Maps)(nil), repeat(0x12, 0)},
	{"a map of one entry in each message", (*structpb.ListValue)(nil), repeat(0x0a, 4, 0x2a, 2, 0x0a, 0)},
	{"groups", (*oldpb.Groups)(nil), repeat(0x2b, 0x2c)},
	{"nested as deep as may be", (*openpb.Choice)(nil), deep()},
	{"unknown fields", (*openpb.Scalars)(nil), repeat(0xf8, 7, 1)},
}

// deep returns messages nested 9,000 deep, repeatedly.
func deep() []byte {
	one := nest(nil, 9<<3|2, 9000)
	var doc []byte
	for len(doc)+len(one) <= 1<<20 {
		doc = append(doc, one...)
	}
	return doc
}

// No document takes much longer than with package proto. With a limit all of them end with an error, and the
// memory per byte is what the table says.
func TestHostile(t *testing.T) {
	if !machine.LayoutOK || check.On || check.Race || bits.UintSize != 64 {
		t.Skip("the table is that of plain builds on 64 bits")
	}
	var table, fixed strings.Builder
	table.WriteString("| 1 MB of | bytes of the arena a byte | of the heap, by proto.Unmarshal | time, of proto.Unmarshal's | with a limit of 32 MB |\n| --- | ---: | ---: | ---: | --- |\n")
	for _, h := range hostile {
		a := arena.NewArena(64<<10, 0)
		start := time.Now()
		err := arenapb.Unmarshal(a, h.doc, oracle.Fresh(a, h.m))
		took := time.Since(start)
		used := float64(a.Stats().UsedBytes) / float64(len(h.doc))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start = time.Now()
		wantErr := proto.Unmarshal(h.doc, oracle.Fresh(nil, h.m))
		plain := time.Since(start)
		runtime.ReadMemStats(&after)
		if err != nil || wantErr != nil {
			t.Fatalf("%s: %v, %v", h.name, err, wantErr)
		}
		heap := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(h.doc))
		if ours, theirs := testkit.Best(20, func() {
			arenapb.Unmarshal(a, h.doc, oracle.Fresh(a, h.m))
			a.Reset()
		}, func() {
			proto.Unmarshal(h.doc, oracle.Fresh(nil, h.m))
		}, func(ours, theirs time.Duration) bool { return ours <= 4*theirs }); ours > 4*theirs {
			t.Errorf("%s: %v, package proto takes %v", h.name, ours, theirs)
		}
		limited := arena.NewArena(64<<10, 0)
		limited.SetLimit(32 << 20)
		result := "fits"
		runtime.ReadMemStats(&before)
		if err := arenapb.Unmarshal(limited, h.doc, oracle.Fresh(limited, h.m)); errors.As(err, new(*arena.LimitError)) {
			result = "`*arena.LimitError`"
		} else if err != nil {
			t.Errorf("%s: %v", h.name, err)
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 40<<20 && h.name != "one map's same entry" {
			t.Errorf("%s: with a limit of 32 MB %d bytes were allocated", h.name, n)
		}
		fmt.Fprintf(&table, "| %s | %.1f | %.1f | %.1f | %s |\n", h.name, used, heap, float64(took)/float64(plain), result)
		fmt.Fprintf(&fixed, "%s | %.0f %s\n", h.name, used, result)
	}
	was := replace(t, "hostile", table.String())
	if *update {
		return
	}
	var have strings.Builder
	for line := range strings.Lines(was) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		var used float64
		if n, _ := fmt.Sscan(cells[min(1, len(cells)-1)], &used); n == 1 {
			fmt.Fprintf(&have, "%s | %.0f %s\n", cells[0], used, cells[4])
		}
	}
	if have.String() != fixed.String() {
		t.Errorf("the table is stale, run go test -run TestHostile -update: it has\n%s, now it is\n%s", have.String(), fixed.String())
	}
}

// The differences between Unmarshal and package proto that the page lists.
func TestDifferences(t *testing.T) {
	if !machine.LayoutOK {
		t.Skip("package proto reads all")
	}
	var table strings.Builder
	table.WriteString("| | `proto.Unmarshal` | `arenapb.Unmarshal` |\n| --- | --- | --- |\n")
	row := func(what string, theirs, ours any) { fmt.Fprintf(&table, "| %s | %v | %v |\n", what, theirs, ours) }
	a := arena.NewArena(4<<10, 0)

	text := protowire.AppendString(protowire.AppendTag(nil, 14, protowire.BytesType), "text")
	where := func(read func([]byte, proto.Message) error) string {
		m := new(openpb.Scalars)
		before := a.Stats().UsedBytes
		if err := read(text, m); err != nil {
			t.Fatal(err)
		}
		if m.GetS() != "text" {
			t.Fatal(m)
		}
		if a.Stats().UsedBytes > before {
			return "the arena: they end with it, and keep the whole document's memory alive till then"
		}
		return "the heap, each on its own"
	}
	ours := func(b []byte, m proto.Message) error { return arenapb.Unmarshal(a, b, m) }
	row("strings and bytes lie in", where(proto.Unmarshal), where(ours))

	capacity := func(read func([]byte, proto.Message) error) string {
		m := new(openpb.Lists)
		if err := read(bytes.Repeat([]byte{0x72, 0}, 5), m); err != nil {
			t.Fatal(err)
		}
		if cap(m.GetS()) == len(m.GetS()) {
			return "its length"
		}
		return "as append makes it"
	}
	row("the capacity of a list", capacity(proto.Unmarshal), capacity(ours))

	broken := func(read func([]byte, proto.Message) error) string {
		for _, c := range []struct {
			doc []byte
			m   proto.Message
		}{
			{[]byte{0x10, 0x81}, new(openpb.Scalars)},           // a number
			{[]byte{0x45, 1, 2}, new(openpb.Scalars)},           //
			{[]byte{0x8a, 1, 2, 0x08, 0x80}, new(openpb.Lists)}, // the first message of a list
			{[]byte{0x32, 1, 0xff}, new(openpb.Choice)},         // a oneof
		} {
			if read(c.doc, c.m) == nil {
				t.Fatal("a broken document was accepted")
			}
			if proto.Size(c.m) != 0 {
				return "may be set to a part of the document"
			}
		}
		return "as it was"
	}
	row("the field with the fault, after the error", broken(proto.Unmarshal), broken(ours))

	limited := func(read func([]byte, proto.Message) error) string {
		err := read(make([]byte, 1<<20), new(openpb.Scalars))
		if errors.As(err, new(*arena.LimitError)) {
			return "a `*arena.LimitError`, wrapped"
		}
		return "-"
	}
	small := arena.NewArena(4<<10, 0)
	small.SetLimit(64 << 10)
	row("an arena whose limit is reached", limited(proto.Unmarshal), limited(func(b []byte, m proto.Message) error { return arenapb.Unmarshal(small, b, m) }))

	if was := replace(t, "differs", table.String()); was != table.String() && !*update {
		t.Errorf("the table is stale, run go test -run TestDifferences -update: it has\n%s, now it is\n%s", was, table.String())
	}
}
