// Package order defines orders and the responses about them. Both services use these types, which do not
// depend on arenas.
package order

import "time"

// Draft is an order as sent by a customer.
type Draft struct {
	Customer string `json:"customer"`
	Currency string `json:"currency"`
	Note     string `json:"note"`
	Lines    []Line `json:"lines"`
}

// Order is an accepted order.
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

// Cost returns the cost of the line in cents.
func (l *Line) Cost() int64 {
	cost := l.Quantity * l.Price
	if l.Discount != nil {
		cost -= cost * l.Discount.Percent / 100
	}
	return cost
}

// Limits. Together they keep totals far below the maximum of an int64, and of a number in JavaScript.
const (
	MaxLines    = 200
	MaxQuantity = 10_000
	MaxPrice    = 100_000_000
	MaxText     = 200
	MaxPage     = 100 // orders in one response
)

// Problem is an error in one field of a Draft.
type Problem struct {
	Field   string `json:"field"`
	Problem string `json:"problem"`
}

// Refusal is the response to a Draft with problems.
type Refusal struct {
	Error    string    `json:"error"`
	Problems []Problem `json:"problems"`
}

// Page is a list of orders with a summary.
type Page struct {
	Orders  []Order `json:"orders"`
	Summary Summary `json:"summary"`
	Next    string  `json:"next,omitempty"` // path of the next page
}

// Summary summarizes the orders of a page.
type Summary struct {
	Count    int       `json:"count"`
	Total    int64     `json:"total"`
	Articles []Article `json:"articles"` // the articles ordered most
}

// Article is the number of orders of a SKU.
type Article struct {
	SKU      string `json:"sku"`
	Quantity int64  `json:"quantity"`
}
