// Package recipes contains the code of docs/recipes.md, a file for each recipe. Tests run each of them.
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

// receipt returns the receipt of an order, allocated from a.
func receipt(a *arena.Arena, o *Order) *Receipt {
	var cents int64
	for _, item := range o.Items {
		cents += item.Quantity * item.Cents
	}
	return arena.NewOf(a, Receipt{ID: o.ID, Total: a.Sprintf("%d.%02d", cents/100, cents%100)})
}
