package convert

import (
	"errors"
	"fmt"
	"go/version"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"
)

// The generator writes small programs whose root makes nodes, lists, strings and bytes from its input, in random
// order, and hands them to everything that may keep them: globals, parameters, maps, channels, closures, goroutines,
// interfaces of callers, methods that the standard library calls, and functions that store one argument in another.
// It also copies structs, shares slices, appends, and writes to elements and buffers.

// gen writes one program.
type gen struct {
	r     *rand.Rand
	vars  map[string][]string // variables in scope, by type
	n     int
	out   strings.Builder
	depth int
	level int
	heap  bool // for the fixes of arenavet -heap: the root has an arena
}

const genTypes = `// Package %s was generated.
package %[1]s

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

type Pos struct {
	File string
	At   []int
}

type Node struct {
	Name  string
	Tags  []string
	Kids  []*Node
	Next  *Node
	Pos   Pos
	Raw   [4]byte
	Bytes []byte
	Val   any
}

type Holder struct {
	N *Node
	S string
	L []*Node
	F func() string
}

type Inner struct{ P *string }

type visitor interface{ visit(n *Node) *Node }

type counting struct{ seen []*Node }

func (c *counting) visit(n *Node) *Node { %[2]s; return n }

type plain struct{}

func (plain) visit(n *Node) *Node { return &Node{Name: n.Name + "v", Next: n} }

type Sink interface {
	Write(n *Node)
	Text(s string)
}

type byName []*Node

func (b byName) Len() int           { return len(b) }
func (b byName) Less(i, j int) bool { %[3]s; return b[i].Name < b[j].Name }
func (b byName) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

func (h *Holder) String() string { %[4]s; return h.S }

var (
	Kept  []*Node
	Texts []string
	Cache = map[string]*Node{}
	Names = map[string]string{}
	Last  *Node
	Held  Holder
	Ptr   *string
	Hook  func() string
	Any   any
	Queue = make(chan *Node, 1000)
	Lines = make(chan string, 1000)
	Table = []*Node{{Name: "t0"}, {Name: "t1"}}
	Words = []string{"w0", "w1"}
	Sep   = []byte("a")
	store sync.Map
	std   = &Holder{S: "std"}
)

var (
	_ = bytes.Clone
	_ = errors.New
	_ = fmt.Sprint
	_ = fnv.New32
	_ = slices.Clone[[]int]
	_ = sort.Strings
	_ = strconv.Itoa
	_ = strings.ToUpper
	_ = utf8.RuneLen
)

type failure struct{ n *Node; s string }

func (f *failure) Error() string { return f.s }

func try(f func()) { defer func() { if r := recover(); r != nil { if n, ok := r.(*Node); ok { Last = n } } }(); f() }

func keep(p *string)                  { %[5]s }
func set(to **Node, n *Node)          { *to = n }
func read(p *string) string           { return *p }
func add(to *[]string, s string)      { *to = append(*to, s) }
func each(l []*Node, f func(n *Node)) { for _, n := range l { f(n) } }
func later(f func() string)           { %[6]s }
func id(n *Node) *Node                { return n }
func first(l []*Node) *Node           { if len(l) > 0 { return l[0] }; return &Node{Name: "none"} }
func more(b []byte, s string) []byte   { return append(b, s...) }
func longer(l []string, s string) []string { l = append(l, s); return l }
func insert(l []string, i int, s ...string) []string { return append(l, s...) }
func grown[T any](l []T, x T) []T      { return append(l, x) }
func all(l []string) func(func(string) bool) { return func(yield func(string) bool) { for _, w := range l { if !yield(w) { return } } } }

type grower interface{ grow(l []string, s string) []string }

type double struct{}

func (plain) grow(l []string, s string) []string  { return append(l, s) }
func (double) grow(l []string, s string) []string { return append(l, s, s) }

type Wrapped struct { *Node; Pos; More []string }

func swap(b []byte) []byte             { for i := range b { b[i] ^= 32 }; return b }
func inner(n *Node) *Inner            { s := n.Name; return &Inner{&s} }
`

// pick is one of some.
func (g *gen) pick(of ...string) string { return of[g.r.IntN(len(of))] }

func (g *gen) variable(t string) string {
	if l := g.vars[t]; len(l) > 0 {
		return l[g.r.IntN(len(l))]
	}
	switch t {
	case "*Node":
		return `(&Node{Name: in + "d"})`
	case "string":
		return "in"
	case "[]byte":
		return "[]byte(in)"
	case "[]string":
		return "strings.Fields(in)"
	}
	return "[]*Node(nil)"
}

func (g *gen) expr(t string) string {
	g.depth++
	defer func() { g.depth-- }()
	if g.depth > 3 {
		return g.variable(t)
	}
	n := func() string { return g.expr("*Node") }
	s := func() string { return g.expr("string") }
	if g.heap && g.r.IntN(5) == 0 {
		switch t {
		case "*Node":
			return g.pick("mk.node("+s()+")", "none.node("+s()+")", "make1("+s()+")", "mk.moved("+s()+")")
		case "string":
			return g.pick("fmt.Sprint("+s()+")", "strings.Clone("+s()+")", "mk.text("+s()+") + mk.last", "mk.last + mk.text("+s()+")", "mk.build("+s()+")", "mk.buffer("+s()+")", "mk.count("+g.expr("[]string")+")")
		case "[]byte":
			return g.pick("bytes.Clone(nil)", "bytes.Clone("+g.variable(t)+")", "mk.bytes("+s()+")")
		case "[]string":
			return g.pick("mk.add("+s()+")", "mk.tags", "mk.grow("+s()+")", "slices.Collect(slices.Values("+g.variable(t)+"))", "slices.Clone([]string(nil))")
		}
	}
	switch t {
	case "*Node":
		return g.pick(g.variable(t), "(&Node{Name: "+s()+"})", "(&Node{Name: "+s()+", Next: "+n()+", Kids: "+g.expr("[]*Node")+"})", "first("+g.expr("[]*Node")+")", "id("+n()+")",
			"(&Node{Tags: "+g.expr("[]string")+", Bytes: "+g.expr("[]byte")+"})", "(&Node{Val: "+s()+", Pos: Pos{File: "+s()+"}})", "new(Node)", "id("+g.variable(t)+")", "(&Node{Val: "+n()+"})", "v.visit("+n()+")")
	case "string":
		return g.pick(g.variable(t), s()+" + "+s(), s()+" + ("+s()+" + "+s()+")", "strings.ToUpper("+s()+")", "string("+g.expr("[]byte")+")", "fmt.Sprintf(\"%s-%d\", "+s()+", 1)", g.variable("*Node")+".Name",
			"strings.TrimSpace("+s()+")", "strings.Join("+g.expr("[]string")+", \",\")", g.variable("*Node")+".Pos.File", "fmt.Sprint(&Holder{S: "+s()+"})", "strings.ReplaceAll("+s()+", \"a\", \"b\")")
	case "[]byte":
		return g.pick(g.variable(t), "[]byte("+s()+")", "bytes.ToUpper("+g.variable(t)+")", g.variable("*Node")+".Raw[:]", "bytes.TrimSpace("+g.variable(t)+")", "append([]byte(nil), "+s()+"...)", "make([]byte, 2, 3)",
			"bytes.ReplaceAll("+g.expr(t)+", Sep, "+g.variable(t)+")", "bytes.Join([][]byte{Sep, "+g.expr(t)+"}, Sep)", "bytes.Repeat("+g.variable(t)+", 2)", "swap("+g.expr(t)+")", "bytes.ToLower("+g.expr(t)+")", "bytes.Clone("+g.variable(t)+")", "bytes.NewBufferString("+s()+").Bytes()", "[]byte{65, byte(len("+s()+"))}")
	case "[]string":
		return g.pick(g.variable(t), "[]string{"+s()+"}", "strings.Fields("+s()+")", "make([]string, 1, 4)", g.variable("*Node")+".Tags", "slices.Clone("+g.variable(t)+")", "append([]string(nil), "+s()+")")
	}
	return g.pick(g.variable(t), "[]*Node{"+n()+"}", "make([]*Node, 0, 3)", g.variable("*Node")+".Kids", "append([]*Node(nil), "+n()+")", "slices.Clone("+g.variable(t)+")")
}

func (g *gen) line(format string, args ...any) {
	fmt.Fprintf(&g.out, strings.Repeat("\t", g.level+1)+format+"\n", args...)
}

func (g *gen) declare(t, value string) {
	g.n++
	v := "x" + strconv.Itoa(g.n)
	g.line("%s := %s", v, value)
	g.line("_ = %s", v)
	g.vars[t] = append(g.vars[t], v)
}

var genKinds = []string{"*Node", "string", "[]byte", "[]string", "[]*Node"}

// block writes statements in a scope of their own.
func (g *gen) block(n int) {
	saved := map[string][]string{}
	for k, l := range g.vars {
		saved[k] = slices.Clone(l)
	}
	g.level++
	for range n {
		g.statement()
	}
	g.level--
	g.vars = saved
}

func (g *gen) statement() {
	n, s := g.expr("*Node"), g.expr("string")
	v := func(t string) string { // a declared variable
		if len(g.vars[t]) == 0 {
			g.declare(t, g.expr(t))
		}
		return g.variable(t)
	}
	switch k := g.r.IntN(90); {
	case k >= 78:
		g.functions(n, s)
	case k < 14:
		t := genKinds[g.r.IntN(len(genKinds))]
		g.declare(t, g.expr(t))
	case k < 17: // a struct, a pointer to it and a copy
		g.n++
		x := "y" + strconv.Itoa(g.n)
		g.line("%s := Node{Name: %s}", x, s)
		g.line("%sp := &%[1]s", x)
		g.line("%sq := %[1]s", x)
		g.line("%sp.Name = %s", x, g.expr("string"))
		g.line("%sr := &%[1]sq", x)
		g.line("_, _ = %sp, %[1]sr", x)
		g.vars["*Node"] = append(g.vars["*Node"], x+"p", x+"r")
	case k < 24: // appends
		switch g.r.IntN(11) {
		case 7:
			g.declare("[]byte", "append("+v("[]byte")+", "+s+"...)")
		case 8:
			g.shared("[]string", s, "Tags")
		case 9:
			g.shared("[]*Node", n, "Kids")
		case 10:
			g.slices()
		case 0:
			x := v("[]*Node")
			g.line("%s = append(%[1]s, %s)", x, n)
		case 1:
			x := v("[]string")
			g.line("%s = append(%[1]s, %s)", x, s)
		case 2:
			x := v("*Node")
			g.line("%s.Kids = append(%[1]s.Kids, %s)", x, n)
		case 3:
			x := v("*Node")
			g.line("%s.Tags = append(%[1]s.Tags, %s)", x, s)
		case 4: // twice to one base
			g.declare("[]*Node", "append("+v("[]*Node")+", "+n+")")
		case 5:
			g.declare("[]string", "append("+v("[]string")+", "+s+")")
		case 6:
			x := v("[]byte")
			g.line("%s = append(%[1]s, %s...)", x, s)
		}
	case k < 30: // writes to elements and fields
		switch g.r.IntN(6) {
		case 0:
			x := v("[]*Node")
			g.line("if len(%s) > 0 { %[1]s[0] = %s }", x, n)
		case 1:
			x := v("[]string")
			g.line("if len(%s) > 0 { %[1]s[0] = %s }", x, s)
		case 2:
			x := v("[]byte")
			g.line("if len(%s) > 0 { %[1]s[0] ^= 1 }", x)
		case 3:
			g.line("%s.%s", v("*Node"), g.pick("Name = "+s, "Next = "+n, "Val = "+s, "Pos.File = "+s, "Pos = Pos{File: "+s+"}", "Bytes = "+g.expr("[]byte"), "Tags = "+g.expr("[]string"), "Kids = "+g.expr("[]*Node")))
		case 4:
			g.line("*%s = *%s", v("*Node"), v("*Node"))
		case 5:
			x := v("[]*Node")
			g.line("%s = %[1]s[:len(%[1]s)/2]", x)
		}
	case k < 34: // control
		switch g.r.IntN(3) {
		case 0:
			g.line("if len(%s) > 2 {", v("string"))
		case 1:
			g.line("for i := range 3 {")
			g.line("\t_ = i")
		case 2:
			g.line("for _, w := range strings.Fields(in) {")
			g.line("\t_ = w")
		}
		g.block(1 + g.r.IntN(3))
		g.line("}")
	case k < 37: // a buffer whose text is used before it changes
		g.n++
		x := "b" + strconv.Itoa(g.n)
		g.line("var %s bytes.Buffer", x)
		g.line("%s.WriteString(%s)", x, s)
		g.declare("string", x+".String()")
		g.line("%sp := %[1]s.Bytes()", x)
		g.line("if len(%sp) > 0 { %[1]sp[0] ^= 1 }", x)
		g.declare("string", x+".String()")
	case k < 60:
		g.local(n, s)
	default:
		if g.r.IntN(9) > 0 {
			g.local(n, s)
		} else {
			g.keeper(n, s)
		}
	}
}

// slices writes slices whose memory another slice may have.
func (g *gen) slices() {
	s := g.variable("string")
	switch g.r.IntN(7) {
	case 6: // appended to by the library
		g.declare("[]string", "[]string{"+s+"}")
		x := g.vars["[]string"][len(g.vars["[]string"])-1]
		for range 1 + g.r.IntN(4) {
			g.line("%s = append(%[1]s, %s)", x, s)
		}
		for range 2 {
			g.declare("[]string", g.pick("slices.Insert("+x+", 1, "+s+"+\"i\")", "append(slices.Grow("+x+", 1), "+s+"+\"g\")", "slices.Replace("+x+", 0, 1, in, "+s+")", "longer("+x+", "+s+")", "slices.AppendSeq("+x+", slices.Values("+x+"))", "slices.Delete("+x+", 0, 1)", "slices.Compact("+x+")"))
			g.vars["*Node"] = append(g.vars["*Node"], "(&Node{Tags: "+g.vars["[]string"][len(g.vars["[]string"])-1]+"})")
		}
		g.vars["*Node"] = append(g.vars["*Node"], "(&Node{Tags: "+x+"})")
	case 5, 0:
		g.shared("[]string", s+" + "+strconv.Quote(strconv.Itoa(g.n)), "Tags")
	case 1:
		g.shared("[]*Node", "&Node{Name: "+s+"}", "Kids")
	case 2: // a field whose slice was that of another object
		g.n++
		p, l := fmt.Sprint("prev", g.n), fmt.Sprint("all", g.n)
		g.line("var %s []string", p)
		g.line("var %s []*Node", l)
		g.line("for range 3 { n := &Node{}; n.Tags = %s; n.Tags = append(n.Tags, %s); %[1]s = n.Tags; %[3]s = append(%[3]s, n) }", p, s, l)
		g.line("for i, n := range %s { n.Tags = append(n.Tags, %s + fmt.Sprint(i)) }", l, s)
		g.vars["*Node"] = append(g.vars["*Node"], "(&Node{Kids: "+l+"})")
	case 3:
		g.declare("[]byte", g.pick("bytes.ReplaceAll([]byte("+s+"), Sep, []byte("+s+"))", "bytes.ReplaceAll(nil, Sep, Sep)", "bytes.ReplaceAll([]byte("+s+"), nil, Sep)", "bytes.ReplaceAll([]byte("+s+"), Sep, nil)", "bytes.ToLower([]byte("+s+"))", "bytes.ToLower(nil)", "bytes.ToLower([]byte("+s+" + \"ÄA\"))", "[]byte("+s+")"))
		x := g.vars["[]byte"][len(g.vars["[]byte"])-1]
		if g.r.IntN(2) == 0 { // twice to one base
			grown := func(c string) string {
				return fmt.Sprintf(g.pick("append(%s, '%s')", "append(%s, '%s')", "utf8.AppendRune(%s, '%s')", "strconv.AppendQuote(%s, \"%s\")", "slices.Insert(%s, 0, '%s')", "append(slices.Grow(%s, 1), '%s')", "more(%s, \"%s\")", "fmt.Append(%s, \"%s\")"), x, c)
			}
			g.declare("[]byte", grown("x"))
			y := g.vars["[]byte"][len(g.vars["[]byte"])-1]
			g.line("%s = %s", x, grown("y"))
			g.vars["*Node"] = append(g.vars["*Node"], "(&Node{Bytes: "+y+"})")
		}
		g.vars["*Node"] = append(g.vars["*Node"], "(&Node{Bytes: "+x+"})")
		g.declare("string", "string("+x+") + fmt.Sprint("+x+" == nil)")
	case 4:
		g.declare("*Node", "&Node{Name: "+s+", Kids: []*Node{"+g.variable("*Node")+", "+g.variable("*Node")+"}}")
	}
}

// functions writes calls of variables, of methods of interfaces and of iterators, and slices behind pointers, in maps,
// arrays and copies of structs.
func (g *gen) functions(n, s string) {
	g.n++
	f, x := fmt.Sprint("f", g.n), fmt.Sprint("s", g.n)
	node := func(format string, args ...any) {
		g.vars["*Node"] = append(g.vars["*Node"], fmt.Sprintf("(&"+format+")", args...))
	}
	list := func() { // with room perhaps
		g.line("%s := %s", x, g.pick("[]string{"+s+"}", "[]string{"+s+"}", "slices.Clone("+g.variable("[]string")+")", g.expr("[]string")))
		for range g.r.IntN(4) {
			g.line("%s = append(%[1]s, %s)", x, g.variable("string"))
		}
	}
	text := func() {
		g.line("%s := %s", x, g.pick("[]byte("+s+")", "[]byte("+s+" + \"  \")", "bytes.Clone("+g.variable("[]byte")+")", g.expr("[]byte")))
	}
	twice := func(field, call string) { // to one base
		g.line("%sa := %s", x, fmt.Sprintf(call, x, s))
		g.line("%sb := %s", x, fmt.Sprintf(call, x, `in + "2"`))
		g.line("_, _ = %sa, %[1]sb", x)
		node("Node{%s: %sa, Kids: []*Node{{%[1]s: %sb}, {%[1]s: %[2]s}}}", field, x, x)
	}
	switch g.r.IntN(20) {
	case 0, 1:
		list()
		g.line("%s := slices.Insert[[]string]", f)
		g.line("if len(in) > 4 { %s = insert }", f)
		twice("Tags", f+"(%s, 0, %s)")
	case 2:
		list()
		g.line("var %s grower = plain{}", f)
		g.line("if len(in) > 4 { %s = double{} }", f)
		twice("Tags", f+".grow(%s, %s)")
	case 3:
		text()
		g.line("%s := fnv.New32a()", f)
		g.line("%sa := %s.Sum(%[1]s)", x, f)
		g.line("%s.Write([]byte(in))", f)
		g.line("%sb := %s.Sum(%[1]s)", x, f)
		g.line("_, _ = %sa, %[1]sb", x)
		node("Node{Bytes: %sa, Kids: []*Node{{Bytes: %[1]sb}}}", x)
	case 4:
		text()
		g.line("%s := utf8.AppendRune", f)
		g.line("if len(in) > 4 { %s = strconv.AppendQuoteRune }", f)
		twice("Bytes", f+"(%s, rune(65+len(%s)%%26))")
	case 5:
		list()
		twice("Tags", g.pick("grown", "plain{}.grow", "func(l []string, s string) []string { return append(l, s) }")+"(%s, %s)")
	case 6:
		list()
		g.line("%sp := &%[1]s", x)
		g.line("*%sp = append(*%[1]sp, %s)", x, s)
		g.line("%sc := *%[1]sp", x)
		g.line("_ = %sc", x)
		g.line("*%sp = append(*%[1]sp, in)", x)
		twice("Tags", "append(*%sp, %s)")
		node("Node{Tags: append(%sc, in)}", x)
	case 7:
		list()
		g.line("%sm := map[string][]string{in: %[1]s, in + \"2\": %[1]s}", x)
		g.line("%sm[in] = append(%[1]sm[in], %s)", x, s)
		g.line("%sm[in + \"2\"] = append(%[1]sm[in + \"2\"], in)", x)
		node("Node{Tags: %sm[in], Kids: []*Node{{Tags: %[1]sm[in + \"2\"]}}}", x)
	case 8:
		list()
		g.line("%sl := [2][]string{%[1]s, %[1]s}", x)
		g.line("%sl[0] = append(%[1]sl[0], %s)", x, s)
		g.line("%sl[1] = append(%[1]sl[1], in)", x)
		node("Node{Tags: %sl[0], Kids: []*Node{{Tags: %[1]sl[1]}}}", x)
	case 9:
		list()
		g.line("%sn := Node{Tags: %[1]s}", x)
		g.line("%sm := %[1]sn", x)
		g.line("%sn.Tags = append(%[1]sn.Tags, %s)", x, s)
		g.line("%sm.Tags = append(%[1]sm.Tags, in)", x)
		g.vars["*Node"] = append(g.vars["*Node"], "(&"+x+"n)", "(&"+x+"m)")
	case 10:
		list()
		g.line("for w := range %s { %s = append(%[2]s, w) }", g.pick("all("+x+")", "strings.FieldsSeq("+s+")", "slices.Values("+x+")"), x)
		twice("Tags", "append(%s, %s)")
	case 11:
		list()
		g.line("%s := plain{}.grow", f)
		twice("Tags", f+"(%s, %s)")
	case 12:
		g.line("%s := strings.TrimSpace", f)
		g.line("if len(in) > 4 { %s = strings.ToUpper }", f)
		g.declare("string", f+"("+s+")")
		if g.r.IntN(4) == 0 {
			g.line("Texts = append(Texts, %s(%s))", f, s)
		}
	case 13:
		if g.r.IntN(4) == 0 {
			g.line("%s := store.Store", f)
			g.line("%s(in, %s)", f, g.pick(n, s))
		}
	case 14:
		text()
		twice("Bytes", g.pick("append(bytes.TrimSpace(%s), %s...)", "append(bytes.TrimRight(%s, \" \"), %s...)", "fmt.Append(bytes.TrimSpace(%s), %s)"))
	case 15:
		list()
		twice("Tags", g.pick("append(slices.Compact(%s), %s, in)", "append(slices.Clip(%s), %s, in)", "append(slices.DeleteFunc(%s, func(t string) bool { return t == in }), %s, in)"))
	case 16:
		list()
		g.line("defer func(l []string) { if res != nil { res.Tags = append(l, %s) } }(%s)", s, x)
		twice("Tags", "append(%s, %s)")
	case 17:
		list()
		g.line("%sw := Wrapped{Node: %s, More: %[1]s}", x, n)
		g.line("%sw.Tags, %[1]sw.More = append(%[1]sw.Tags, %s), append(%[1]sw.More, in)", x, s)
		g.line("%sw.More = append(%[1]sw.More, in)", x)
		node("Node{Tags: %sw.More, Kids: []*Node{%[1]sw.Node}}", x)
	case 18:
		g.line("switch v := any(%s).(type) { case *Node: v.Tags = append(v.Tags, %s) }", n, s)
	case 19:
		list()
		g.line("%s := func(l []string, grow func([]string, string) []string) []string { return grow(l, in) }", f)
		twice("Tags", "append("+f+"(%s, "+g.pick("grown[string]", "plain{}.grow", "func(l []string, s string) []string { return append(l, s) }")+"), %s)")
	}
}

// shared writes a slice that a function literal appends to, or one in a field of a local struct, and uses of it between.
func (g *gen) shared(t, item, field string) {
	g.n++
	x, loop, object := fmt.Sprint("c", g.n), g.r.IntN(4) == 0, g.r.IntN(2) == 0
	all, add := x+"all", x+"add()"
	g.line("var %s []*Node", all)
	if loop {
		g.line("for range 3 {")
	}
	keep := all + " = append(" + all + ", &Node{" + field + ": %s})"
	switch old := g.r.IntN(2) == 0; {
	case object:
		if old && g.r.IntN(4) == 0 {
			g.line("%s := Node{%s: %s}", x, field, g.variable(t))
		} else {
			g.line("var %s Node", x)
		}
		keep = g.pick(keep, "{ y := "+x+"; "+all+" = append("+all+", &y) }")
		x += "." + field
		add = x + " = append(" + x + ", " + item + ")"
		if old && g.r.IntN(2) == 0 {
			g.line("%s = %s", x, g.variable(t))
		}
	case old:
		g.line("%s := %s", x, g.variable(t))
	default:
		g.line("var %s %s", x, t)
	}
	if !object {
		g.line("%sadd := func() { %[1]s = append(%[1]s, %s) }; %[1]sadd()", x, item)
	}
	keep = strings.ReplaceAll(keep, "%s", x)
	for range 2 + g.r.IntN(5) {
		if g.r.IntN(12) > 0 {
			g.line("%s", g.pick(add, "for range 3 { "+add+" }", x+" = append("+x+", "+item+")", keep))
		} else {
			g.line("%s", g.pick("if len("+x+") > 0 { "+x+"[0] = "+item+" }", x+" = "+x+"[:len("+x+")/2]", "func() { y := "+x+"; "+add+"; "+x+" = y }()", all+" = append("+all+", &Node{"+field+": slices.Insert("+x+", 0, "+item+")})", all+" = append("+all+", &Node{"+field+": append("+x+", "+item+")})"))
		}
	}
	g.line("%s", keep)
	if loop {
		g.line("}")
	}
	g.vars["*Node"] = append(g.vars["*Node"], "(&Node{Kids: "+all+"})")
}

// local writes what keeps nothing.
func (g *gen) local(n, s string) {
	switch g.r.IntN(12) {
	case 0:
		g.line("each(%s, func(n *Node) { n.Name = %s })", g.expr("[]*Node"), s)
	case 1:
		g.n++
		g.line("f%d := func() *Node { return &Node{Name: %s} }", g.n, s)
		g.line("_ = f%d", g.n)
		g.vars["*Node"] = append(g.vars["*Node"], fmt.Sprintf("f%d()", g.n))
	case 2:
		g.line("sort.Slice(%s, func(i, j int) bool { return i < j })", g.expr("[]*Node"))
	case 3:
		g.line("_ = fmt.Sprint(%s)", g.pick(n+".Name", s, s, "&Holder{S: "+s+"}"))
	case 4:
		g.n++
		g.line("m%d := map[string]*Node{%s: %s}", g.n, s, n)
		g.line("for _, m := range m%d { m.Name += %s }", g.n, s)
	case 5:
		g.n++
		g.line("var l%d *Node", g.n)
		g.line("set(&l%d, %s)", g.n, n)
		g.vars["*Node"] = append(g.vars["*Node"], "first([]*Node{l"+strconv.Itoa(g.n)+"})")
	case 6:
		g.line("defer func() { _ = %s }()", g.variable("string"))
	case 7:
		g.line("{ h := struct{ N *Node; S string }{%s, %s}; _ = h }", n, s)
	case 8:
		g.line("_ = strings.Map(func(r rune) rune { return r }, %s)", s)
	case 9:
		g.line("_ = (*%s).Name", g.variable("*Node"))
	case 10:
		g.line("try(func() { _ = %s })", n)
	case 11:
		g.declare("string", "*inner("+n+").P + read(&"+g.variable("*Node")+".Name)")
	}
}

// keeper writes what may outlive the call.
func (g *gen) keeper(n, s string) {
	g.line("%s", g.pick("Kept = append(Kept, "+n+")", "Texts = append(Texts, "+s+")", "Cache[in] = "+n, "Names[in] = "+s, "Names["+s+"] = in", "Last = "+n, "Held.N = "+n, "Held.S = "+s, "Held = Holder{S: "+s+"}",
		"{ x := "+n+"; Ptr = &x.Name }", "{ x := "+n+"; keep(&x.Name) }", "{ x := "+n+"; Hook = func() string { return x.Name } }", "{ x := "+s+"; later(func() string { return x }) }", "Any = "+n, "Any = "+s, "Any = "+g.expr("[]string"),
		"Queue <- "+n, "Lines <- "+s, "Table[0] = "+n, "Table[1].Next = "+n, "Table[1].Name = "+s, "Words[0] = "+s, "store.Store(in, "+n+")", "store.Store(in, "+s+")", "std.N = "+n, "std.S = "+s,
		"set(&Last, "+n+")", "set(&Held.N, "+n+")", "add(&Texts, "+s+")", "sink.Write("+n+")", "sink.Text("+s+")", "given.Next = "+n, "given.Name = "+s, "given.Tags = append(given.Tags, "+s+")", "given.Kids = "+g.expr("[]*Node"),
		"if len(list) > 0 { list[0] = "+n+" }", "if len(words) > 0 { words[0] = "+s+" }", "*out = append(*out, "+s+")", "sort.Sort(byName("+g.expr("[]*Node")+"))", "callback("+n+")", "each("+g.expr("[]*Node")+", callback)",
		"{ x := "+n+"; go func() { Lines <- x.Name }() ; Texts = append(Texts, <-Lines) }", "try(func() { panic("+n+") })", "if x, ok := given.Val.(*Node); ok { x.Next = "+n+" }", "err = &failure{"+n+", "+s+"}", "err = errors.New("+s+")", "err = fmt.Errorf(\"%s\", "+s+")",
		"Held.L = "+g.expr("[]*Node"), "Any = &Holder{N: "+n+"}", "Any = &Inner{&"+g.variable("*Node")+".Name}", "v = &counting{}", "Hook = (&Holder{S: "+s+"}).String", "x := Table[0]; x.Tags = append(x.Tags, "+s+")"))
}

// takesNodes reports whether the root of a program has parameters that lead to nodes.
func takesNodes(seed uint64) bool { return seed%4 == 0 }

// genMaker has an arena in a field, and all that -heap advises.
const genMaker = `
type maker struct {
	a    *arena.Arena
	tags []string
	last string
	all  []any
}

func (m *maker) node(s string) *Node {
	if m == nil {
		return &Node{Name: s + "nil"}
	}
	m.last = s
	n := Node{Name: s + "m"}
	p, q := &n, n
	p.Tags = append(p.Tags, s)
	m.all = append(m.all, q.Name, len(s))
	return p
}

func (m *maker) moved(s string) *Node {
	v := Node{Name: s}
	p := &v
	q := v
	p.Name += "p"
	q.Next = p
	return &q
}

func (m *maker) text(s string) string { m.last += "t"; return s + m.last }

func (m *maker) add(s string) []string { m.tags = append(m.tags, s); return m.tags }

func (m *maker) build(s string) string {
	var b strings.Builder
	b.WriteString(s)
	first := b.String()
	fmt.Fprintf(&b, "-%%d", len(first))
	return first + b.String()
}

func (m *maker) buffer(s string) string {
	b := new(bytes.Buffer)
	b.WriteString(s)
	first := b.String()
	b.Truncate(%[1]s)
	b.WriteString("trunc")
	m.last = first
	return b.String()
}

func (m *maker) bytes(s string) []byte {
	var b bytes.Buffer
	b.WriteString(s)
	%[2]s
	return b.Bytes()
}

func (m *maker) count(words []string) string {
	seen, sum := make(map[string]int), 0
	for i, w := range words {
		if _, ok := seen[w]; !ok {
			seen[w] = i + len(m.text(w))
		}
	}
	for w, n := range seen {
		sum += len(w) * n
	}
	delete(seen, "a")
	return fmt.Sprint(len(seen)) + "/" + fmt.Sprint(sum)
}

func (m *maker) grow(s string) []string {
	m.last = s
	x := %[3]s
	y := append(x, "y")
	%[4]s
	y[0] += "-"
	return append(append(x, y...), z...)
}

func make1(s string) *Node                    { return make1In(nil, s) }
func make1In(a *arena.Arena, s string) *Node { return &Node{Name: s + "1"} }
func make2(s string) *Node                    { return &Node{Name: s} }
func make2In(a *arena.Arena, s string) *Node { return &Node{Name: s + "other"} }

func State() any { return last }

var last *maker
`

// genHeap is a program whose root has an arena.
func genHeap(name string, seed uint64) string {
	g := &gen{heap: true, r: rand.New(rand.NewPCG(seed, 11)), vars: map[string][]string{}}
	g.vars["[]string"] = []string{"words"}
	g.vars["*Node"] = []string{"make2(in)"}
	g.out.WriteString(strings.Replace(fmt.Sprintf(genTypes, name, "_ = n.Name", "_ = 0", "_ = 0", "_ = 0", "_ = 0"), "\t\"sync\"\n", "\t\"sync\"\n\n\t\"github.com/ebbpool/arena\"\n", 1))
	fmt.Fprintf(&g.out, genMaker, g.pick("0", "b.Len()/2"), g.pick("_ = b.Bytes()", "if p := b.Bytes(); len(p) > 0 { p[0] ^= 1 }", "m.last = b.String()"),
		g.pick("[]string{s}", "append([]string(nil), s)", "append([]string(nil), s)", "append([]string(nil), s)", "make([]string, 1)", "slices.Clone(m.tags[:1:1])", "m.tags[:1]"), g.pick("z := append(x, \"z\")", "z := append(x, \"z\")", "x[0] += \"x\"; z := x", "z := append(m.tags, s)"))
	fmt.Fprintf(&g.out, "\nfunc Root(a *arena.Arena, in string, words []string, out *[]string, sink Sink, callback func(*Node)) (res *Node, err error) {\n\tgiven, list := &Node{Name: in}, []*Node{{Name: in}}\n\tvar v visitor = plain{}\n\tvar none *maker\n\tmk := &maker{a: a, tags: []string{in}}\n\twords = append(words, mk.grow(in)...)\n\tlast = mk\n\t_, _, _, _ = v, given, list, none\n")
	for range 6 + g.r.IntN(14) {
		g.statement()
	}
	var all []string
	for _, kind := range genKinds {
		all = append(all, g.vars[kind]...)
	}
	fmt.Fprintf(&g.out, "\treturn &Node{Name: %s, Val: []any{%s}}, err\n}\n", g.expr("string"), strings.Join(all, ", "))
	return g.out.String()
}

// genProgram is the text of a package.
func genProgram(name string, seed uint64) string {
	g := &gen{r: rand.New(rand.NewPCG(seed, 7)), vars: map[string][]string{}}
	quiet := func(s string) string {
		if g.r.IntN(16) == 0 {
			return s
		}
		return "_ = 0"
	}
	g.out.WriteString(fmt.Sprintf(genTypes, name, g.pick("c.seen = append(c.seen, n)", "_ = n.Name"), quiet("Last = b[i]"), quiet("Texts = append(Texts, h.S)"), quiet("Ptr = p"), quiet("Hook = f")))
	params, given := "in string, ", "given, list := &Node{Name: in}, []*Node{{Name: in}}"
	switch {
	case takesNodes(seed):
		params, given = "in string, given *Node, list []*Node, ", ""
	case seed%4 == 1:
		given = "given, list := Table[0], Table"
	}
	fmt.Fprintf(&g.out, "\nfunc Root(%swords []string, out *[]string, sink Sink, callback func(*Node)) (res *Node, err error) {\n\t%s\n\tvar v visitor = plain{}\n\t_, _, _ = v, given, list\n", params, given)
	for range 4 + g.r.IntN(12) {
		if seed%8 == 6 && g.r.IntN(2) == 0 {
			g.slices()
		} else if seed%8 == 6 {
			g.functions(`(&Node{Name: in})`, g.variable("string"))
		} else {
			g.statement()
		}
	}
	res := g.expr("*Node")
	if seed%8 == 6 {
		res = "&Node{Kids: []*Node{" + strings.Join(g.vars["*Node"], ", ") + "}}"
	}
	fmt.Fprintf(&g.out, "\treturn %s, err\n}\n", res)
	return g.out.String()
}

// genMain runs all programs and prints what each call of a root returns, and then what is left of it.
const genMain = `package main

import (
	"fmt"
	"reflect"
	"strings"
	"runtime/debug"

	"github.com/ebbpool/arena"
%s)

var _ = arena.NewArena

// show prints everything that a value leads to.
func show(v any) string {
	var b strings.Builder
	seen := map[uintptr]int{}
	var walk func(v reflect.Value, depth int)
	walk = func(v reflect.Value, depth int) {
		if depth > 40 || b.Len() > 20000 { b.WriteString("..."); return }
		switch v.Kind() {
		case reflect.Pointer:
			if v.IsNil() { b.WriteString("nil"); return }
			if n, ok := seen[v.Pointer()]; ok && v.Type().Elem().Size() > 0 { fmt.Fprintf(&b, "#%%d", n); return }
			seen[v.Pointer()] = len(seen)
			b.WriteString("&"); walk(v.Elem(), depth+1)
		case reflect.Interface:
			if v.IsNil() { b.WriteString("nil"); return }
			walk(v.Elem(), depth+1)
		case reflect.Slice:
			if v.IsNil() { b.WriteString("nil"); return }
			fallthrough
		case reflect.Array:
			b.WriteString("["); for i := range v.Len() { walk(v.Index(i), depth+1); b.WriteString(" ") }; b.WriteString("]")
		case reflect.Struct:
			b.WriteString("{"); for i := range v.NumField() { walk(v.Field(i), depth+1); b.WriteString(" ") }; b.WriteString("}")
		case reflect.Map:
			fmt.Fprint(&b, "map", v.Len())
			keys := v.MapKeys()
			sortKeys(keys)
			for _, k := range keys { walk(k, depth+1); b.WriteString(":"); walk(v.MapIndex(k), depth+1); b.WriteString(" ") }
		case reflect.Func, reflect.Chan:
			fmt.Fprint(&b, v.IsNil())
		default:
			fmt.Fprint(&b, v)
		}
	}
	walk(reflect.ValueOf(v), 0)
	return b.String()
}

func sortKeys(k []reflect.Value) {
	for i := range k { for j := range i { if k[i].String() < k[j].String() { k[i], k[j] = k[j], k[i] } } }
}

var inputs = []string{"alpha beta", "c", "", "delta epsilon zeta eta theta", "aa bb", "alpha beta"}

func main() {
	debug.SetGCPercent(50)
%s}
`

const genRun = `	func() {
		fmt.Println("== %[1]s")
		defer func() { if r := recover(); r != nil { fmt.Println("panic", r) } }()
		given, list, words, out, sink := &%[1]s.Node{Name: "given", Val: &%[1]s.Node{}}, []*%[1]s.Node{{Name: "l"}}, []string{"word"}, []string{}, &sink%[1]s{}
		var called []*%[1]s.Node
		callback := func(n *%[1]s.Node) { called = append(called, n) }
		%[2]s
		for _, in := range inputs {
			var res *%[1]s.Node
			var err error
			func() {
				defer func() { if r := recover(); r != nil { fmt.Println("panic", r) } }()
				res, err = %[1]s.%[3]sstrings.Clone(in), %[5]swords, &out, sink, callback)
			}()
			fmt.Println(show(res), err)
			res = nil
			%[4]s
			_ = %[1]s.Any
			fmt.Println(show([]any{given, list, words, out, sink, called, err, %[1]s.Kept, %[1]s.Texts, %[1]s.Cache, %[1]s.Names, %[1]s.Last, %[1]s.Held, %[1]s.Ptr, %[1]s.Any, %[1]s.Table, %[1]s.Words, %[1]s.Hidden()}))
			if %[1]s.Hook != nil { fmt.Println(%[1]s.Hook()) }
			for { select { case n := <-%[1]s.Queue: fmt.Println(show(n)); continue; case l := <-%[1]s.Lines: fmt.Println(l); continue; default: }; break }
		}
	}()
`

const genTrash = `a.Reset()
			for range 200 {
				n := arena.New[%[1]s.Node](a); n.Name = a.AllocString("TRASH TRASH"); n.Kids = arena.MakeSlice[*%[1]s.Node](a, 3, 3); n.Tags = arena.MakeSlice[string](a, 3, 3); n.Tags[0] = "TRASH"; n.Kids[1] = n
				b := arena.MakeSlice[byte](a, 40, 40); for i := range b { b[i] = 'T' }
				arena.New[%[1]s.Holder](a).S = "TRASH"
				arena.New[%[1]s.Inner](a)
			}
			a.Reset()`

const genHidden = `
func Hidden() (all []any) {
	m := map[string]any{}
	store.Range(func(k, v any) bool { m[k.(string)] = v; return true })
	all = append(all, m)
	return append(all, std)
}
`

const genSink = `
type sink%[1]s struct { nodes []*%[1]s.Node; texts []string }

func (s *sink%[1]s) Write(n *%[1]s.Node) { s.nodes = append(s.nodes, n) }
func (s *sink%[1]s) Text(t string) { s.texts = append(s.texts, t) }
`

// genMainOf is a program that calls each root. If arenas has its name, the root gets an arena by suffix.
func genMainOf(names []string, arenas map[string]string, suffix string) string {
	imports, body, sinks := "", "", ""
	for _, n := range names {
		imports += fmt.Sprintf("\t\"example.com/generated/%s\"\n", n)
		call, reset, start := "Root(", "", ""
		if arenas[n] != "" {
			call, start = "Root"+suffix+"(a, ", arenas[n]
		}
		if suffix != "" && start != "" {
			reset = fmt.Sprintf(genTrash, n)
		}
		nodes := ""
		if seed, _ := strconv.Atoi(n[1:]); takesNodes(uint64(seed)) {
			nodes = "given, list, "
		}
		body += fmt.Sprintf(genRun, n, start, call, reset, nodes)
		sinks += fmt.Sprintf(genSink, n)
	}
	return fmt.Sprintf(genMain, imports, body) + sinks
}

// sections splits a program's output by package.
func sections(out string) map[string]string {
	all := map[string]string{}
	for _, s := range strings.Split(out, "== ")[1:] {
		name, text, _ := strings.Cut(s, "\n")
		all[name] = text
	}
	return all
}

// No conversion changes what a program answers, with a nil arena or with one that is reused. A refusal is right.
// EBBPOOL_GENERATED=n makes n programs; EBBPOOL_SEED=n begins with another one. Programs 6, 14, 22 and so on, which
// EBBPOOL_STEP=8 selects, are about slices.
func TestGeneratedProgramsAnswerTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the go command")
	}
	n, seed, step := 16, 1, 1
	fmt.Sscan(os.Getenv("EBBPOOL_GENERATED"), &n)
	fmt.Sscan(os.Getenv("EBBPOOL_SEED"), &seed)
	fmt.Sscan(os.Getenv("EBBPOOL_STEP"), &step)
	dir := os.Getenv("EBBPOOL_KEEP")
	if dir == "" {
		dir = t.TempDir()
	}
	t.Setenv("GOWORK", "off")
	files := map[string]string{"go.mod": testModule(t, "example.com/generated")}
	var names []string
	for i := range n {
		name := fmt.Sprint("p", seed+i*step)
		names = append(names, name)
		files[name+"/lib.go"] = genProgram(name, uint64(seed+i*step)) + genHidden
	}
	files["main.go"] = genMainOf(names, nil, "")
	writeFiles(t, dir, files)
	before := runProgram(t, dir)
	var lock sync.Mutex
	converted, refused := map[string]string{}, map[string]int{}
	all, moved := map[string][]byte{}, 0
	var group errgroup.Group
	group.SetLimit(2)
	for i, name := range names {
		group.Go(func() error {
			c := Config{Dir: dir, Patterns: []string{"./" + name}, Root: name + ".Root", NoTests: true, Strings: i%3 > 0}
			s, err := Suggest(c)
			if err != nil {
				return err
			}
			if c.Own = s.Own; len(c.Own) == 0 { // variables lead to nodes, but nothing need be stored there
				c.Own = [][]string{{"Node"}, {"Node", "Pos", "Inner"}, {"Node", "Holder", "counting"}}[i%3]
			} else if i%4 == 0 && len(c.Own) > 1 {
				c.Own = c.Own[:len(c.Own)-1]
			}
			if i%2 == 0 {
				c.Carry = s.Carry
			}
			r, err := Convert(c)
			lock.Lock()
			defer lock.Unlock()
			warnings := (*ErrWarnings)(nil)
			switch {
			case err == nil:
				converted[name] = "a := arena.NewArena(4096, 0)"
				maps.Copy(all, r.Files)
				moved += r.Moved
			case errors.As(err, &warnings):
				for _, w := range r.Warnings {
					refused[w.Text]++
				}
			case strings.Contains(err.Error(), "nothing written: "+name+".Root allocates") || strings.Contains(err.Error(), "no allocation can move"):
			default:
				t.Errorf("%s: %v", name, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	for name, text := range all {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if plain := runProgram(t, dir); plain != before {
		reportDifferences(t, "with a nil arena", before, plain)
	}
	writeFiles(t, dir, map[string]string{"main.go": genMainOf(names, converted, "In")})
	reportDifferences(t, "with an arena", before, runProgram(t, dir))
	t.Logf("%d of %d programs converted, %d sites; refused: %v", len(converted), n, moved, refused)
	if len(converted)*8 < n {
		t.Errorf("%d of %d programs converted, want an eighth: %v", len(converted), n, refused)
	}
}

// No fix of arenavet -heap changes what a program answers, with a nil arena or a real one.
// EBBPOOL_GENERATED=n makes n programs; EBBPOOL_SEED=n begins with another one.
func TestHeapFixesKeepAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the go command")
	}
	n, seed := 16, 1
	fmt.Sscan(os.Getenv("EBBPOOL_GENERATED"), &n)
	fmt.Sscan(os.Getenv("EBBPOOL_SEED"), &seed)
	dir := os.Getenv("EBBPOOL_KEEP")
	if dir == "" {
		dir = t.TempDir()
	}
	t.Setenv("GOWORK", "off")
	tool := filepath.Join(t.TempDir(), "arenavet.exe")
	if out, err := exec.Command("go", "build", "-o", tool, "../../cmd/arenavet").CombinedOutput(); err != nil {
		t.Fatalf("go build: %s", out)
	}
	files := map[string]string{"go.mod": testModule(t, "example.com/generated")}
	var names []string
	nilArena, realArena := map[string]string{}, map[string]string{}
	for i := range n {
		name := fmt.Sprint("p", 4*(seed+i)+1)
		names = append(names, name)
		files[name+"/lib.go"] = genHeap(name, uint64(seed+i)) + genHidden
		nilArena[name], realArena[name] = "var a *arena.Arena", "a := arena.NewArena(4096, 0)"
	}
	files["main.go"] = genMainOf(names, nilArena, "")
	writeFiles(t, dir, files)
	before := runProgram(t, dir)
	fixes := 0
	for range 4 {
		advise := exec.Command(tool, "-heap", "-fix", "./...")
		advise.Dir = dir
		out, _ := advise.CombinedOutput()
		if fixes += strings.Count(string(out), "on the heap"); strings.Contains(string(out), "error") {
			t.Fatalf("arenavet: %.3000s", out)
		}
	}
	reportDifferences(t, "with a nil arena", before, runProgram(t, dir))
	writeFiles(t, dir, map[string]string{"main.go": genMainOf(names, realArena, "")})
	reportDifferences(t, "with an arena", before, runProgram(t, dir))
	rewritten := 0
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name, "lib.go"))
		if err != nil {
			t.Fatal(err)
		}
		rewritten += strings.Count(string(text), "arena.") + strings.Count(string(text), "a.") - strings.Count(files[name+"/lib.go"], "arena.") - strings.Count(files[name+"/lib.go"], "a.")
	}
	t.Logf("%d programs, %d uses of arenas written", n, rewritten)
	if rewritten < 20*n {
		t.Errorf("%d uses of arenas were written, want %d", rewritten, 20*n)
	}
}

func reportDifferences(t *testing.T, how, before, after string) {
	was, is := sections(before), sections(after)
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if was[name] == is[name] {
			continue
		}
		a, b := strings.Split(was[name], "\n"), strings.Split(is[name], "\n")
		for i := range a {
			if i >= len(b) || a[i] != b[i] {
				got := "nothing"
				if i < len(b) {
					got = b[i]
				}
				t.Errorf("%s answers differently %s, line %d:\n%.600s\nwant\n%.600s", name, how, i, got, a[i])
				break
			}
		}
	}
}

func runProgram(t *testing.T, dir string) string {
	t.Helper()
	program := filepath.Join(dir, "program.exe")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%.4000s", err, out)
	}
	out, err := exec.Command(program).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out[max(0, len(out)-3000):])
	}
	return string(out)
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// testModule returns a go.mod that requires package arena from here. With Go 1.27 conversions write its methods.
func testModule(t *testing.T, name string) string {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	line := "1.25.0"
	if version.Compare(runtime.Version(), "go1.27") >= 0 {
		line = "1.27.0"
	}
	return "module " + name + "\n\ngo " + line + "\n\nrequire github.com/ebbpool/arena v0.0.0\n\nreplace github.com/ebbpool/arena => " + filepath.ToSlash(root) + "\n"
}
