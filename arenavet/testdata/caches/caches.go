// Package caches puts memory of arenas into caches.
package caches

import (
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/ebbpool/arena"
)

type item struct{ name string }

var (
	pool   = arena.NewAutoPool(0)
	counts = make1[int]()
	items  = make1[*item]()
)

func make1[V any]() *lru.Cache[string, V] {
	c, _ := lru.New[string, V](10)
	return c
}

func key() {
	a := pool.Get()
	defer pool.Put(a)
	counts.Add(a.AllocString("k"), 1) // want `stored where it outlives the function`
}

func value() {
	a := pool.Get()
	defer pool.Put(a)
	items.Add("k", arena.NewOf(a, item{"x"})) // want `stored where it outlives the function`
}

func inside(c *lru.Cache[string, *item]) {
	a := pool.Get()
	defer pool.Put(a)
	c.Add("k", &item{a.AllocString("x")}) // want `stored where it outlives the function`
}

func fineCopies() {
	a := pool.Get()
	defer pool.Put(a)
	k := a.AllocString("k")
	if _, ok := counts.Get(k); !ok {
		counts.Add(strings.Clone(k), len(k))
	}
	items.Add(strings.Clone(k), &item{strings.Clone(k)})
}

func fineLocal() int {
	a := pool.Get()
	defer pool.Put(a)
	c := make1[int]()
	c.Add(a.AllocString("k"), 1)
	n, _ := c.Get("k")
	return n
}
