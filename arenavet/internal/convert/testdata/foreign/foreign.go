// Package foreign gives what it makes to functions and methods that other code has set, by ways that
// its root's call does not go: no item or request may move.
package foreign

import "net/http"

// Item is what others may keep.
type Item struct{ Name string }

// Ref has two names.
type Ref = *Item

// Named is what is known of some.
type Named interface{ Name() string }

type (
	asserted interface{ Asserted(*Item) }
	resulted interface{ Resulted(*Item) }
	captured interface{ Captured(*Item) }
	method   interface{ Method(*Item) }
	wrapped  interface{ Wrapped(*Item) }
	opened   interface{ Opened(*Item) }
	outer    interface{ Outer(*Item) }
	whole    interface {
		Whole(*Item)
		Other()
	}
	other    interface{ Other() }
	combined interface {
		other
		Whole(*Item)
	}
)

type own struct{}

func (own) Asserted(*Item) {}
func (own) Resulted(*Item) {}
func (own) Captured(*Item) {}
func (own) Method(*Item)   {}
func (own) Wrapped(*Item)  {}
func (own) Opened(*Item)   {}
func (own) Whole(*Item)    {}
func (own) Other()         {}

type wrapper struct{ in wrapped }

func (w wrapper) Outer(i *Item) { w.in.Wrapped(i) }

type box struct{ in opened }

type fields struct{ Promoted func(*Item, int8) }

// Config has a field by embedding.
type Config struct{ fields }

// Setup has a function of the package's.
type Setup struct{ Add func(func(*Item, int16)) }

// Boxed leaves the package in an interface.
type Boxed struct{ Hook func(*Item, int32) }

type config struct{ item *Item }

// Option is of the package alone, but for what it calls.
type Option func(*config)

// Sealed can be embedded elsewhere, and has two here.
type Sealed interface {
	Sealed(*Item)
	sealed(*Item)
}

// First keeps nothing.
type First struct{}

// Sealed implements Sealed.
func (First) Sealed(*Item) {}
func (First) sealed(*Item) {}

// Second keeps what it gets.
type Second struct{ items []*Item }

// Sealed implements Sealed.
func (s *Second) Sealed(i *Item) { s.items = append(s.items, i) }
func (s *Second) sealed(i *Item) { s.items = append(s.items, i) }

// Bound has one that gives what it gets to others.
type Bound interface{ bound(*Item) }

func (First) bound(*Item) {}

type third struct{ in interface{ Third(*Item) } }

func (t third) bound(i *Item) { t.in.Third(i) }

// NewBound is for others.
func NewBound(in interface{ Third(*Item) }) Bound { return third{in} }

// NewSecond is for others.
func NewSecond() Sealed { return &Second{} }

var (
	byAssert  asserted = own{}
	byResult  resulted = own{}
	byCapture          = func(*Item, string) {}
	byMethod           = func(*Item, bool) {}
	byWrapper outer    = wrapper{own{}}
	byConf             = func(*conf) {}
	byBox     any      = box{own{}}
	byForm    combined = own{}
	byAlias            = []func(*Item, uint8){func(*Item, uint8) {}}
	byConfig           = &Config{fields{func(*Item, int8) {}}}
	bySetup            = func(*Item, int16) {}
	byBoxed            = &Boxed{func(*Item, int32) {}}
	byLiteral          = func(*Item, int64) {}
	byGlobal           = http.DefaultClient.CheckRedirect
	byCall             = http.NewFileTransport(http.Dir("."))
)

// SetAsserted and the rest are for others.
func SetAsserted(n Named) {
	if a, ok := n.(asserted); ok {
		byAssert = a
	}
}

// SetResulted asks other code.
func SetResulted() { byResult, _ = http.DefaultTransport.(resulted) }

// SetCaptured captures.
func SetCaptured(c captured) { byCapture = func(i *Item, _ string) { c.Captured(i) } }

// SetMethod takes a method.
func SetMethod(m method) {
	f := m.Method
	byMethod = func(i *Item, _ bool) { f(i) }
}

// SetWrapped wraps.
func SetWrapped(w wrapped) { byWrapper = wrapper{w} }

// SetOpened puts it into a box.
func SetOpened(o opened) { byBox = box{o} }

// SetWhole has another form of the same.
func SetWhole(w whole) { byForm = w }

// SetAlias has another name of the same.
func SetAlias(f func(Ref, uint8)) { byAlias[0] = f }

// TheConfig is to be filled.
func TheConfig() *Config { return byConfig }

// TheSetup has a function that sets one.
func TheSetup() *Setup { return &Setup{func(f func(*Item, int16)) { bySetup = f }} }

// TheBoxed is to be filled.
func TheBoxed() any { return byBoxed }

// TheLiteral sets one.
func TheLiteral() any { return func(f func(*Item, int64)) { byLiteral = f } }

// With calls one.
func With(k interface{ Option(*Item) }) Option { return func(c *config) { k.Option(c.item) } }

// Conf is how others name conf.
type Conf = conf

type conf struct{ item *Item }

// SetConf is for others.
func SetConf(f func(*Conf)) { byConf = f }

// Parse is the root.
func Parse(o Option, s Sealed, b Bound) {
	byAssert.Asserted(&Item{})
	byResult.Resulted(&Item{})
	byCapture(&Item{}, "")
	byMethod(&Item{}, true)
	byWrapper.Outer(&Item{})
	byBox.(box).in.Opened(&Item{})
	byForm.Whole(&Item{})
	byAlias[0](&Item{}, 1)
	byConfig.Promoted(&Item{}, 1)
	bySetup(&Item{}, 1)
	byBoxed.Hook(&Item{}, 1)
	byLiteral(&Item{}, 1)
	byGlobal(&http.Request{}, nil)
	byCall.RoundTrip(&http.Request{})
	c := &config{item: &Item{}}
	o(c)
	s.Sealed(&Item{})
	s.sealed(&Item{})
	b.bound(&Item{})
	byConf(&conf{&Item{}})
}

func none() {
	Parse(func(*config) {}, First{}, First{})
}

var _ = none
