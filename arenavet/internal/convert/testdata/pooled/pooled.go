// Package pooled has a pool and a type among its variables, with hidden fields and methods that may lead to anything.
// Others can have a Shape; the root's call finds none of theirs, so that what a shape gets moves. It finds theirs of the
// other types, by what is exported, so that what those get must not move.
package pooled

import (
	"bufio"
	"container/list"
	"io"
	"reflect"
	"strings"
	"sync"
)

// Item is what they get.
type Item struct{ name string }

// Shape is implemented elsewhere, too.
type Shape interface{ Take(*Item) }

// Node and the rest are found.
type (
	Node   interface{ Put(*Item) }
	Linked interface{ Link(*Item) }
	Read   interface{ ReadIn(*Item) }
	Called interface{ Call(*Item) }
)

type own struct{ item *Item }

func (o *own) Take(i *Item)   { o.item = i }
func (o *own) Put(i *Item)    { o.item = i }
func (o *own) Link(i *Item)   { o.item = i }
func (o *own) ReadIn(i *Item) { o.item = i }
func (o *own) Call(i *Item)   { o.item = i }

type reader struct{ io.Reader }

func (reader) ReadIn(*Item) {}

var (
	buffers = sync.Pool{New: func() any { return new(strings.Builder) }}
	input   = bufio.NewReader(strings.NewReader(""))
	number  = reflect.TypeFor[int]()
	nodes   sync.Map
	links   = list.New()
	hook    = struct{ f func(*Item) }{func(*Item) {}}
)

// Draw is for others.
func Draw(s Shape) { s.Take(nil) }

// Register is for others.
func Register(n Node) { nodes.Store("", n) }

// Link is for others.
func Link(l Linked) { links.PushBack(l) }

// Reset is for others.
func Reset(r Read) { input.Reset(reader{r.(io.Reader)}) }

// SetHook is for others.
func SetHook(c Called) { hook.f = c.Call }

// Parse is the root.
func Parse(name string) int {
	b := buffers.Get().(*strings.Builder)
	defer buffers.Put(b)
	input.ReadByte()
	b.WriteString(number.Name())
	var s Shape = &own{}
	s.Take(&Item{name + "."}) // moves
	var r Read = &own{}
	r.ReadIn(&Item{}) // moves
	if n, ok := nodes.Load(""); ok {
		n.(Node).Put(&Item{})
	}
	links.Front().Value.(Linked).Link(&Item{})
	hook.f(&Item{})
	return len(s.(*own).item.name)
}
