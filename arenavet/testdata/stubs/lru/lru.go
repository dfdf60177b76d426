// Package lru stands in for the real one, in which what Add keeps lies too deep to be followed.
package lru

type Cache[K comparable, V any] struct{ lru *list[K, V] }

type list[K comparable, V any] struct{ root *entry[K, V] }

type entry[K comparable, V any] struct {
	next, prev *entry[K, V]
	key        K
	value      V
}

func New[K comparable, V any](size int) (*Cache[K, V], error) {
	return &Cache[K, V]{lru: &list[K, V]{root: &entry[K, V]{}}}, nil
}

func (c *Cache[K, V]) Add(key K, value V) (evicted bool) {
	c.lru.root.next.next = &entry[K, V]{key: key, value: value}
	return false
}

func (c *Cache[K, V]) Get(key K) (value V, ok bool) { return value, false }
