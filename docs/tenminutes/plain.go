// Package tenminutes contains the handler of docs/guide.md after each step. Its tests count the allocations of each.
package tenminutes

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

type Item struct {
	SKU   string   `json:"sku"`
	Title string   `json:"title"`
	Cents int64    `json:"cents"`
	Qty   int64    `json:"qty"`
	Tags  []string `json:"tags"`
}

type Order struct {
	ID    string `json:"id"`
	Items []Item `json:"items"`
}

type Receipt struct {
	ID    string         `json:"id"`
	Lines []string       `json:"lines"`
	Tags  map[string]int `json:"tags"`
	Total string         `json:"total"`
}

func servePlain(w http.ResponseWriter, r *http.Request) {
	var order Order
	if err := json.NewDecoder(r.Body).Decode(&order); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
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
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(receipt)
}
