// Package recipes has the code of docs/recipes.md, a file for each recipe. Its tests run each of them.
package recipes

import "github.com/ebbpool/arena"

type Item struct {
	SKU             string
	Quantity, Cents int64
}

type Order struct {
	ID    string
	Items []Item
}

type Receipt struct{ ID, Total string }

// receipt allocates the answer to an order where the order's memory is.
func receipt(a *arena.Arena, o *Order) *Receipt {
	var cents int64
	for _, item := range o.Items {
		cents += item.Quantity * item.Cents
	}
	return arena.NewOf(a, Receipt{ID: o.ID, Total: a.Sprintf("%d.%02d", cents/100, cents%100)})
}
