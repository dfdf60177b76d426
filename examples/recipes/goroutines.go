package recipes

import (
	"context"
	"sync"

	"github.com/ebbpool/arena"
)

// Receipts computes the receipts of all orders at the same time, in the arena of ctx.
func Receipts(ctx context.Context, orders []*Order) []*Receipt {
	a := arena.FromContext(ctx) // nil, which is the heap, if ctx has none
	receipts := arena.MakeSlice[*Receipt](a, len(orders), len(orders))
	var wg sync.WaitGroup
	for i, o := range orders {
		fork := a.Fork() // an arena belongs to one goroutine
		wg.Go(func() { receipts[i] = receipt(fork, o) })
	}
	wg.Wait() // before a ends
	return receipts
}
