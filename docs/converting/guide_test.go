// Package converting contains the parser of docs/convert.md after each step.
package converting

import (
	"encoding/json"
	"flag"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/docs/converting/done"
	"github.com/ebbpool/arena/docs/converting/field"
	"github.com/ebbpool/arena/docs/converting/fixed"
	"github.com/ebbpool/arena/docs/converting/plain"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
)

var update = flag.Bool("update", false, "write what is counted into docs/convert.md")

const page = "../convert.md"

const text = "2 * (Width + margin) + 3 * (Height + margin) + 4 * (depth + 17 * rows) + border"

var steps = []struct {
	name  string
	parse func(a *arena.Arena, text string) (any, error)
}{
	{"as it was", either(plain.Parse, func(_ *arena.Arena, text string) (*plain.Tree, error) { return plain.Parse(text) })},
	{"1. the parser has an arena", either(field.Parse, field.ParseIn)},
	{"2. `arenavet -heap -fix`", either(fixed.Parse, fixed.ParseIn)},
	{"3. the constructors also have it", either(done.Parse, done.ParseIn)},
}

// either returns a parser that calls the original function without an arena and the converted one with an
// arena.
func either[T any](parse func(string) (T, error), in func(*arena.Arena, string) (T, error)) func(*arena.Arena, string) (any, error) {
	return func(a *arena.Arena, text string) (any, error) {
		if a == nil {
			return parse(text)
		}
		return in(a, text)
	}
}

// Each step parses each text to the same tree, or refuses it, with an arena and without.
func TestSameTrees(t *testing.T) {
	a := arena.NewArena(4096, 0)
	for _, text := range []string{text, "x", " a*b * C ", "(((1)))", "", "1 +", "(1", "1)", "* 2", "1 2"} {
		var want string
		for i, s := range steps {
			for _, a := range []*arena.Arena{a, nil} {
				tree, err := s.parse(a, text)
				shown, _ := json.Marshal(tree) // the steps have different types
				got := fmt.Sprint(string(shown), err)
				if i == 0 {
					want = got
				}
				if got != want {
					t.Errorf("%s of %q: %s, want %s", s.name, text, got, want)
				}
			}
		}
		a.Reset()
	}
}

// How a program uses it.
func Example() {
	pool := arena.NewAutoPool(0)
	a := pool.Get()
	defer pool.Put(a)
	tree, err := done.ParseIn(a, "2 * (Width + margin)")
	fmt.Println(tree.Title, err)
	// Output: 2 variables: width, margin <nil>
}

// The table of the page contains the counts of this test.
func TestTable(t *testing.T) {
	if check.On || check.Race || check.ASan || !machine.LayoutOK || runtime.GOARCH != "amd64" || !strings.HasPrefix(runtime.Version(), "go1.26") {
		t.Skip("the table is that of plain builds with Go 1.26")
	}
	var table strings.Builder
	table.WriteString("| step | allocations on the heap |\n| --- | ---: |\n")
	for _, s := range steps {
		a := arena.NewArena(4096, 0)
		n := testing.AllocsPerRun(100, func() {
			if _, err := s.parse(a, text); err != nil {
				t.Fatal(err)
			}
			a.Reset()
		})
		fmt.Fprintf(&table, "| %s | %.0f |\n", s.name, n)
	}
	testkit.Table(t, page, "steps", table.String(), *update)
}
