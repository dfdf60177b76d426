package machine

import (
	"strings"
	"testing"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Holds finds text in any chunk of a region, and none outside. Text wrongly taken for the heap's would be
// read when the arena belongs to another request.
func TestHolds(t *testing.T) {
	type values struct {
		more *int
		text [2]string
	}
	var r, other Region
	r.Init(256, 1<<20)
	other.Init(256, 1<<20)
	text := func(r *Region, n int) string {
		return xunsafe.ViewString(MakeSlice[byte](r, n, n))
	}
	var in []string
	var slices [][]string
	for i := range 20 {
		in = append(in, text(&r, 1+i*20))
		slices = append(slices, MakeSlice[string](&r, 1+i, 1+i), New[values](&r).text[1:])
	}
	holds := func(when string, want bool) {
		t.Helper()
		for i, s := range in {
			if !r.Holds(xunsafe.TextOf(s)) && want || !r.Holds(xunsafe.TextOf(s[len(s)-1:])) && want || other.Holds(xunsafe.TextOf(s)) {
				t.Errorf("%s: text %d of %d bytes", when, i, len(s))
			}
		}
		for i, s := range slices {
			if !r.Holds(xunsafe.DataOf(s)) && want || !r.Holds(xunsafe.DataOf(s[len(s)-1:])) && want || other.Holds(xunsafe.DataOf(s)) {
				t.Errorf("%s: slice %d of %d", when, i, len(s))
			}
		}
	}
	text(&other, 100)
	MakeSlice[string](&other, 9, 9)
	if al := &r.Noscan; len(al.full) == 0 {
		t.Fatal("no full chunks: the test is none")
	}
	holds("in use", true)
	for _, s := range []string{"", "constant", strings.Repeat("heap", 9)} {
		if r.Holds(xunsafe.TextOf(s)) || r.Holds(xunsafe.DataOf([]string{s})) || r.Holds(nil) {
			t.Errorf("%q is held", s)
		}
	}
	for _, al := range []*Allocator{&r.Noscan, allocatorOf[string](&r)} {
		for _, c := range append(al.full[:len(al.full):len(al.full)], al.chunk) {
			start := xunsafe.Number(c.Base)
			if al.holds(start-1) && !al.holds(start-2) || !al.holds(start) || !al.holds(start+c.cap-1) || c.holds(start+c.cap) || c.holds(start-1) {
				t.Errorf("the ends of a chunk of %d bytes", c.cap)
			}
		}
	}
	if check.On {
		return // an ended cycle leaves no chunks
	}
	m := r.Mark()
	r.Seal()
	late := text(&r, 3000)
	r.Rewind(m)
	if al := &r.Noscan; len(al.free) == 0 || !r.Holds(xunsafe.TextOf(late)) {
		t.Errorf("%d free chunks, and none holds what lay there", len(al.free))
	}
}

// Holds does not allocate, because it is called for each header field of each response.
func TestHoldsAllocatesNothing(t *testing.T) {
	var r Region
	r.Init(4096, 40960)
	MakeSlice[string](&r, 3, 3)
	s := []string{"text"}
	if n := testing.AllocsPerRun(100, func() { r.Holds(xunsafe.TextOf(s[0])); r.Holds(xunsafe.DataOf(s)) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkHolds(b *testing.B) {
	var r Region
	r.Init(4096, 40960)
	MakeSlice[byte](&r, 3, 3)
	MakeSlice[string](&r, 3, 3)
	MakeSlice[*int](&r, 3, 3)
	MakeSlice[any](&r, 3, 3)
	s := []string{"text"}
	for b.Loop() {
		if r.Holds(xunsafe.TextOf(s[0])) || r.Holds(xunsafe.DataOf(s)) {
			b.Fatal("held")
		}
	}
}
