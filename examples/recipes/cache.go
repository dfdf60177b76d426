package recipes

import (
	"strings"

	"github.com/ebbpool/arena"
	lru "github.com/hashicorp/golang-lru/v2"
)

func CachedReceipt(a *arena.Arena, cache *lru.Cache[string, *Receipt], o *Order) *Receipt {
	if r, ok := cache.Get(o.ID); ok { // a look-up keeps no key
		return r
	}
	r := receipt(a, o)
	cache.Add(strings.Clone(o.ID), arena.Escape(a, r)) // the cache keeps copies on the heap
	return r
}
