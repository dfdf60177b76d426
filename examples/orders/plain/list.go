package orders

import (
	"cmp"
	"database/sql"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/ebbpool/arena/examples/orders/order"
	"github.com/ebbpool/arena/examples/orders/web"
)

// query holds the parameters of a list.
type query struct {
	customer, status string
	after, least     int64
	limit            int64
}

// list returns orders, oldest first: GET /orders?customer=&status=&min_total=&after=&limit=.
func (s *service) list(w http.ResponseWriter, r *http.Request) {
	values := r.URL.Query()
	q := query{customer: values.Get("customer"), status: values.Get("status"), limit: 20}
	for _, number := range []struct {
		name string
		to   *int64
		most int64
	}{{"after", &q.after, 1<<63 - 1}, {"min_total", &q.least, 1<<63 - 1}, {"limit", &q.limit, order.MaxPage}} {
		if text := values.Get(number.name); text != "" {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil || n < 0 || n > number.most {
				web.Fail(w, http.StatusBadRequest, fmt.Sprintf("%s must be 0 to %d", number.name, number.most))
				return
			}
			*number.to = n
		}
	}
	rows, err := s.query(r, &q)
	if err != nil {
		web.FailStore(w, r, s.web, err)
		return
	}
	orders, err := scan(rows, int(q.limit))
	if err != nil {
		web.FailStore(w, r, s.web, err)
		return
	}
	page := &order.Page{Orders: orders, Summary: summarize(orders)}
	if n := len(orders); n > 0 && n == int(q.limit) {
		page.Next = next(&q, orders[n-1].ID)
	}
	write(w, http.StatusOK, page)
}

func (s *service) query(r *http.Request, q *query) (*sql.Rows, error) {
	if q.customer == "" {
		return s.store.List.QueryContext(r.Context(), q.after, q.status, q.least, q.limit)
	}
	return s.store.ByCustomer.QueryContext(r.Context(), q.after, q.status, q.least, q.limit, q.customer)
}

// next returns the path of the list after the order with that id.
func next(q *query, id int64) string {
	return fmt.Sprintf("/orders?customer=%s&status=%s&min_total=%d&after=%d&limit=%d",
		url.QueryEscape(q.customer), url.QueryEscape(q.status), q.least, id, q.limit)
}

// summarize sums orders, with the articles ordered most.
func summarize(orders []order.Order) order.Summary {
	sum := order.Summary{Count: len(orders)}
	quantities := make(map[string]int64, 64)
	for i := range orders {
		sum.Total += orders[i].Total
		for k := range orders[i].Lines {
			l := &orders[i].Lines[k]
			quantities[l.SKU] += l.Quantity
		}
	}
	articles := make([]order.Article, 0, len(quantities))
	for sku, quantity := range quantities {
		articles = append(articles, order.Article{SKU: sku, Quantity: quantity})
	}
	slices.SortFunc(articles, func(a, b order.Article) int {
		return cmp.Or(cmp.Compare(b.Quantity, a.Quantity), cmp.Compare(a.SKU, b.SKU))
	})
	sum.Articles = articles[:min(len(articles), 5)]
	return sum
}
