package tenminutes

import (
	"net/http"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
)

func handlerBoxes() http.Handler { return arenahttp.Handler(pool, http.HandlerFunc(serveBoxes)) }

func serveBoxes(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	order := arena.New[Order](a)
	if err := arenahttp.Read(r, order); err != nil {
		http.Error(w, err.Error(), arenahttp.Status(err))
		return
	}
	receipt := arena.NewOf(a, ReceiptIn{ID: a.ToUpper(order.ID), Tags: arena.NewMap[string, int](a, 0)})
	text := arena.NewBuffer(a, 1024)
	var total int64
	for i := range order.Items {
		item := &order.Items[i]
		from := text.Len()
		text.AppendInt(item.Qty, 10)
		text.WriteString("x ")
		text.WriteString(item.Title)
		text.WriteString(" (")
		text.WriteString(item.SKU)
		text.WriteString(")")
		receipt.Lines = arena.Append(a, receipt.Lines, text.String()[from:])
		for _, tag := range item.Tags {
			n, _ := receipt.Tags.Get(tag)
			receipt.Tags.Set(tag, n+1)
		}
		total += item.Qty * item.Cents
	}
	receipt.Total = a.Sprintf("%d.%02d", total/100, total%100)
	arenahttp.Write(w, r, http.StatusOK, receipt)
}
