package orders

import (
	"database/sql"
	"fmt"
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

// get returns one order: GET /orders/{id}.
func (s *service) get(w http.ResponseWriter, r *http.Request) {
	if o := s.find(w, r); o != nil {
		arenahttp.Write(w, r, http.StatusOK, o)
	}
}

// receipt returns one order as text: GET /orders/{id}/receipt.
func (s *service) receipt(w http.ResponseWriter, r *http.Request) {
	o := s.find(w, r)
	if o == nil {
		return
	}
	text := arena.NewBuffer(arena.FromContext(r.Context()), 1<<10)
	fmt.Fprintf(text, "Order %d of %s, %s\n", o.ID, o.Customer, o.Created.Format(time.DateOnly))
	for i := range o.Lines {
		l := &o.Lines[i]
		text.WriteString(l.Name)
		text.WriteString(" (")
		text.WriteString(l.SKU)
		text.WriteString(") ")
		fmt.Fprintf(text, "%d x %s", l.Quantity, money(l.Price))
		if l.Discount != nil {
			fmt.Fprintf(text, " - %d%%", l.Discount.Percent)
		}
		fmt.Fprintf(text, " = %s\n", money(l.Cost()))
	}
	fmt.Fprintf(text, "Total: %s %s\n", money(o.Total), o.Currency)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(text.Len()))
	w.Write(text.Bytes())
}

func money(cents int64) string {
	return fmt.Sprintf("%d.%02d", cents/100, cents%100)
}

// find reads the order named in the path. If there is none it responds and returns nil.
func (s *service) find(w http.ResponseWriter, r *http.Request) *order.Order {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || id <= 0 {
		web.Fail(w, http.StatusBadRequest, "the id must be a number above 0")
		return nil
	}
	rows, err := s.store.ByID.QueryContext(r.Context(), id)
	if err != nil {
		web.FailStore(w, r, s.web, err)
		return nil
	}
	found, err := scan(arena.FromContext(r.Context()), rows, 1)
	if err != nil {
		web.FailStore(w, r, s.web, err)
		return nil
	}
	if len(found) == 0 {
		web.Fail(w, http.StatusNotFound, "there is no such order")
		return nil
	}
	return &found[0]
}

// scan reads all rows. hint is an upper bound of their number.
func scan(a *arena.Arena, rows *sql.Rows, hint int) ([]order.Order, error) {
	defer rows.Close()
	orders := arena.MakeSlice[order.Order](a, 0, hint)
	for rows.Next() {
		var lines string
		var created int64
		orders = arena.Append(a, orders, order.Order{})
		o := &orders[len(orders)-1]
		err := rows.Scan(&o.ID, &o.Customer, &o.Status, &o.Currency, &o.Note, &created, &o.Total, &lines)
		if err == nil {
			err = limited(arenajson.UnmarshalRead(a, strings.NewReader(lines), &o.Lines))
		}
		if err != nil {
			return nil, err
		}
		o.Created = time.UnixMilli(created).UTC()
	}
	return orders, rows.Err()
}
