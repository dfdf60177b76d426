package orders

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/ebbpool/arena/arenajson"
	"github.com/ebbpool/arena/examples/orders/order"
	"github.com/ebbpool/arena/examples/orders/web"
)

// create accepts a new order: POST /orders.
func (s *service) create(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	d := arena.New[order.Draft](a)
	if err := limited(arenahttp.Read(r, d)); err != nil {
		web.FailBody(w, err)
		return
	}
	if problems := check(a, d); len(problems) > 0 {
		arenahttp.Write(w, r, http.StatusUnprocessableEntity, &order.Refusal{Error: "the order is not valid", Problems: problems})
		return
	}
	o := arena.NewOf(a, order.Order{
		Customer: a.ToLower(d.Customer),
		Status:   "open",
		Currency: d.Currency,
		Note:     strings.TrimSpace(d.Note),
		Created:  s.clock().UTC().Truncate(time.Millisecond),
		Lines:    d.Lines,
	})
	for i := range o.Lines {
		o.Total += o.Lines[i].Cost()
	}
	lines, err := arenajson.Marshal(a, &o.Lines)
	if limited(err) != nil {
		web.Fail(w, http.StatusInternalServerError, err.Error())
		return
	}
	row := s.store.Insert.QueryRowContext(r.Context(), o.Customer, o.Status, o.Currency, o.Note, o.Created.UnixMilli(), o.Total, lines)
	if err := row.Scan(&o.ID); err != nil {
		web.FailStore(w, r, s.web, err)
		return
	}
	// On the heap, because arenahttp would copy it.
	w.Header().Set("Location", "/orders/"+strconv.FormatInt(o.ID, 10))
	arenahttp.Write(w, r, http.StatusCreated, o)
}

// check returns the problems of a draft.
func check(a *arena.Arena, d *order.Draft) []order.Problem {
	var problems []order.Problem
	wrong := func(field, format string, args ...any) {
		problems = arena.Append(a, problems, order.Problem{Field: field, Problem: a.Sprintf(format, args...)})
	}
	if n := len(d.Customer); n == 0 || n > order.MaxText {
		wrong("customer", "must have 1 to %d bytes, has %d", order.MaxText, n)
	}
	if d.Currency != "EUR" && d.Currency != "USD" && d.Currency != "GBP" {
		wrong("currency", "must be EUR, USD or GBP")
	}
	if n := len(d.Note); n > order.MaxText {
		wrong("note", "may have %d bytes, has %d", order.MaxText, n)
	}
	if n := len(d.Lines); n == 0 || n > order.MaxLines {
		wrong("lines", "must be 1 to %d, are %d", order.MaxLines, n)
		return problems
	}
	seen := arena.NewMap[string, int](a, len(d.Lines))
	for i := range d.Lines {
		l := &d.Lines[i]
		field := func(name string) string { return a.Sprintf("lines[%d].%s", i, name) }
		if n := len(l.SKU); n == 0 || n > order.MaxText {
			wrong(field("sku"), "must have 1 to %d bytes, has %d", order.MaxText, n)
		} else if first, twice := seen.Get(l.SKU); twice {
			wrong(field("sku"), "is also in lines[%d]", first)
		} else {
			seen.Set(l.SKU, i)
		}
		if n := len(l.Name); n > order.MaxText {
			wrong(field("name"), "may have %d bytes, has %d", order.MaxText, n)
		}
		if l.Quantity < 1 || l.Quantity > order.MaxQuantity {
			wrong(field("quantity"), "must be 1 to %d, is %d", order.MaxQuantity, l.Quantity)
		}
		if l.Price < 0 || l.Price > order.MaxPrice {
			wrong(field("price"), "must be 0 to %d, is %d", order.MaxPrice, l.Price)
		}
		if d := l.Discount; d != nil && (d.Percent < 0 || d.Percent > 100) {
			wrong(field("discount.percent"), "must be 0 to 100, is %d", d.Percent)
		}
	}
	return problems
}
