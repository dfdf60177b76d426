// Package generic gives what it makes to functions and methods of its own that keep it, and that have been
// made by generic code or went through it: no item may move.
package generic

// Item is what they keep.
type Item struct{ Name string }

var kept []*Item

type take interface{ Take(*Item) }

type keeperOf[T any] struct{ v T }

func (k *keeperOf[T]) Take(i *Item) { kept = append(kept, i) }

type none struct{}

func (none) Take(*Item) {}
func (none) Of(*Item)   {}

func makeFunc[T any]() func(*Item, T) { return func(i *Item, _ T) { kept = append(kept, i) } }

func makePlain[T any]() func(*Item) { return func(i *Item) { kept = append(kept, i) } }

func makeTake[T any](v T) take { return &keeperOf[T]{v} }

type listOf[T any] struct{ hooks []func(T) }

func (l *listOf[T]) add(f func(T)) { l.hooks = append(l.hooks, f) }

func (l *listOf[T]) call(v T) {
	for _, f := range l.hooks {
		f(v)
	}
}

func each[K take](k K) { k.Take(&Item{}) }

var hook = func(i *Item) { kept = append(kept, i) }

func run[T any](f func(*Item), i *Item, _ T) { f(i) }

func lit[T any](f func(func(*Item, uint)), _ T) { f(func(i *Item, _ uint) { kept = append(kept, i) }) }

type conf struct{ item *Item }

// Option is one of this package's.
type Option func(*conf)

// With is for others.
func With() Option { return with[conf]() }

func with[T any]() func(*T) { return func(c *T) { any(c).(*conf).keep() } }

func (c *conf) keep() { kept = append(kept, c.item) }

var byCaptureOf = func(*Item, float32) {}

// SetCapturedOf captures, whatever it is of.
func SetCapturedOf(in interface{ CapturedOf(*Item) }) { byCaptureOf = capture[float32](in) }

func capture[T any](in interface{ CapturedOf(*Item) }) func(*Item, T) {
	return func(i *Item, _ T) { in.CapturedOf(i) }
}

func byLiteralOf[T any](k interface{ Of(T) }, v T) { k.Of(v) }

// Parse is the root.
func Parse(o Option, of interface{ Of(*Item) }) {
	byCaptureOf(&Item{}, 1)
	byLiteralOf(of, &Item{})
	o(&conf{&Item{}})
	makeFunc[int]()(&Item{}, 1)
	makePlain[int]()(&Item{})
	makeTake(1).Take(&Item{})
	var t take = &keeperOf[int]{}
	t.Take(&Item{})
	l := &listOf[*Item]{}
	l.add(func(i *Item) { kept = append(kept, i) })
	l.call(&Item{})
	l.hooks[0](&Item{})
	each(&keeperOf[int]{})
	run(hook, &Item{}, 1)
	var c interface{ call(*Item) } = l
	c.call(&Item{})
	lit(func(h func(*Item, uint)) { h(&Item{}, 1) }, 1)
}

func own() {
	var t take = none{}
	t.Take(nil)
	func(f func(*Item, int)) { f(nil, 1) }(func(*Item, int) {})
	Parse(func(*conf) {}, none{})
}

var _ = own
