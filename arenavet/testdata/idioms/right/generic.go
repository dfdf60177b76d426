package right

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/ebbpool/arena"
)

// idiom: a generic helper whose result is copied by its callback

func with[T any](f func(*arena.Arena) T) T {
	a := pool.Get()
	defer pool.Put(a)
	return f(a)
}

func useWith(text string) string {
	return with(func(a *arena.Arena) string { return strings.Clone(a.ToUpper(text)) })
}

func useWithNumber(text string) int {
	return with(func(a *arena.Arena) int { return len(a.ToUpper(text)) })
}

// idiom: a generic helper that escapes for its callback

func withEscape[T any](f func(*arena.Arena) (T, error)) (T, error) {
	a := pool.Get()
	defer pool.Put(a)
	v, err := f(a)
	if err != nil {
		var zero T
		return zero, err
	}
	return arena.Escape(a, v), nil
}

func useWithEscape(text string) (*Node, error) {
	return withEscape(func(a *arena.Arena) (*Node, error) { return buildTree(a, strings.Fields(text)), nil })
}

// idiom: a generic map and filter in an arena

func mapped[T, U any](a *arena.Arena, list []T, f func(*arena.Arena, T) U) []U {
	out := arena.MakeSlice[U](a, 0, len(list))
	for _, v := range list {
		out = arena.Append(a, out, f(a, v))
	}
	return out
}

func useMapped(numbers []int) int {
	a := pool.Get()
	defer pool.Put(a)
	texts := mapped(a, numbers, func(a *arena.Arena, n int) string { return a.Sprintf("%d", n) })
	return len(a.Join(texts, ","))
}

// idiom: an iterator that owns its arena

func records(r io.Reader) iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		a := pool.Get()
		defer pool.Put(a)
		data, err := arena.ReadAll(a, r)
		if err != nil {
			return
		}
		for line := range strings.Lines(a.AllocBytesToString(data)) {
			m := a.Mark()
			if !yield(arena.NewOf(a, Node{Key: line})) {
				return
			}
			a.Rewind(m)
		}
	}
}

func countRecords(r io.Reader) (n int) {
	for rec := range records(r) {
		n += len(rec.Key)
	}
	return n
}

// idiom: what an iterator yields is copied

func longest(r io.Reader) string {
	best := ""
	for rec := range records(r) {
		if len(rec.Key) > len(best) {
			best = strings.Clone(rec.Key)
		}
	}
	return best
}

// idiom: Collect, sort and a search

func ranked(a *arena.Arena, seq iter.Seq[*Node]) *Node {
	all := arena.Collect(a, seq)
	slices.SortFunc(all, func(x, y *Node) int { return cmp.Compare(x.Key, y.Key) })
	i, ok := slices.BinarySearchFunc(all, "m", func(n *Node, key string) int { return cmp.Compare(n.Key, key) })
	if !ok || i == len(all) {
		return nil
	}
	return all[i]
}

// idiom: an allocator kept in an object beside its arena

type list struct {
	nodes arena.Allocator[Node]
	head  *Node
}

func newList(a *arena.Arena) *list { return &list{nodes: arena.AllocatorFor[Node](a)} }

func (l *list) push(key string) {
	n := l.nodes.New()
	n.Key, n.Right = key, l.head
	l.head = n
}

func useList(words []string) (n int) {
	a := pool.Get()
	defer pool.Put(a)
	l := newList(a)
	for _, w := range words {
		l.push(w)
	}
	for at := l.head; at != nil; at = at.Right {
		n++
	}
	return n
}

// idiom: a map in an arena for grouping

func grouped(lines []string) map[string]int {
	a := pool.Get()
	defer pool.Put(a)
	groups := arena.NewMap[string, []string](a, len(lines))
	for _, l := range lines {
		k, v, _ := strings.Cut(a.AllocString(l), ":")
		old, _ := groups.Get(k)
		groups.Set(k, arena.Append(a, old, v))
	}
	out := map[string]int{}
	for k, list := range groups.All() {
		out[strings.Clone(k)] = len(list)
	}
	return out
}

// idiom: text that is formatted away

func report(w io.Writer, rows []Result) error {
	a := pool.Get()
	defer pool.Put(a)
	b := arena.NewBuffer(a, 256)
	for _, r := range rows {
		fmt.Fprintf(b, "%s\t%d\n", r.Name, r.Count)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// idiom: numbers out of text

func sum(text string) (n int, err error) {
	a := pool.Get()
	defer pool.Put(a)
	for _, f := range strings.Fields(a.AllocString(text)) {
		i, err := strconv.Atoi(f)
		if err != nil {
			return 0, fmt.Errorf("field %d of the text is no number", n)
		}
		n += i
	}
	return n, nil
}

// idiom: a comparison of two arenas' trees

func equal(x, y *Node) bool {
	if x == nil || y == nil {
		return x == y
	}
	return x.Key == y.Key && equal(x.Left, y.Left) && equal(x.Right, y.Right)
}

func sameTree(s, t string) bool {
	a, b := pool.Get(), pool.Get()
	defer pool.Put(a)
	defer pool.Put(b)
	return equal(buildTree(a, strings.Fields(s)), buildTree(b, strings.Fields(t)))
}

// idiom: double buffering, where the older arena is reset

type window struct {
	arenas [2]*arena.Arena
	turn   int
}

func (w *window) next(lines []string) []*Node {
	w.turn ^= 1
	a := w.arenas[w.turn]
	a.Reset()
	out := arena.MakeSlice[*Node](a, 0, len(lines))
	for _, l := range lines {
		out = arena.Append(a, out, buildTree(a, strings.Fields(l)))
	}
	return out
}

// idiom: a visitor that keeps a counter

type visitor interface{ visit(*Node) bool }

type counter struct{ n, length int }

func (c *counter) visit(n *Node) bool {
	c.n++
	c.length += len(n.Key)
	return true
}

func walk(n *Node, v visitor) {
	if n == nil || !v.visit(n) {
		return
	}
	walk(n.Left, v)
	walk(n.Right, v)
}

func measure(text string) int {
	a := pool.Get()
	defer pool.Put(a)
	var c counter
	walk(buildTree(a, strings.Fields(text)), &c)
	return c.length
}

// idiom: a helper that calls back with its caller's arena

func each[T any](a *arena.Arena, n int, f func(*arena.Arena, int) T) []T {
	out := arena.MakeSlice[T](a, 0, n)
	for i := range n {
		out = arena.Append(a, out, f(a, i))
	}
	return out
}

func keys(a *arena.Arena, n int) []string {
	return each(a, n, func(a *arena.Arena, i int) string { return a.Sprintf("key %d", i) })
}

// idiom: a constructor whose callback fills an object that owns the arena

func newDocument(build func(*arena.Arena) *Node) *document {
	a := pool.Get()
	return &document{a: a, root: build(a)}
}

func openWith(text string) int {
	d := newDocument(func(a *arena.Arena) *Node { return buildTree(a, strings.Fields(text)) })
	defer d.Close()
	return depth(d.root)
}
