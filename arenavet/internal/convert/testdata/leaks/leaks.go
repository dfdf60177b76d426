// Package leaks keeps what it makes, each function by another way: nothing of it may move.
package leaks

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"sync"
	"sync/atomic"
)

type item struct {
	name string
	next *item
	list []*item
}

type holder struct{ it *item }

type keeper interface{ keep(it *item) }

func (h *holder) keep(it *item) { h.it = it }

var (
	one     *item
	all     []*item
	table   = map[string][]*item{}
	byItem  = map[*item]int{}
	shared  sync.Map
	pointer atomic.Pointer[item]
	global  = &holder{}
	plain   holder
	any1    any
	hooks   []func() *item
	ctx     context.Context
	failed  error
	queue   = make(chan *item, 8)
	array   [4]*item
)

// Root is the root.
func Root() {
	deep()
	byAppend()
	byCopy()
	byKey()
	byInterface(global)
	byMethodValue()
	byClosure()
	byContext()
	byError()
	byMap()
	byChannel()
	byDefer()
	byField()
	bySort()
	byParameter(&plain)
	byResult()
	byStruct()
	byGenericType()
	byArray()
	byGeneric()
	byPanic()
	byLocalChannel()
	byBox()
	byEither(len(all) > 100)
}

func deep() {
	outer := &item{}
	inner := &item{next: outer}
	inner.next.next = &item{}
	one = inner
}

func byAppend() {
	list := all[:0]
	list = append(list, &item{})
	_ = list
	all = append(all, &item{})
	table["a"] = append(table["a"], &item{})
}

func byCopy() {
	list := []*item{{}, {}}
	all = make([]*item, 2)
	copy(all, list)
}

func byKey() { byItem[&item{}]++ }

func byInterface(k keeper) { k.keep(&item{}) }

func byMethodValue() {
	f := global.keep
	f(&item{})
}

func byClosure() {
	it := &item{}
	hooks = append(hooks, func() *item { return it })
}

type ctxKey struct{}

func byContext() { ctx = context.WithValue(context.Background(), ctxKey{}, &item{}) }

type failure struct{ it *item }

func (f *failure) Error() string { return f.it.name }

func byError() { failed = errors.Join(&failure{&item{}}, fmt.Errorf("%w", &failure{&item{}})) }

func byMap() {
	shared.Store("a", &item{})
	pointer.Store(&item{})
}

func byChannel() {
	select {
	case queue <- &item{}:
	default:
	}
}

func byDefer() {
	it := &item{}
	defer func() { one = it }()
}

func byField() {
	h := global
	h.it = &item{}
	p := &h.it.next
	*p = &item{}
}

func bySort() {
	it := &item{}
	sort.Slice(all, func(i, j int) bool { one = it; return i < j })
}

func byParameter(h *holder) { set(&h.it, &item{}) }

func set(to **item, it *item) { *to = it }

func byResult() { one = pick(mk(), mk()) }

func mk() *item { return &item{} }

func pick(a, b *item) *item {
	if a.name < b.name {
		return a
	}
	return b
}

func byStruct() {
	h := holder{&item{}}
	plain = h
}

func byArray() {
	a := [4]*item{&item{}}
	array = a
}

func byGeneric() { one = id(&item{}) }

func id[T any](x T) T { return x }

func byPanic() {
	defer func() { any1 = recover() }()
	panic(&item{})
}

func byLocalChannel() {
	c := make(chan *item, 1)
	c <- &item{}
	one = <-c
}

func byBox() { any1 = item{list: []*item{{}}} }

func byEither(local bool) {
	h := &plain
	if local {
		h = &holder{}
	}
	h.it = &item{}
	one = plain.it
}

type boxOf[T any] struct{ v T }

var boxes *boxOf[*item]

func boxed[T any](v T) *boxOf[T] { return &boxOf[T]{v} }

func byGenericType() { boxes = boxed(&item{name: "generic"}) }
