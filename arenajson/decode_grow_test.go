package arenajson

import (
	"strings"
	"testing"

	"github.com/ebbpool/arena/internal/machine"
)

// What is expected stays below what one allocation may have: with 32 bits four times a large slice
// is more than there are addresses, and so many bytes in a uintptr are few.
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

// Lists in a list have room for twice what they hold, at most: on the heap nothing takes back what
// is too much, and in a document of many all of them would have it.
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
