package suite

import (
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
)

// Interfaces that package reflect makes of a struct's fields, or of an array's elements, share the box of the
// whole. The first field's interface has the same address with another type.

type result struct {
	First first
	Rest  [40]string
}

type first struct {
	Name string
	N    int
}

func results(a *arena.Arena) (whole, field any) {
	r := result{First: first{a.AllocString("the first field's"), 7}}
	for i := range r.Rest {
		r.Rest[i] = a.AllocString(strings.Repeat("text ", i))
	}
	whole = r
	return whole, reflect.ValueOf(whole).Field(0).Interface()
}

func checkResults(t *testing.T, whole, field any) {
	t.Helper()
	r := whole.(result)
	if r.First != (first{"the first field's", 7}) || field != r.First {
		t.Errorf("the field is %+v, and %+v by itself", r.First, field)
	}
	for i, s := range r.Rest {
		if s != strings.Repeat("text ", i) {
			t.Errorf("string %d is %d bytes: %.40q", i, len(s), s)
		}
	}
}

// Boxes must be identified by address and type. By address alone, the struct would be read from the copy of
// its first field, that is from unrelated memory.
func TestEscapeOfAFieldAndItsStruct(t *testing.T) {
	type pair struct{ a, b any }
	type beside struct {
		pair
		m map[string]*int // makes Escape run a pre-scan
	}
	a := arena.NewArena(4096, 0)
	for range 3 {
		whole, field := results(a)
		c := escaped(a, pair{field, whole})
		checkResults(t, c.b, c.a)
		whole, field = results(a)
		c = escaped(a, pair{whole, field})
		checkResults(t, c.a, c.b)

		// Both of two interfaces with one address must be followed. Otherwise the second counts as clean and
		// still refers to the arena after its reset.
		whole, field = results(a)
		d := escaped(a, beside{pair{field, whole}, map[string]*int{"x": nil}})
		checkResults(t, d.b, d.a)
		whole, field = results(a)
		d = escaped(a, beside{pair{whole, field}, map[string]*int{"x": nil}})
		checkResults(t, d.a, d.b)
	}
}

// All values that share a box, in all orders: a struct in the first field of a struct in the first element of
// an array, down to the string at the beginning.
func TestEscapeOfAllThatBeginAtOneAddress(t *testing.T) {
	type inner struct {
		S string
		P *string
	}
	type middle struct {
		In   inner
		More [2]inner
	}
	type outer struct {
		Array [2]middle
		Last  string
	}
	a := arena.NewArena(4096, 0)
	text := func(s string) inner { return inner{a.AllocString(s), arena.NewOf(a, a.AllocString("*"+s))} }
	for i := range 120 {
		var whole any = outer{[2]middle{{text("1"), [2]inner{text("2"), text("3")}}, {text("4"), [2]inner{text("5"), text("6")}}}, a.AllocString("7")}
		var five [5]any // from the whole to its first string
		v := reflect.ValueOf(whole)
		for j := range five {
			five[j] = v.Interface()
			if v.Kind() == reflect.Struct {
				v = v.Field(0)
			} else if v.Kind() == reflect.Array {
				v = v.Index(0)
			}
		}
		order := []int{0, 1, 2, 3, 4} // a permutation of the five
		list := arena.MakeSlice[any](a, 0, 5)
		var places [5]int
		for k, n := i, 5; n > 0; n-- {
			j := k % n
			k /= n
			places[order[j]] = len(list)
			list = append(list, five[order[j]])
			order = append(order[:j], order[j+1:]...)
		}
		if i%2 == 1 {
			list = arena.Append(a, list, any(map[string]*string{"x": nil}))
		}
		c := escaped(a, list)
		o := c[places[0]].(outer)
		m := o.Array[0]
		got := ""
		for _, x := range []inner{m.In, m.More[0], m.More[1], o.Array[1].In, o.Array[1].More[0], o.Array[1].More[1]} {
			got += x.S + *x.P
		}
		if got += o.Last; got != "1*12*23*34*45*56*67" {
			t.Fatalf("order %d: the whole has %q", i, got)
		}
		array, mid, in, s := c[places[1]].([2]middle), c[places[2]].(middle), c[places[3]].(inner), c[places[4]].(string)
		if array != o.Array || mid != m || in != m.In || s != "1" {
			t.Fatalf("order %d: the parts are %+v, %+v, %+v, %q", i, array, mid, in, s)
		}
	}
}

// Checked builds also identify heap values by address and type: visiting the first field's interface must not
// mark the struct as visited.
func TestEscapeFollowsAFieldAndItsStruct(t *testing.T) {
	type leaf struct{ P, Q *int }
	type tree struct {
		First leaf
		Last  string
	}
	type holder struct{ list []any }
	a := arena.NewArena(4096, 0)
	var whole any = tree{Last: a.AllocString("in the arena")}
	part := reflect.ValueOf(whole).Field(0).Interface()
	h := &holder{[]any{part, whole}} // on the heap
	if !check.On {
		if c := arena.Escape(a, h); c != h {
			t.Error("memory of the heap is not shared")
		}
		return
	}
	testkit.WantPanic(t, func() { arena.Escape(a, h) }, "v.list[1].(suite.tree).Last lies in the arena")
	h.list[1] = &holder{[]any{&holder{[]any{whole}}}} // after the part was visited
	testkit.WantPanic(t, func() { arena.Escape(a, h) }, ".list[0].(suite.tree).Last lies in the arena")
}

// A box inside a box that was not visited must not count as clean.
func TestEscapeOfBoxesInBoxes(t *testing.T) {
	type held struct{ x any }
	a := arena.NewArena(4096, 0)
	c := escaped(a, held{[2]any{1, a.AllocString("hello")}})
	if s := c.x.([2]any)[1]; s != "hello" {
		t.Errorf("%q", s)
	}
	c = escaped(a, held{held{held{held{[1]any{&held{}}}}}})
	if _, ok := c.x.(held).x.(held).x.(held).x.([1]any)[0].(*held); !ok {
		t.Errorf("%#v", c)
	}
	c = escaped(a, held{held{held{held{[6]any{5: held{a.AllocString("hello")}}}}}})
	if s := c.x.(held).x.(held).x.(held).x.([6]any)[5].(held).x; s != "hello" {
		t.Errorf("%q", s)
	}
	// Values that do not lead into the arena are shared.
	x := held{held{held{&held{}}}}
	if c := arena.Escape(a, x); c != x {
		t.Error("a box that leads nowhere was copied")
	}
}

// All elements of an array in a box are visited, including the first and the last.
func TestEscapeOfArraysInBoxes(t *testing.T) {
	a := arena.NewArena(4096, 0)
	for i := range 7 {
		var texts [7]string
		var pairs [7][5]struct{ n, s any }
		texts[i] = a.AllocString("hello")
		pairs[i][i%5].s = a.AllocString("hello")
		c := escaped(a, [2]any{texts, pairs})
		if s := c[0].([7]string)[i]; s != "hello" {
			t.Errorf("element %d is %q", i, s)
		}
		if s := c[1].([7][5]struct{ n, s any })[i][i%5].s; s != "hello" {
			t.Errorf("element %d of an array in an array is %q", i, s)
		}
	}
}

// Deeply nested boxes take a pre-scan. Boxes that were not visited must not count as clean.
func TestEscapeOfDeepBoxes(t *testing.T) {
	type held struct{ x, y any }
	a := arena.NewArena(4096, 0)
	for _, depth := range []int{98, 99, 100, 101, 102, 5000} {
		text := a.AllocString("hello")
		var x any = text
		for range depth {
			x = held{x, 1}
		}
		x = escaped(a, held{x, nil}).x
		for range depth {
			x = x.(held).x
		}
		if s := x.(string); s != "hello" || unsafe.StringData(s) == unsafe.StringData(text) {
			t.Errorf("at depth %d: %q, or the arena's", depth, s)
		}
	}
}

// A map in a box does not count as clean.
func TestEscapeOfMapsInBoxes(t *testing.T) {
	type table struct {
		m map[string]string
		n int
	}
	a := arena.NewArena(4096, 0)
	c := escaped(a, arena.SliceOf[any](a, table{map[string]string{"x": a.AllocString("hello")}, 1}, table{}))
	if s := c[0].(table).m["x"]; s != "hello" {
		t.Errorf("%q", s)
	}
}

// A box in the arena itself is copied, whatever it contains and wherever it is held.
func TestEscapeOfBoxesInTheArena(t *testing.T) {
	if !machine.LayoutOK {
		t.Skip("interfaces are not read as words")
	}
	type numbers struct{ a, b, c int }
	type texts struct {
		First numbers
		S, T  string
	}
	type held struct {
		x, y any
		m    map[string]*int
	}
	a := arena.NewArena(4096, 0)
	for _, m := range []map[string]*int{nil, {"x": nil}} {
		one, two := arena.BoxOf(a, numbers{1, 2, 3}), arena.BoxOf(a, texts{numbers{4, 5, 6}, "heap", a.AllocString("text")})
		c := escaped(a, held{held{one, reflect.ValueOf(two).Field(0).Interface(), nil}, held{two, two, nil}, m})
		x, y := c.x.(held), c.y.(held)
		if x.x != (numbers{1, 2, 3}) || x.y != (numbers{4, 5, 6}) || y.x != (texts{numbers{4, 5, 6}, "heap", "text"}) || y.y != y.x {
			t.Errorf("with map %v: %+v", m, c)
		}
	}
}
