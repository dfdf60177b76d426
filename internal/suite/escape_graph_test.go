package suite

import (
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenareflect"
	"github.com/ebbpool/arena/internal/testkit"
)

// Random graphs over an arena, the heap and another arena are escaped. Then the arena is reset and its memory
// reused, and the copy must match the description that escape_model_test.go made of the original.

// vertex has a field for each way to refer to another value.
type vertex struct {
	id     int
	name   string
	next   *vertex
	kids   []*vertex
	parts  []part
	part   *part    // into the parts of some vertex
	link   **vertex // to the next field of some vertex
	nums   []int32
	num    *int32 // into the nums of some vertex
	text   []byte
	held   any
	namer  interface{ label() string }
	table  map[string]any
	owners map[*vertex]string
	mine   *arena.Map[int, *vertex]
	seen   *arena.Map[*vertex, string]
	buf    *arena.Buffer
	array  [6]struct{ p *vertex }
	hidden struct {
		_ int8
		s []string
		w word
	}
}

type part struct {
	note string
	to   *vertex
	n    int16
}

// word is one pointer, which an interface stores without a box.
type word struct{ to *vertex }

// pair needs a box.
type pair struct {
	a, b any
	n    [3]int8
	s    string
}

func (v *vertex) label() string { return v.name }
func (p pair) label() string    { return p.s }
func (w word) label() string    { return "word" }

// nest is a struct from which package reflect makes interfaces that share its box. The interfaces of In,
// In.P and nest have the same address.
type nest struct {
	In   nestPart
	List [2]nestPart
	Any  any
	Maps mapStruct
}

type nestPart struct {
	P *vertex
	S string
	N uint16
}

// within returns an interface that holds a part of x, at most depth levels down, and shares x's box.
func (g *graph) within(x any, depth int) any {
	for range depth {
		v := reflect.ValueOf(x)
		switch v.Kind() {
		case reflect.Struct:
			v = v.Field(g.choose(3) * g.choose(2) % v.NumField())
		case reflect.Array:
			v = v.Index(g.choose(v.Len()))
		}
		if !v.IsValid() || !v.CanInterface() {
			break
		}
		x = v.Interface()
	}
	return x
}

// graph generates values.
type graph struct {
	choices []byte
	rest    *rand.Rand
	a       *arena.Arena // the arena to escape from
	in, out places       // values in a, and elsewhere
	maps    map[unsafe.Pointer]bool
	simple  bool // without values that need a pre-scan: builtin maps and
	unboxed bool // boxes in boxes
}

// places lists the values that a random pointer may refer to.
type places struct {
	in    *arena.Arena // nil means the heap
	vs    []*vertex
	parts [][]part
	nums  [][]int32
	texts []string
	held  []any
	maps  []map[string]any
	own   map[uintptr]bool // all bytes of these values
}

func (g *graph) choose(n int) int {
	if len(g.choices) == 0 {
		return g.rest.IntN(n)
	}
	c := g.choices[0]
	g.choices = g.choices[1:]
	return int(c) % n
}

func pick[T any](g *graph, list []T) (x T) {
	if len(list) == 0 || g.choose(4) == 0 {
		return x
	}
	return list[g.choose(len(list))]
}

// makeGraph makes n vertices in a and some elsewhere.
func makeGraph(choices []byte, n int, a, other *arena.Arena) *graph {
	seed := uint64(len(choices))
	for _, c := range choices {
		seed = seed*31 + uint64(c)
	}
	g := &graph{choices: choices, rest: rand.New(rand.NewPCG(seed, 1)), a: a, maps: map[unsafe.Pointer]bool{}}
	g.in.in = a
	level := g.choose(3)
	g.simple, g.unboxed = level > 0, level > 1
	if g.choose(2) == 0 { // allocators that reflection has created first
		arenareflect.New(a, reflect.TypeFor[vertex]())
		arenareflect.MakeSlice(a, reflect.TypeFor[[]part](), 2, 3)
	}
	for i := range n/3 + 1 {
		g.out.in = nil
		if i%2 == 1 {
			g.out.in = other
		}
		g.fill(&g.out, 1000+i)
	}
	g.out.in = nil
	g.connect(&g.out, &g.out)
	for i := range n {
		g.fill(&g.in, i)
	}
	g.connect(&g.in, &g.in, &g.out)
	g.note(&g.in)
	g.note(&g.out)
	return g
}

// fill makes a vertex without links, and values for others to point to.
func (g *graph) fill(p *places, id int) {
	v := arena.New[vertex](p.in)
	v.id = id
	p.vs = append(p.vs, v)
	p.parts = append(p.parts, arena.MakeSlice[part](p.in, 1+g.choose(5), 6))
	p.nums = append(p.nums, arena.MakeSlice[int32](p.in, 1+g.choose(40), 50))
	for i := range p.nums[len(p.nums)-1] {
		p.nums[len(p.nums)-1][i] = int32(id + i)
	}
	long := make([]byte, g.choose(150))
	for i := range long {
		long[i] = byte('a' + id%26)
	}
	text := p.in.AllocBytesToString(long)
	from := g.choose(len(text) + 1)
	p.texts = append(p.texts, p.in.AllocString("text "+strconv.Itoa(id)), text, text[from:], text[:from])
}

// connect links the vertices of p to random values of to.
func (g *graph) connect(p *places, to ...*places) {
	from := func() *places { return to[g.choose(len(to))] }
	cut := func(n int) (int, int) { i := g.choose(n); return i, i + 1 + g.choose(n-i) }
	// Values are created before they are linked; maps are filled last.
	for range p.vs {
		p.maps = append(p.maps, map[string]any{})
	}
	held := func() any {
		q := from()
		piece := func() nestPart { return nestPart{pick(g, from().vs), pick(g, from().texts), uint16(g.choose(99))} }
		switch g.choose(16) {
		case 9, 10:
			x := nest{In: piece(), List: [2]nestPart{piece(), piece()}}
			if !g.unboxed {
				x.Any = pick(g, from().held)
			}
			if !g.simple {
				x.Maps.Kids = map[string]mapStruct{pick(g, q.texts): {}}
				g.maps[reflect.ValueOf(x.Maps.Kids).UnsafePointer()] = true
				if g.choose(2) == 0 {
					x.Maps.Kids["more"] = mapStruct{x.Maps.Kids}
				}
			}
			return x
		case 11, 12, 13, 14:
			return g.within(pick(g, q.held), 1+g.choose(4))
		case 0:
			return pick(g, q.texts)
		case 1:
			return pick(g, q.vs)
		case 2:
			return word{pick(g, q.vs)}
		case 3:
			if g.unboxed {
				return pair{a: pick(g, q.vs), s: pick(g, q.texts)}
			}
			return pair{a: pick(g, from().held), b: pick(g, from().held), s: pick(g, q.texts)}
		case 4:
			return pick(g, q.nums)
		case 5:
			return g.choose(1000)
		case 6:
			if !g.simple {
				return pick(g, q.maps)
			}
		case 7:
			if g.unboxed {
				return [1]part{{to: pick(g, q.vs)}}
			}
			return [2]any{pick(g, q.held), pick(g, q.vs)}
		case 8:
			return pick(g, q.parts)
		}
		return nil
	}
	for range 2 * len(p.vs) {
		p.held = append(p.held, held())
	}
	for i, v := range p.vs {
		q := from()
		v.name, v.next = pick(g, q.texts), pick(g, q.vs)
		for j := range v.array {
			v.array[j].p = pick(g, from().vs)
		}
		for range g.choose(4) {
			v.kids = arena.Append(p.in, v.kids, pick(g, from().vs))
		}
		for j := range p.parts[i] {
			q := from()
			p.parts[i][j] = part{pick(g, q.texts), pick(g, q.vs), int16(j)}
		}
		if s := pick(g, from().parts); s != nil {
			i, j := cut(len(s))
			v.parts = s[i:j]
		}
		if s := pick(g, from().parts); s != nil {
			v.part = &s[g.choose(len(s))]
		}
		if s := pick(g, from().nums); s != nil {
			i, j := cut(len(s))
			v.nums = s[i:j]
			v.num = &s[g.choose(len(s))]
		}
		if w := pick(g, from().vs); w != nil {
			v.link = &w.next
		}
		if s := pick(g, q.texts); g.choose(2) == 0 {
			v.text = arena.CloneSlice(p.in, []byte(s))
		}
		v.held = pick(g, from().held)
		switch g.choose(4) {
		case 0:
			if w := pick(g, q.vs); w != nil {
				v.namer = w
			}
		case 1:
			x := pair{s: pick(g, q.texts)}
			if !g.unboxed {
				x.a = pick(g, q.held)
			}
			v.namer = x
		case 2:
			v.namer = word{pick(g, q.vs)}
		}
		if !g.simple {
			v.table = pick(g, q.maps)
		}
		if g.choose(3) == 0 && !g.simple {
			v.owners = map[*vertex]string{}
			for range g.choose(5) {
				if w := pick(g, from().vs); w != nil {
					v.owners[w] = pick(g, from().texts)
				}
			}
		}
		if g.choose(3) == 0 {
			v.mine = arena.NewMap[int, *vertex](p.in, 0)
			v.seen = arena.NewMap[*vertex, string](p.in, 0)
			for range g.choose(12) {
				w := pick(g, from().vs)
				v.mine.Set(g.choose(1000), w)
				v.seen.Set(w, pick(g, from().texts))
			}
		}
		if g.choose(3) == 0 {
			v.buf = arena.NewBuffer(p.in, 0)
			v.buf.WriteString(pick(g, q.texts))
		}
		for range g.choose(3) {
			v.hidden.s = arena.Append(p.in, v.hidden.s, pick(g, q.texts))
		}
		v.hidden.w.to = pick(g, q.vs)
	}
	for _, m := range p.maps {
		for range g.choose(4) {
			m[pick(g, from().texts)] = pick(g, from().held)
		}
	}
}

// checkGraph escapes a random graph and compares the copy with the original.
func checkGraph(t *testing.T, choices []byte, n int, a, other *arena.Arena) {
	t.Helper()
	g := makeGraph(choices, n, a, other)
	type root struct {
		first *vertex
		all   []*vertex
		held  any
	}
	v := root{g.in.vs[0], g.in.vs[:0:0], pick(g, g.in.held)}
	for range g.choose(3) {
		v.all = arena.Append(a, v.all, pick(g, g.in.vs))
	}
	if len(v.all) == 0 {
		v.all = nil
	}
	inside := a.Stats().UsedBytes
	before := describe(g, false, &v)
	c := arena.Escape(a, v)
	if after := describe(g, false, &v); after != before {
		t.Fatalf("Escape has changed the original:\n%s\nis now\n%s", before, after)
	}
	if a.Stats().UsedBytes != inside {
		t.Fatal("Escape has taken memory of the arena")
	}
	if got := describe(g, true, &c); got != before {
		t.Fatalf("the copy of\n%s\nis\n%s", before, got)
	}
	v = root{}
	g.in.forget()
	a.Reset()
	dirtyArena(a)
	if hostile() {
		testkit.Collect(1)
	}
	if got := describe(g, true, &c); got != before {
		t.Fatalf("after Reset the copy of\n%s\nis\n%s", before, got)
	}
	a.Reset()
}

// dirtyArena overwrites the arena's memory.
func dirtyArena(a *arena.Arena) {
	for range 60 { // strings first, because most tests allocate strings first
		a.AllocString("@@@@@@@@@@@@@@@@")
	}
	for range 30 {
		testkit.Dirty(a.AllocBytes(500))
		arena.New[vertex](a).name = "somebody else's"
		for i := range 6 {
			arena.MakeSlice[part](a, 6, 6)[i].note = "somebody else's"
		}
		m := arena.NewMap[int, *vertex](a, 20)
		m.Set(1, nil)
	}
}

func (p *places) forget() {
	p.vs, p.parts, p.nums, p.texts, p.held, p.maps = nil, nil, nil, nil, nil, nil
}

// note records the addresses of all values of p.
func (g *graph) note(p *places) {
	p.own = map[uintptr]bool{}
	for _, v := range p.vs {
		own(p, unsafe.Slice(v, 1))
		own(p, v.kids)
		own(p, v.text)
		own(p, v.hidden.s)
		if v.mine != nil {
			own(p, unsafe.Slice(v.mine, 1))
			own(p, unsafe.Slice(v.seen, 1))
		}
		if v.buf != nil {
			own(p, unsafe.Slice(v.buf, 1))
		}
		g.maps[*(*unsafe.Pointer)(unsafe.Pointer(&v.owners))] = true
	}
	for i := range p.parts {
		own(p, p.parts[i])
		own(p, p.nums[i])
	}
	for _, s := range p.texts {
		own(p, unsafe.Slice(unsafe.StringData(s), len(s)))
	}
	for _, m := range p.maps {
		g.maps[*(*unsafe.Pointer)(unsafe.Pointer(&m))] = true
	}
}

func own[T any](p *places, s []T) {
	for i := range uintptr(cap(s)) * unsafe.Sizeof(*new(T)) {
		p.own[uintptr(unsafe.Pointer(unsafe.SliceData(s)))+i] = true
	}
}

// shared reports whether p points to a value outside a, and inside whether it points into a.
func (g *graph) shared(p unsafe.Pointer) bool { return g.out.own[uintptr(p)] }
func (g *graph) inside(p unsafe.Pointer) bool { return g.in.own[uintptr(p)] }
