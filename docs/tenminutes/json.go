package tenminutes

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
)

var pool = arena.NewAutoPool(0)

func handlerJSON() http.Handler { return arenahttp.Handler(pool, http.HandlerFunc(serveJSON)) }

func handlerInTime(mux http.Handler) http.Handler {
	return arenahttp.Handler(pool, arenahttp.TimeoutHandler(mux, 5*time.Second, "too late"))
}

func serveJSON(w http.ResponseWriter, r *http.Request) {
	var order Order
	if err := arenahttp.Read(r, &order); err != nil {
		http.Error(w, err.Error(), arenahttp.Status(err))
		return
	}
	receipt := &Receipt{ID: strings.ToUpper(order.ID), Tags: map[string]int{}}
	var total int64
	for _, item := range order.Items {
		receipt.Lines = append(receipt.Lines, fmt.Sprintf("%dx %s (%s)", item.Qty, item.Title, item.SKU))
		for _, tag := range item.Tags {
			receipt.Tags[tag]++
		}
		total += item.Qty * item.Cents
	}
	receipt.Total = fmt.Sprintf("%d.%02d", total/100, total%100)
	arenahttp.Write(w, r, http.StatusOK, receipt)
}
