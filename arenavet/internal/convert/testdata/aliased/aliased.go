// Package aliased has a table of constructors that name their types by aliases, in the types or in their
// arguments. What they make is kept, but for a word: that alone moves.
package aliased

type node interface{ size() int }

type one struct{ n *int }

func (*one) size() int { return 1 }

type list[T any] struct{ all []T }

func (l *list[T]) size() int { return len(l.all) }

type word struct{ text string }

func (w *word) size() int { return len(w.text) }

type (
	other  = one
	number = int
)

var nodes = map[string]func() node{
	"one":  func() node { return new(other) },
	"list": func() node { return &list[number]{} },
	"word": func() node { return &word{} },
}

var (
	keptOne  *one
	keptList *list[int]
)

func keep(n node) {
	switch n := n.(type) {
	case *one:
		keptOne = n
	case *list[int]:
		keptList = n
	}
}

// Read is the root.
func Read(name string) int {
	n := nodes[name]()
	keep(n)
	return n.size()
}
