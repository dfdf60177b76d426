// Package served has handlers in its types, which a server calls, and nothing else does: what is written as JSON
// moves, though an interface in it might hold a handler; what a handler is served with does not.
package served

import (
	"encoding/json"
	"net/http"
)

// Item is what they get.
type Item struct{ Name string }

var kept any

// Server keeps its item.
type Server struct{ item *Item }

func (s *Server) ServeHTTP(http.ResponseWriter, *http.Request) { kept = s.item }

// Answer may lead to anything.
type Answer struct {
	Items []*Item
	More  any
}

// Get is the root.
func (s *Server) Get(w http.ResponseWriter, r *http.Request) {
	if r.ParseForm() != nil {
		return
	}
	moves := &Answer{Items: []*Item{{r.FormValue("name") + "."}}}
	json.NewEncoder(w).Encode(moves)
	held := &Answer{Items: []*Item{{"stays, and so does its list"}}}
	json.NewEncoder(w).Encode(held)
	kept = held.Items[0]
	stays := &Item{}
	http.StripPrefix("/", &Server{stays}).ServeHTTP(w, r)
}
