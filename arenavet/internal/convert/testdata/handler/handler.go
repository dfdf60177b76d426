// Package handler is a handler with a cache, a pool, a channel and a goroutine: one function
// makes what is kept and what is not.
package handler

import (
	"errors"
	"fmt"
	"strings"
	"sync"
)

type item struct {
	name string
	tags []string
	next *item
}

var (
	cache = map[string]*item{}
	spare sync.Pool
	sent  = make(chan *item, 16)
	last  *item
)

func mk(name string) *item { return &item{name: name} }

func tagged(name string, tags ...string) *item {
	it := mk(name)
	for _, t := range tags {
		it.tags = append(it.tags, strings.ToUpper(t))
	}
	return it
}

func report(it *item) { last = it }

// Handle is the root.
func Handle(names []string) (string, error) {
	var list *item
	for _, n := range names {
		if n == "" {
			return "", fmt.Errorf("no name behind %s", list.name)
		}
		if cache[n] == nil {
			cache[n] = mk(n)
		}
		it := mk(n)
		it.next = list
		list = it
	}
	report(mk("reported"))
	sent <- tagged("sent", "x")
	pooled := &item{name: "pooled"}
	spare.Put(pooled)
	done := make(chan bool)
	other := &item{name: "other"}
	go func() {
		last = other
		close(done)
	}()
	<-done
	mine := tagged("mine", "a", "b")
	mine.next = list
	return describe(mine)
}

var errTooLong = errors.New("too long")

func describe(it *item) (string, error) {
	text := ""
	for ; it != nil; it = it.next {
		text += it.name + ";" + strings.Join(it.tags, ",")
	}
	if len(text) > 1000 {
		return "", errTooLong
	}
	return text, nil
}
