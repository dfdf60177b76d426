// Package handlers contains the request handler of the load test, written with more or less attention to
// memory. A request is a line of an access log and an order in JSON; the response is JSON with the order's
// totals and a receipt. All handlers give the same response to the byte.
package handlers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/bytedance/sonic"
	goccy "github.com/goccy/go-json"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/ebbpool/arena/arenajson"
)

// A Handler serves requests. Both methods may be called concurrently.
type Handler interface {
	http.Handler
	// Serve appends the response to dst. It does not keep payload.
	Serve(dst, payload []byte) ([]byte, error)
}

const (
	// Plain is Go as usually written: encoding/json, maps, fmt, strings.Builder.
	Plain = "plain"
	// Sonic, Goccy and ArenaJSON are Plain with another codec.
	Sonic, Goccy, ArenaJSON = "sonic", "goccy", "arenajson"
	// NilArena is the code of Arena with a nil arena, and so the heap.
	NilArena = "nil-arena"
	// Careful is hand-tuned code: sonic, strconv, and a sync.Pool of everything that can be reused. In
	// Unsafe, strings also share that memory.
	Careful, Unsafe = "sonic+sync.Pool", "sonic+sync.Pool+unsafe"
	// Arena is Plain with a pool of arenas and package arenajson.
	Arena = "arena"
)

// Tuned, appended to the name of a handler, sets GOGC=400 for its server.
const Tuned = "+GOGC=400"

// Older, appended to the name of a handler, compiles its server with the previous Go.
const Older = "+GOTOOLCHAIN=go1.26.8"

// Front lists the handlers of the demo.
var Front = []string{Plain, Plain + Tuned, ArenaJSON, Unsafe, Arena}

// Names returns all handlers.
func Names() []string {
	return []string{Plain, Sonic, Goccy, ArenaJSON, NilArena, Careful, Unsafe, Arena}
}

// New returns the handler with the given name.
func New(name string) (Handler, error) {
	switch name {
	case Plain:
		return plain{json.Unmarshal, json.Marshal}, nil
	case Sonic: // configured like encoding/json, without copies of strings, because bodies are not reused
		c := sonic.Config{SortMapKeys: true, EscapeHTML: true}.Froze()
		return plain{c.Unmarshal, c.Marshal}, nil
	case Goccy:
		return plain{func(b []byte, v any) error { return goccy.Unmarshal(b, v) }, goccy.Marshal}, nil
	case ArenaJSON:
		return plain{func(b []byte, v any) error { return arenajson.Unmarshal(nil, b, v) }, func(v any) ([]byte, error) { return arenajson.Marshal(nil, v) }}, nil
	case NilArena:
		return newInArena(nil), nil
	case Careful, Unsafe:
		return newCareful(name == Unsafe), nil
	case Arena:
		return newInArena(arena.NewAutoPool(0)), nil
	}
	return nil, fmt.Errorf("unknown handler %q; there are %q", name, Names())
}

func (h plain) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		body, err = h.Serve(nil, body)
	}
	reply(w, body, err)
}

func (h *careful) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d := h.pool.Get().(*desk)
	defer h.pool.Put(d)
	n := int(min(max(r.ContentLength, 0), 1<<20))
	if cap(d.in) < n {
		d.in = make([]byte, n)
	}
	d.in = d.in[:n]
	_, err := io.ReadFull(r.Body, d.in)
	if err == nil {
		err = d.serve(d.in)
	}
	reply(w, d.out, err)
}

func (h *inArena) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.http.ServeHTTP(w, r) }

func newInArena(pool *arena.ArenaPool) *inArena {
	return &inArena{pool, arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		body, err := arena.ReadAll(a, r.Body)
		if err == nil {
			body, err = serveIn(a, body)
		}
		reply(w, body, err)
	}))}
}

func reply(w http.ResponseWriter, doc []byte, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(doc)))
	_, _ = w.Write(doc) // the client may have left
}

var (
	errNoOrder = errors.New("a line of a log and an order are wanted")
	errEntry   = errors.New("not a line in Combined Log Format")
)

// Order is the document of a request.
type Order struct {
	ID      string            `json:"id"`
	Session string            `json:"session"`
	User    User              `json:"user"`
	Device  Device            `json:"device"`
	Items   []Item            `json:"items"`
	Attrs   map[string]string `json:"attrs"`
}

type User struct {
	Name    string  `json:"name"`
	Email   string  `json:"email"`
	Address Address `json:"address"`
}

type Address struct {
	Street  string `json:"street"`
	City    string `json:"city"`
	Zip     string `json:"zip"`
	Country string `json:"country"`
}

type Device struct {
	OS      string `json:"os"`
	Browser string `json:"browser"`
	Width   int    `json:"width"`
	Height  int    `json:"height"`
}

type Item struct {
	SKU   string   `json:"sku"`
	Title string   `json:"title"`
	Qty   int64    `json:"qty"`
	Price Price    `json:"price"`
	Tags  []string `json:"tags"`
}

type Price struct {
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
}

// Answer is the response to a request.
type Answer struct {
	ID      string            `json:"id"`
	From    string            `json:"from"`
	At      int64             `json:"at"`
	Status  int               `json:"status"`
	Bytes   int               `json:"bytes"`
	To      string            `json:"to"`
	Device  string            `json:"device"`
	Lines   []string          `json:"lines"`
	Totals  map[string]int64  `json:"totals"`
	Tags    map[string]int    `json:"tags"`
	Params  map[string]string `json:"params"`
	Attrs   map[string]string `json:"attrs"`
	Receipt string            `json:"receipt"`
}
