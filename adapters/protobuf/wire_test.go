package arenapb_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/adapters/protobuf/internal/oracle"
	"github.com/ebbpool/arena/internal/check"
)

var wireTime = flag.Duration("wire", 0, "how long TestWire tests each type, in place of a number of rounds")

// differWire compares the decoding of two or three documents of m's type, with all options chosen by c.
func differWire(c *oracle.Choices, arenas []*arena.Arena, m proto.Message) (doc []byte, err error) {
	md := m.ProtoReflect().Descriptor()
	o := oracle.Options(c)
	doc = oracle.Wire(c, md)
	var before [][]byte
	if o.Merge && unsure(md) {
		o.AllowPartial = true
	}
	if o.Merge {
		before = [][]byte{oracle.Wire(c, md), oracle.Wire(c, md)}
	}
	for _, a := range arenas {
		if err := oracle.DifferBy(o, a, m, doc, before...); err != nil {
			return doc, fmt.Errorf("%w\nafter %x", err, before)
		}
	}
	return doc, nil
}

// unsure reports whether package proto's result for required fields after a Merge depends on more than the
// document: for lazy messages, and for recursive messages without a required field in the cycle but with one
// elsewhere.
func unsure(md protoreflect.MessageDescriptor) bool {
	if slices.ContainsFunc(left, func(m proto.Message) bool { return m.ProtoReflect().Descriptor() == md }) {
		return true
	}
	at := map[protoreflect.FullName]int{} // 1 while its fields are visited, then 2
	var circle func(protoreflect.MessageDescriptor) bool
	circle = func(md protoreflect.MessageDescriptor) (found bool) {
		if md == nil || at[md.FullName()] == 2 {
			return false
		}
		if at[md.FullName()] == 1 {
			return true
		}
		plain := md.RequiredNumbers().Len() == 0 && md.ExtensionRanges().Len() == 0
		if at[md.FullName()] = 2; plain { // others are not part of such a cycle
			at[md.FullName()] = 1
		}
		for i := range md.Fields().Len() {
			found = circle(md.Fields().Get(i).Message()) || found
		}
		at[md.FullName()] = 2
		return found
	}
	return circle(md)
}

// wireArenas returns a new arena, one with a limit that some documents exceed, and nil.
func wireArenas() []*arena.Arena {
	limited := arena.NewArena(1<<10, 0)
	limited.SetLimit(64 << 10)
	return []*arena.Arena{arena.NewArena(4<<10, 0), limited, nil}
}

// Documents that no Marshal produces are decoded like by package proto, with the same errors, in an arena, in
// one with a limit, and without one. The arenas stay usable.
func TestWire(t *testing.T) {
	rounds := 3000
	switch {
	case testing.Short() && check.Race:
		rounds = 60
	case testing.Short():
		rounds = 300
	}
	for _, m := range both {
		t.Run(oracle.NameOf(m), func(t *testing.T) {
			t.Parallel()
			start, seed := time.Now(), uint64(21)
			if *wireTime != 0 {
				seed = uint64(start.UnixNano())
			}
			c, arenas := oracle.Random(rand.New(rand.NewPCG(seed, 22))), wireArenas()
			good, all := 0, 0
			for *wireTime == 0 && all < rounds || time.Since(start) < *wireTime {
				doc, err := differWire(c, arenas, m)
				if err != nil {
					t.Fatalf("%v\nof %x", err, doc)
				}
				if proto.Unmarshal(doc, oracle.Fresh(nil, m)) == nil {
					good++
				}
				if all++; all%3 == 0 {
					for _, a := range arenas {
						if a != nil {
							a.Reset()
						}
					}
				}
			}
			if share := 100 * good / all; all >= 300 && (share < 5 || share > 98) { // with fewer it is chance
				t.Errorf("%d%% of %d documents are good: that compares little", share, all)
			}
		})
	}
}

// FuzzWire is TestWire with a fuzzer's choices.
func FuzzWire(f *testing.F) {
	r := rand.New(rand.NewPCG(23, 24))
	for i := range both {
		b := make([]byte, 200)
		for k := range b {
			b[k] = byte(r.Uint32())
		}
		f.Add(uint8(i), b)
	}
	f.Fuzz(func(t *testing.T, kind uint8, choices []byte) {
		if doc, err := differWire(oracle.Given(choices), wireArenas(), both[int(kind)%len(both)]); err != nil {
			t.Errorf("%v\nof %x", err, doc)
		}
	})
}
