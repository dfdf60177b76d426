// Package advice has programs in two forms, plain and in an arena. Some gain by the arena and some do not. The handlers
// of package handlers are among them. cmd/advice measures both forms.
package advice

import (
	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/lab/load/handlers"
	"github.com/ebbpool/arena/lab/load/payloads"
)

// Serve serves one request and returns a digest of the result.
type Serve = func(input []byte) uint64

// Subject is a program in its two forms.
type Subject struct {
	Name, What string
	// New returns both forms, with their state, and their inputs. The arena is empty at the beginning of each
	// request.
	New func() (inputs [][]byte, plain Serve, inArena func(*arena.Arena, []byte) uint64)
}

// Subjects returns all programs.
func Subjects() []Subject {
	return []Subject{
		{Name: "handler", What: "a line of a log and an order, by encoding/json", New: newHandler},
		{Name: "vm", What: "an expression, compiled once, that is evaluated", New: newVM},
		{Name: "cache", What: "records that are parsed and kept", New: newCache},
		{Name: "search", What: "words that are looked for in a text", New: newSearch},
		{Name: "workers", What: "four goroutines and a channel for each request", New: newWorkers},
		{Name: "sales", What: "lines of sales, grouped, sorted and printed", New: newSales},
		{Name: "dns", What: "DNS messages, decoded and encoded", New: newDNS},
		{Name: "diff", What: "the difference of two texts", New: newDiff},
		{Name: "route", What: "the shortest way through a grid", New: newRoute},
		{Name: "template", What: "a template, parsed and filled in", New: newTemplate},
		{Name: "ledger", What: "orders to buy and to sell, matched", New: newLedger},
	}
}

// newHandler returns the handlers of the load test. The one with an arena has its own pool.
func newHandler() (inputs [][]byte, plain Serve, inArena func(*arena.Arena, []byte) uint64) {
	serve := func(name string) Serve {
		h, err := handlers.New(name)
		if err != nil {
			panic(err)
		}
		var out []byte
		return func(b []byte) uint64 {
			if out, err = h.Serve(out[:0], b); err != nil {
				panic(err)
			}
			return sumOf(out)
		}
	}
	src := payloads.NewSource(11, 100)
	for i := range 100 {
		inputs = append(inputs, src.AppendPayload(nil, i))
	}
	pooled := serve(handlers.Arena)
	return inputs, serve(handlers.Plain), func(_ *arena.Arena, b []byte) uint64 { return pooled(b) }
}

// sumOf is FNV-1a of eight bytes at a time.
func sumOf[T string | []byte](s T) uint64 {
	sum := uint64(14695981039346656037)
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		sum = (sum ^ w) * 1099511628211
	}
	for ; i < len(s); i++ {
		sum = (sum ^ uint64(s[i])) * 1099511628211
	}
	return sum
}
