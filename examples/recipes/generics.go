package recipes

import "github.com/ebbpool/arena"

// GroupBy returns the values of s by key, in a, or on the heap if a is nil.
func GroupBy[K comparable, V any](a *arena.Arena, s []V, key func(V) K) *arena.Map[K, []V] {
	groups := arena.NewMap[K, []V](a, 0)
	for _, v := range s {
		k := key(v)
		group, _ := groups.Get(k)
		groups.Set(k, arena.Append(a, group, v))
	}
	return groups
}
