package tenminutes

import (
	"net/http"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
)

type ReceiptIn struct {
	ID    string                  `json:"id"`
	Lines []string                `json:"lines"`
	Tags  *arena.Map[string, int] `json:"tags"`
	Total string                  `json:"total"`
}

func handlerText() http.Handler { return arenahttp.Handler(pool, http.HandlerFunc(serveText)) }

func serveText(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	order := arena.New[Order](a)
	if err := arenahttp.Read(r, order); err != nil {
		http.Error(w, err.Error(), arenahttp.Status(err))
		return
	}
	receipt := arena.NewOf(a, ReceiptIn{ID: a.ToUpper(order.ID), Tags: arena.NewMap[string, int](a, 0)})
	var total int64
	for _, item := range order.Items {
		receipt.Lines = arena.Append(a, receipt.Lines, a.Sprintf("%dx %s (%s)", item.Qty, item.Title, item.SKU))
		for _, tag := range item.Tags {
			n, _ := receipt.Tags.Get(tag)
			receipt.Tags.Set(tag, n+1)
		}
		total += item.Qty * item.Cents
	}
	receipt.Total = a.Sprintf("%d.%02d", total/100, total%100)
	arenahttp.Write(w, r, http.StatusOK, receipt)
}
