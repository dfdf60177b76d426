// Package copies keeps values that it makes for a request, where copies of them can be kept, and where
// they can't.
package copies

import "strings"

type word struct {
	text  string
	parts []string
	next  *word
}

type holder struct {
	first *word
	value any
	fold  func(string) string
}

var (
	byName = map[string]*word{}
	all    []*word
	texts  []string
	queue  = make(chan *word, 8)
	kept   holder
	last   *word
	split  *word
	count  int
	fields []string
	couple *pair[*word]
)

func mk(text string) *word { return &word{text: strings.ToUpper(text)} }

func link(words ...*word) (first *word) {
	for _, w := range words {
		w.next = first
		first = w
	}
	return first
}

// divide has a list on the heap that leads to text in the arena: that can't be copied.
func divide(text string) *word { return &word{parts: strings.Split(strings.ToUpper(text), " ")} }

type pair[T any] struct{ one, two T }

// twice has no arena, since a wrapper of it could not name its type parameter, and so a pair of it leads from
// the heap into the arena.
func twice[T, _ any](one, two T) *pair[T] { return &pair[T]{one, two} }

// idle has nothing to copy.
func idle() { fields = strings.Fields("a b") }

// remember is given what it keeps, and does not know what that leads to.
func remember(w *word) { last = w }

// Keep is the root.
func Keep(name string, to *holder) string {
	w := link(mk(name), mk("b"))
	byName[name] = w
	all = append(all, w, mk("c"))
	texts = append(texts, strings.ToUpper(name))
	queue <- w
	kept.first = w
	kept.fold = func(s string) string { return s + name }
	split = divide("a " + name)
	remember(mk("kept"))
	to.first = mk("to")
	kept.value = mk("any")
	couple = twice[*word, int](mk("d"), mk("e"))
	idle()
	count++
	count = len(all)
	last = byName[name]
	w.text = "changed"
	return w.text + w.next.text
}
