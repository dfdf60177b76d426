//go:build go1.27

package tenminutes

import (
	"net/http"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
)

// handlerMethods is handlerText with the methods of an arena.
func handlerMethods() http.Handler { return arenahttp.Handler(pool, http.HandlerFunc(serveMethods)) }

func serveMethods(w http.ResponseWriter, r *http.Request) {
	// Go 1.27
	a := arena.FromContext(r.Context())
	order := a.New[Order]()
	if err := arenahttp.Read(r, order); err != nil {
		http.Error(w, err.Error(), arenahttp.Status(err))
		return
	}
	receipt := a.NewOf(ReceiptIn{ID: a.ToUpper(order.ID), Tags: a.NewMap[string, int](0)})
	var total int64
	for _, item := range order.Items {
		receipt.Lines = a.Append(receipt.Lines, a.Sprintf("%dx %s (%s)", item.Qty, item.Title, item.SKU))
		for _, tag := range item.Tags {
			n, _ := receipt.Tags.Get(tag)
			receipt.Tags.Set(tag, n+1)
		}
		total += item.Qty * item.Cents
	}
	receipt.Total = a.Sprintf("%d.%02d", total/100, total%100)
	arenahttp.Write(w, r, http.StatusOK, receipt)
}
