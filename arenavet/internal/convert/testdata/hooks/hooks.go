// Package hooks gives what it makes to functions and methods, some of which are the caller's, though there
// is one of its own, which keeps nothing: nothing of it may move.
package hooks

import (
	"bufio"
	"context"
	"errors"
	"expvar"
	"net/http"
	"os"
	"sync"
)

// Item is what callers may keep.
type Item struct{ Name string }

// Hook is a function of the caller's.
type Hook func(*Item)

type keeper interface{ Keep(*Item) }

// Wide has more methods than keeper.
type Wide interface {
	Take(*Item)
	Other()
}

// Source has others.
type Source interface{ Hook() func(*Item, int8) }

type none struct{}

func (none) Keep(*Item) {}
func (none) Take(*Item) {}
func (none) Other()     {}

func (none) Hook() func(*Item, int8) { return func(*Item, int8) {} }

// Parser has one that its caller sets.
type Parser struct {
	hook   func(*Item)
	nested struct{ list []func(*Item, bool) }
}

// New has one that keeps nothing.
func New() *Parser {
	p := &Parser{hook: func(*Item) {}}
	p.nested.list = append(p.nested.list, func(*Item, bool) {})
	return p
}

// OnItem is for callers.
func (p *Parser) OnItem(f func(*Item)) { p.hook = f }

// OnBool is, too.
func (p *Parser) OnBool(f func(*Item, bool)) { p.nested.list = append(p.nested.list, f) }

var (
	hook     = func(*Item, int) {}
	table    = map[string]func(*Item, string){"": func(*Item, string) {}}
	channel  = make(chan func(*Item, uint), 1)
	anything sync.Map
	boxed    any = func(*Item, uint16) {}
)

// SetHook and the rest are for callers.
func SetHook(f func(*Item, int)) { hook = f }

// Register adds one.
func Register(name string, f func(*Item, string)) { table[name] = f }

// Channel has one.
func Channel() chan<- func(*Item, uint) { return channel }

// Store has one.
func Store(v any) { boxed = v }

type key struct{}

// Parse is the root.
func (p *Parser) Parse(ctx context.Context, k keeper, w Wide, s Source, each func(func(func(*Item, uint8)))) {
	p.hook(&Item{})
	p.nested.list[0](&Item{}, true)
	hook(&Item{}, 1)
	table[""](&Item{}, "")
	byParameter(p.hook)
	k.Keep(&Item{})
	byChange(w)
	s.Hook()(&Item{}, 1)
	byAnything(ctx)
	byChannel()
	each(func(f func(*Item, uint8)) { f(&Item{}, 1) })
	byBox()
	byResult()
	byFilling(bufio.NewScanner(os.Stdin))
	http.DefaultTransport.RoundTrip(&http.Request{})
}

func byParameter(f func(*Item)) { f(&Item{}) }

type narrow interface{ Take(*Item) }

func byChange(n narrow) { n.Take(&Item{}) }

func byResult() {
	if v, ok := expvar.Get("hooks").(interface{ Variable(*Item) }); ok {
		v.Variable(&Item{})
	}
}

func byFilling(s *bufio.Scanner) {
	var failure interface{ Failed(*Item) }
	if errors.As(s.Err(), &failure) {
		failure.Failed(&Item{})
	}
}

func byAnything(ctx context.Context) {
	if f, ok := ctx.Value(key{}).(func(*Item, float32)); ok {
		f(&Item{}, 1)
	}
	anything.Store("", Hook(func(*Item) {}))
	if v, ok := anything.Load(""); ok {
		v.(Hook)(&Item{})
	}
}

func byChannel() {
	channel <- func(*Item, uint) {}
	(<-channel)(&Item{}, 1)
}

func byBox() { boxed.(func(*Item, uint16))(&Item{}, 1) }

func own() {
	byParameter(func(*Item) {})
	byChange(none{})
	New().Parse(context.WithValue(context.Background(), key{}, func(*Item, float32) {}), none{}, none{}, none{}, func(f func(func(*Item, uint8))) { f(func(*Item, uint8) {}) })
}

var _ = own
