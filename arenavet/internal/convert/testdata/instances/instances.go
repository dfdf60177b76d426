// Package instances gives what it makes to generic functions, methods and types of its own, and to those of
// others, that keep it, or give it to functions that do: no item may move.
package instances

import (
	"maps"
	"slices"
	"sort"
	"strings"
)

// Item is what they keep.
type Item struct{ Name string }

var (
	kept    []*Item
	any1    any
	queue   = make(chan *Item, 100)
	items   = cache[*Item]{m: map[string]*Item{}}
	words   []string
	byName  = map[string]*Item{}
	shared  = &hooksOf[*Item]{f: func(*Item) {}}
	initial = &hidden{hook: func(*Item, int) {}}
)

// cache keeps what it gets.
type cache[T any] struct{ m map[string]T }

func (c *cache[T]) put(v T) { c.m["a"] = v }

func store[T any](v T) { any1 = v }

func send[T any](c chan<- T, v T) { c <- v }

func each[T any](list []T, f func(T)) {
	for _, v := range list {
		f(v)
	}
}

func keep(i *Item) { kept = append(kept, i) }

func deep[T any](n int, v T) {
	if n > 0 {
		deep(n-1, pass(v))
		return
	}
	any1 = v
}

func ping[T any](n int, v T) {
	if n > 0 {
		pong(n-1, v)
	}
}

func pong[T any](n int, v T) {
	store(v)
	ping(n, v)
}

type hooksOf[T any] struct{ f func(T) }

// On is for whoever has one.
func (h *hooksOf[T]) On(f func(T)) { h.f = f }

// Shared has one.
func Shared() *hooksOf[*Item] { return shared }

type hidden struct{ hook func(*Item, int) }

// On is for whoever has one.
func (h *hidden) On(f func(*Item, int)) { h.hook = f }

// Exposed has what no name of is exported.
var Exposed any

func expose[T any](v T) { Exposed = v }

func init() { expose(initial) }

// ofTwo is called with two types, of which one is kept.
func ofTwo[T any]() *T {
	v := new(T)
	if i, ok := any(v).(*Item); ok {
		kept = append(kept, i)
	}
	return v
}

type number int

func inLocal[T any](v T) any {
	type one struct{ v T }
	return &one{v}
}

func keepAny(v any) { any1 = v }

func give[K interface{ *Item }](v K, to func(*Item)) { to(v) }

type taker[T any] interface{ take(T) }

type keeper struct{}

func (keeper) take(i *Item) { kept = append(kept, i) }

func by[T any, K taker[T]](k K, v T) { k.take(v) }

func seq[T any](v T) func(func(T) bool) { return func(yield func(T) bool) { yield(v) } }

func pairs(yield func(string, *Item) bool) { yield("", &Item{}) }

func pass[T any](v T) T { return v }

// Parse is the root.
func Parse(text string) string {
	store(&Item{})
	send(queue, &Item{})
	items.put(&Item{})
	each([]*Item{&Item{}}, keep)
	each([]*Item{&Item{}}, func(i *Item) { kept = append(kept, i) })
	deep(3, &Item{})
	ping(3, &Item{})
	shared.f(&Item{})
	initial.hook(&Item{}, 1)
	ofTwo[Item]()
	n := ofTwo[number]()
	keepAny(inLocal(1))
	keepAny(inLocal(&Item{}))
	give(&Item{}, keep)
	by(keeper{}, &Item{})
	for i := range seq(&Item{}) {
		kept = append(kept, i)
	}
	for i := range seq(&Item{}) {
		defer keep(i)
	}
	kept = append(kept, pass(&Item{}), pass[*Item](&Item{}))
	byOthers()
	byTexts(strings.ToUpper(text))
	return strings.Repeat("a", int(*n))
}

func byOthers() {
	_ = slices.IndexFunc([]*Item{&Item{}}, func(i *Item) bool { kept = append(kept, i); return false })
	_ = slices.IndexFunc([]*Item{&Item{}}, found)
	slices.SortFunc([]*Item{&Item{}, &Item{}}, func(i, j *Item) int { any1 = i; return 0 })
	kept = slices.Clone([]*Item{&Item{}})
	kept = slices.Concat(kept, []*Item{&Item{}})
	kept = slices.Insert(kept, 0, &Item{})
	maps.Copy(byName, map[string]*Item{"": &Item{}})
	byName = maps.Clone(map[string]*Item{"": &Item{}})
	byName = maps.Collect(pairs)
	kept = slices.Collect(maps.Values(map[string]*Item{"": &Item{}}))
	fs := slices.Clone([]func(*Item){keep})
	fs[0](&Item{})
	i := &Item{}
	sort.Slice(kept, func(int, int) bool { any1 = i; return false })
}

func found(i *Item) bool { kept = append(kept, i); return false }

func byTexts(text string) {
	strings.Map(func(r rune) rune { words = append(words, text); return r }, text)
}
