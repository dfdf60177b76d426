package parser

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
)

func parse(t *testing.T, a *arena.Arena, src string) (*Program, []string) {
	t.Helper()
	p, warns, err := Parse(a, []byte(src))
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return p, warns
}

// The text of a program, read and written again.
func TestFormat(t *testing.T) {
	a := arena.NewArena(4096, 0)
	for src, want := range map[string]string{
		`1 + 2 * 3`:             `(1 + (2 * 3))`,
		`1 - 2 - 3`:             `((1 - 2) - 3)`,
		`(1 + 2) * -3`:          `((1 + 2) * -3)`,
		`a.b[c](d, "e\n")`:      `a.b[c](d, "e\n")`,
		`x ?? y || !z && 1<2`:   `(x ?? (y || (!z && (1 < 2))))`,
		`c ? 1 : d ? 2 : 3`:     `(c ? 1 : (d ? 2 : 3))`,
		`{a, "b c": [1, null]}`: `{a: a, b c: [1, null]}`,
		"`hi ${name}, ${1+2}!`": "`hi ${name}, ${(1 + 2)}!`",
		`x => x + 1`:            "fn(x) {\n  return (x + 1)\n}",
		`let a = fn(x, y) { if x < 1 { return y } else if y { x } else { 2 } }`: "let a = fn(x, y) {\n  if (x < 1) {\n    return y\n  } else if y {\n    x\n  } else {\n    2\n  }\n}",
		`for k, v in m { f(k); g(v) }`:                                          "for k, v in m {\n  f(k)\n  g(v)\n}",
		`"\u00e9\t" // rest`:                                                    `"é\t"`,
		`1_000.5e2`:                                                             `100050`,
	} {
		p, _ := parse(t, a, src)
		got := Format(a, p)
		if got != want {
			t.Errorf("%s: %s, want %s", src, got, want)
		}
		again, _ := parse(t, a, strings.ReplaceAll(got, "b c:", `"b c":`))
		if twice := Format(a, again); twice != got {
			t.Errorf("%s: written again it is %s", got, twice)
		}
	}
}

func TestErrors(t *testing.T) {
	a := arena.NewArena(4096, 0)
	for src, want := range map[string]string{
		`1 +`:                    `1:4: want an expression, got end of file`,
		"let x\n= ;":             `2:3: want an expression, got ";"`,
		`"abc`:                   `1:1: string without an end`,
		`/* abc`:                 `1:1: comment without an end`,
		`fn(1) {}`:               `1:4: want a name`,
		`{1: 2}`:                 `1:2: want a key, got "1"`,
		"a $":                    `1:3: unexpected '$'`,
		`1e`:                     `1:1: exponent without digits`,
		"`${1`":                  `1:1: expression without an end`,
		`"\x"`:                   `1:1: bad escape 'x'`,
		strings.Repeat("(", 300): `1:201: too deep`,
	} {
		_, _, err := Parse(a, []byte(src))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || err.Error() != want {
			t.Errorf("%s: %v, want %s", src, err, want)
		}
	}
}

func TestWarnings(t *testing.T) {
	_, warns := parse(t, arena.NewArena(4096, 0), "let x = 1\nlet y = { a: 1, a: 2 }\nfn() { let x = 2 }")
	if want := []string{"2: A is there twice", "3: x hides that of line 1"}; !slices.Equal(warns, want) {
		t.Errorf("%q, want %q", warns, want)
	}
}

func TestFold(t *testing.T) {
	a := arena.NewArena(4096, 0)
	p, _ := parse(t, a, `let x = 2 * (3 + 4) - -1
"a" + "b" + c
1 < 2 ? f(1 + 1) : g
if 1 == 2 { [7 % 4, 1 / 4] } else { return 1 >= 2 }`)
	want := "let x = 15\n(\"ab\" + c)\nf(2)\nif false {\n  [3, 0.25]\n} else {\n  return false\n}"
	if got := Format(a, Fold(a, p)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestNamesAndComments(t *testing.T) {
	a := arena.NewArena(4096, 0)
	p, _ := parse(t, a, "# first\na.b.c + d[e] /* second\n */\nlet q = {f: g(a.b.c, `${h}`)}")
	if got, want := Names(a, p), []string{"a.b.c", "d", "e", "g", "h"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if len(p.Comments) != 2 || p.Comments[0].Text != "first" || p.Comments[1].At != (Pos{2, 14}) {
		t.Errorf("comments %+v %+v", p.Comments[0], p.Comments[1])
	}
	if got, want := Describe(a, p), "0: exprstmt\n1: Let q\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if o := p.Stmts[1].(*Let).Value.(*Object); o.Get("f") == nil || o.Get("g") != nil {
		t.Error("Get does not find its fields")
	}
}
