package main

import (
	"log"
	"net/http"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
)

type Greeting struct {
	Name string `json:"name"`
	Text string `json:"text,omitempty"`
}

func greet(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context()) // ends with the request
	g := arena.New[Greeting](a)
	if err := arenahttp.Read(r, g); err != nil { // decodes JSON into a
		http.Error(w, err.Error(), arenahttp.Status(err))
		return
	}
	g.Text = a.Sprintf("Hello, %s!", g.Name)
	arenahttp.Write(w, r, http.StatusOK, g)
}

func main() {
	pool := arena.NewAutoPool(0)
	pool.SetLimit(8<<20, 256<<20) // 8 MB per request, 256 MB for all requests in progress
	log.Fatal(http.ListenAndServe("localhost:8080", arenahttp.Handler(pool, http.HandlerFunc(greet))))
}
