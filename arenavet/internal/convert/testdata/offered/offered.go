// Package offered has generic functions and types of which others make instances, and so set what the root
// calls, though there are functions of its own that keep nothing: no item may move.
package offered

// Item is what others may keep.
type Item struct{ Name string }

var (
	byFunc   = func(*Item) {}
	byMethod = func(*Item, int) {}
	byAlias  = func(*Item, uint) {}
	boxed    any
)

// SetFunc is for others.
func SetFunc[T any](f func(*Item, T), v T) { byFunc = func(i *Item) { f(i, v) } }

// Hooks is for others, too.
type Hooks[T any] struct{ v T }

// Set sets one.
func (Hooks[T]) Set(f func(*Item, int)) { byMethod = f }

type hooks[T any] struct{ v T }

func (hooks[T]) Set(f func(*Item, uint)) { byAlias = f }

// Aliased is hooks.
type Aliased[T any] = hooks[T]

// Box keeps what it gets.
func Box[T interface{ Take(*Item) }](v T) { boxed = v }

type none struct{}

func (none) Take(*Item) {}

// Parse is the root.
func Parse() {
	byFunc(&Item{})
	byMethod(&Item{}, 1)
	byAlias(&Item{}, 1)
	if t, ok := boxed.(interface{ Take(*Item) }); ok {
		t.Take(&Item{})
	}
}

func own() { Box(none{}) }

var _ = own
