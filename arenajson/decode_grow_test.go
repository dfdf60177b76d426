package arenajson

import (
	"strings"
	"testing"

	"github.com/ebbpool/arena/internal/machine"
)

// The expected length stays below the maximum size of an allocation. With 32 bits, four times a large slice
// exceeds the address space.
func TestExpectedIsAnAllocation(t *testing.T) {
	const size = machine.MaxAlloc / 8
	for n := 1; n <= 8; n++ {
		for rest := range 100 {
			d := decoder{scanner: scanner{n: 10*n + rest}}
			if got := d.expected(&growth{}, size, n, 10*n); got > 8 && got > n+n/4 {
				t.Errorf("%d of at most 8 elements, where %d are and %d bytes follow", got, n, rest)
			}
		}
	}
}

// Slices within slices have capacity for at most twice their length. On the heap they are not trimmed, so in
// a document of many slices all of them would waste memory.
func TestListsInListsAreTight(t *testing.T) {
	inner := "[" + strings.Repeat(",12345678", 8200)[1:] + "]"
	var lists [][]int64
	var any any
	for n := 1; n < 60; n += 1 + n/2 {
		doc := []byte("[" + strings.Repeat(","+inner, n)[1:] + "]")
		lists, any = nil, nil
		if err := Unmarshal(nil, doc, &lists); err != nil {
			t.Fatal(err)
		}
		if err := Unmarshal(nil, doc, &any); err != nil {
			t.Fatal(err)
		}
		for i := range lists {
			if c := cap(lists[i]); c > 2*len(lists[i]) {
				t.Fatalf("list %d of %d: room for %d of %d", i, n, c, len(lists[i]))
			}
			if l := anyList(any, i); cap(l) > 2*len(l) {
				t.Fatalf("list %d of %d in an interface: room for %d of %d", i, n, cap(l), len(l))
			}
		}
	}
}

func anyList(x any, i int) []any { return x.([]any)[i].([]any) }
