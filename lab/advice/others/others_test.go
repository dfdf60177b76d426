package others

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// The tests of each converted module pass, without and with an arena, and both forms give the same results.
func TestModules(t *testing.T) {
	modules, err := Modules()
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		t.Skip("it downloads modules and runs their tests")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range modules {
		t.Run(m.Name, func(t *testing.T) {
			c, err := m.Make(t.TempDir(), root)
			if err != nil {
				t.Fatal(err)
			}
			var made [2]string
			for i, form := range []string{"plain", "arena"} {
				out, err := exec.Command(c.Program(form), "-form", form, "-text").Output()
				if err != nil {
					t.Fatal(err)
				}
				made[i] = string(out)
			}
			if made[0] != made[1] || len(made[0]) < 100 {
				t.Errorf("the plain form makes %.2000s, that in an arena %.2000s", made[0], made[1])
			}
			if err := c.Test(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Edits of one line each, and their results.
func TestReplace(t *testing.T) {
	for _, c := range []struct{ text, old, new, want string }{
		{"x := &T{a: &U{b: \"}\"}}", "&$T{...}", "arena.NewOf(a, $T{...})", "x := arena.NewOf(a, T{a: arena.NewOf(a, U{b: \"}\"})})"},
		{"s = append(s, f(x))\nt = reappend(t)", "append(...)", "arena.Append(a, ...)", "s = arena.Append(a, s, f(x))\nt = reappend(t)"},
		{"var v ast.T; use(v)", "var $V ast.T", "$V := arena.New[ast.T](a)", "v := arena.New[ast.T](a); use(v)"},
		{"f([]byte(s)) + g(']')", "g(...)", "h(...)", "f([]byte(s)) + h(']')"},
	} {
		if got, n := replace(c.text, c.old, c.new); got != c.want || n == 0 {
			t.Errorf("%q with %q => %q: %q, %d times; want %q", c.text, c.old, c.new, got, n, c.want)
		}
	}
}
