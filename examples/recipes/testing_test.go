package recipes

import (
	"testing"

	"github.com/ebbpool/arena"
)

func TestReceipt(t *testing.T) {
	defer arena.ExplainFaults()    // with -tags arenacheck: explains a use of freed memory
	a := arena.NewArena(64<<10, 0) // an arena for each test, also for each parallel subtest
	got := receipt(a, &Order{ID: "A-1", Items: []Item{{SKU: "tea", Quantity: 3, Cents: 250}}})
	if want := (Receipt{ID: "A-1", Total: "7.50"}); *got != want {
		t.Errorf("receipt = %+v, want %+v", *got, want)
	}
}

func BenchmarkReceipt(b *testing.B) {
	o := &Order{ID: "A-1", Items: make([]Item, 20)}
	a := arena.NewArena(64<<10, 1<<20)
	b.ReportAllocs()
	for b.Loop() {
		receipt(a, o)
		a.Reset() // the benchmark pays for it, as a request does
	}
}
