// Package traffic generates the requests of tests and measurements. The same seed gives the same requests.
package traffic

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"

	"github.com/ebbpool/arena/examples/orders/order"
	"github.com/ebbpool/arena/examples/orders/store"
)

// Request is one request to the service.
type Request struct {
	Method, Path string
	Body         []byte
}

// Source generates requests of a number of customers, about a number of orders.
type Source struct {
	rng       *rand.Rand
	prefix    string
	customers int
	orders    int64 // ids in requests are 1 to orders
}

// New returns a Source. Its customers' names begin with prefix.
func New(seed uint64, prefix string, customers int, orders int64) *Source {
	return &Source{rand.New(rand.NewPCG(seed, 0x6f7264657273)), prefix, customers, orders}
}

// Next returns a request; 80 of 100 read.
func (s *Source) Next() Request {
	if s.rng.IntN(100) < 20 {
		return s.Create()
	}
	return s.Read()
}

// Read returns a GET request: half of them for lists, three of eight for an order, the others for a receipt.
func (s *Source) Read() Request {
	switch n := s.rng.IntN(8); {
	case n < 4:
		return s.List()
	case n < 7:
		return get(fmt.Sprintf("/orders/%d", s.id()))
	default:
		return get(fmt.Sprintf("/orders/%d/receipt", s.id()))
	}
}

// Create returns a POST request with a valid order.
func (s *Source) Create() Request {
	body, err := json.Marshal(s.Draft())
	if err != nil {
		panic(err) // a Draft can always be marshaled
	}
	return Request{http.MethodPost, "/orders", body}
}

// List returns a GET request for one customer's orders, filtered.
func (s *Source) List() Request {
	path := fmt.Sprintf("/orders?customer=%s&limit=%d", s.customer(), 5+s.rng.IntN(40))
	switch s.rng.IntN(4) {
	case 0:
		path += "&status=open"
	case 1:
		path += fmt.Sprintf("&min_total=%d", s.rng.IntN(50_000))
	}
	return get(path)
}

func get(path string) Request { return Request{Method: http.MethodGet, Path: path} }

func (s *Source) id() int64        { return 1 + s.rng.Int64N(s.orders) }
func (s *Source) customer() string { return fmt.Sprintf("%s%d", s.prefix, s.rng.IntN(s.customers)) }

var (
	names = []string{"Assam", "Earl Grey, \"loose\"", "Sencha", "Café crème", "Mate", "Rooibos <organic>", "Darjeeling First Flush", "Oolong"}
	tags  = []string{"fragile", "cold", "gift", "heavy", "fair trade"}
)

// Draft returns a valid order of 1 to 15 lines.
func (s *Source) Draft() *order.Draft {
	d := &order.Draft{Customer: s.customer(), Currency: []string{"EUR", "USD", "GBP"}[s.rng.IntN(3)]}
	if s.rng.IntN(3) == 0 {
		d.Note = fmt.Sprintf("leave it at door %d", s.rng.IntN(100))
	}
	first := s.rng.IntN(1000)
	for i := range 1 + s.rng.IntN(15) {
		l := order.Line{
			SKU:      fmt.Sprintf("sku-%04d", (first+7*i)%1000),
			Name:     names[s.rng.IntN(len(names))],
			Quantity: 1 + s.rng.Int64N(20),
			Price:    100 + s.rng.Int64N(9900),
		}
		if s.rng.IntN(4) == 0 {
			l.Discount = &order.Discount{Code: fmt.Sprintf("SAVE%d", s.rng.IntN(50)), Percent: s.rng.Int64N(50)}
		}
		for range s.rng.IntN(3) {
			l.Tags = append(l.Tags, tags[s.rng.IntN(len(tags))])
		}
		d.Lines = append(d.Lines, l)
	}
	return d
}

// Fill inserts n orders of s's customers into the database.
func (s *Source) Fill(ctx context.Context, to *store.Store, n int) error {
	tx, insert, err := to.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for i := range n {
		d := s.Draft()
		var total, id int64
		for k := range d.Lines {
			total += d.Lines[k].Cost()
		}
		lines, err := json.Marshal(d.Lines)
		if err != nil {
			return err
		}
		status := []string{"open", "paid", "sent"}[i%3]
		row := insert.QueryRowContext(ctx, d.Customer, status, d.Currency, d.Note, 1_767_225_600_000+int64(i)*60_000, total, lines)
		if err := row.Scan(&id); err != nil {
			return err
		}
	}
	return tx.Commit()
}
