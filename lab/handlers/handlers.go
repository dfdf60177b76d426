// Package handlers has the request handler of the load test, as three kinds of
// people write it. A request is a line of an access log and an order in JSON; the
// answer is what the order comes to, in JSON. All three read, reckon and answer the
// same, byte by byte; they differ in where their memory comes from, and in which
// JSON package suits that.
package handlers

import (
	"errors"
	"fmt"
)

// A Handler serves requests. Serve may be called by many goroutines at once.
type Handler interface {
	// Serve appends the answer to dst. It keeps nothing of payload.
	Serve(dst, payload []byte) ([]byte, error)
}

// Names of the handlers, in the order of a round.
const (
	// Plain is Go as most people write it: encoding/json, maps, fmt,
	// strings.Builder.
	Plain = "plain"
	// Careful is what a team does that has seen the profile: sonic, strconv, and a
	// sync.Pool of all that can be used again.
	Careful = "sonic+sync.Pool"
	// Arena is plain, with a pool of arenas and package arenajson.
	Arena = "arena"
)

// Names returns all handlers in the order in which a round runs them.
func Names() []string { return []string{Plain, Careful, Arena} }

// New makes the handler of that name.
func New(name string) (Handler, error) {
	switch name {
	case Plain:
		return plain{}, nil
	case Careful:
		return newCareful(), nil
	case Arena:
		return newInArena(), nil
	}
	return nil, fmt.Errorf("unknown subject %q; there are %q", name, Names())
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

// Answer is the answer to a request.
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
