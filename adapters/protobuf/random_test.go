package arenapb_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/adapters/protobuf/internal/oracle"
	"github.com/ebbpool/arena/internal/machine"
)

// Random and malformed documents are decoded like by package proto, with the same errors.
func TestRandomMessages(t *testing.T) {
	rounds := 400
	if testing.Short() {
		rounds = 40
	}
	for _, m := range kinds {
		t.Run(oracle.NameOf(m), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, 2))
			a := arena.NewArena(16<<10, 0)
			var good, bad int
			for range rounds {
				before, doc := oracle.Document(t, r, m), oracle.Document(t, r, m)
				for _, d := range [][]byte{doc, slices.Concat(before, doc), oracle.Mutate(r, doc), oracle.Mutate(r, doc)} {
					if err := oracle.Differ(a, m, d, before); err != nil {
						t.Fatalf("%v\nof %x", err, d)
					}
					if proto.Unmarshal(d, oracle.Fresh(nil, m)) == nil {
						good++
					} else {
						bad++
					}
				}
				a.Reset()
			}
			if 2*good < rounds || bad == 0 && rounds > 40 {
				t.Errorf("%d documents were good and %d bad: that compares little", good, bad)
			}
		})
	}
}

// Package proto decodes none of the kinds above, or the tests would compare it with itself.
func TestNoFallbacks(t *testing.T) {
	if !machine.LayoutOK {
		t.Skip("package proto reads them all")
	}
	a := arena.NewArena(4<<10, 0)
	for _, m := range kinds {
		if err := (arenapb.UnmarshalOptions{AllowPartial: true}).Unmarshal(a, nil, oracle.Fresh(a, m)); err != nil {
			t.Error(err)
		}
	}
	for _, f := range arenapb.Fallbacks() {
		for _, m := range kinds {
			if f.Message == oracle.NameOf(m) {
				t.Errorf("%s: package proto reads it: %s", f.Message, f.Why)
			}
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for i, m := range kinds {
		for range 3 {
			f.Add(uint8(i), oracle.Document(f, r, m), oracle.Document(f, r, m))
		}
	}
	a := arena.NewArena(16<<10, 0)
	f.Fuzz(func(t *testing.T, kind uint8, doc, before []byte) {
		if err := oracle.Differ(a, kinds[int(kind)%len(kinds)], doc, before); err != nil {
			t.Errorf("%v\nof %x", err, doc)
		}
		a.Reset()
	})
}
