// Package order has what the service is about: orders, and what the answers about
// them look like. Both services have these types; nothing in them knows of arenas.
package order

import "time"

// Draft is an order as a customer sends it.
type Draft struct {
	Customer string `json:"customer"`
	Currency string `json:"currency"`
	Note     string `json:"note"`
	Lines    []Line `json:"lines"`
}

// Order is an order as the service has taken it.
type Order struct {
	ID       int64     `json:"id"`
	Customer string    `json:"customer"`
	Status   string    `json:"status"`
	Currency string    `json:"currency"`
	Note     string    `json:"note,omitempty"`
	Created  time.Time `json:"created"`
	Total    int64     `json:"total"` // of all lines, in cents
	Lines    []Line    `json:"lines"`
}

// Line is one article of an order.
type Line struct {
	SKU      string    `json:"sku"`
	Name     string    `json:"name"`
	Quantity int64     `json:"quantity"`
	Price    int64     `json:"price"` // of one, in cents
	Discount *Discount `json:"discount,omitempty"`
	Tags     []string  `json:"tags,omitempty"`
}

// Discount reduces the price of a line.
type Discount struct {
	Code    string `json:"code"`
	Percent int64  `json:"percent"`
}

// Cost of the line, in cents.
func (l *Line) Cost() int64 {
	cost := l.Quantity * l.Price
	if l.Discount != nil {
		cost -= cost * l.Discount.Percent / 100
	}
	return cost
}

// The most of everything. Together they keep a total far from what an int64, and a
// number in JavaScript, can hold.
const (
	MaxLines    = 200
	MaxQuantity = 10_000
	MaxPrice    = 100_000_000
	MaxText     = 200
	MaxPage     = 100 // orders in one answer
)

// Problem describes a fault of one field of a Draft.
type Problem struct {
	Field   string `json:"field"`
	Problem string `json:"problem"`
}

// Refusal is the answer to a Draft with problems.
type Refusal struct {
	Error    string    `json:"error"`
	Problems []Problem `json:"problems"`
}

// Page is a list of orders, with what they come to.
type Page struct {
	Orders  []Order `json:"orders"`
	Summary Summary `json:"summary"`
	Next    string  `json:"next,omitempty"` // where the list goes on
}

// Summary of the orders of one page.
type Summary struct {
	Count    int       `json:"count"`
	Total    int64     `json:"total"`
	Articles []Article `json:"articles"` // the ones that were ordered most
}

// Article is how often a SKU was ordered.
type Article struct {
	SKU      string `json:"sku"`
	Quantity int64  `json:"quantity"`
}
