package cppbench

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/ebbpool/arena/lab/page"
)

const small = `claim,compiler,at most,unit,round,value
"trap, batch",gcc 12.2,1.15,x,1,2
"trap, batch",gcc 12.2,1.15,x,2,1
"trap, batch",gcc 12.2,1.15,x,3,1.1
constructor,gcc 12.2,50,us,1,12.5
"trap, batch",clang 14.0,1.15,x,1,1.5
`

func TestClaimTable(t *testing.T) {
	claims, err := ReadClaims(strings.NewReader(small))
	if err != nil {
		t.Fatal(err)
	}
	got, err := ClaimTable(claims)
	if err != nil {
		t.Fatal(err)
	}
	const want = `| work | aim: at most | gcc 12.2 | clang 14.0 |
| --- | ---: | --- | --- |
| trap, batch | 1.15 | 1.10 (1.00–2.00), holds | 1.50 (1.50–1.50), missed |
| constructor | 50 us | 12 (12–12), holds | not measured |
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestCounts(t *testing.T) {
	c, err := ReadCounts(strings.NewReader("subject,workload,size,instructions per call,ns per call\nfloor,batch,16,6.5,1.23\nours,batch,16,18.0,2.00\nours,rolling,16,11.0,1.00\n"))
	if err != nil {
		t.Fatal(err)
	}
	const want = `| a call of | floor | ours |
| --- | ---: | ---: |
| batch, 16 B | 6.5, 1.23 ns | 18.0, 2.00 ns |
| rolling, 16 B | | 11.0, 1.00 ns |
`
	if got := c.Markdown(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestFilesOfAnotherKind(t *testing.T) {
	for _, text := range []string{
		"",
		"a,b\n",
		"claim,compiler,at most,unit,round,value\nx,gcc,much,x,1,2\n",
		"claim,compiler,at most,unit,round,value\nx,gcc,1,x,1,\n",
		"claim,compiler,at most,unit,round,value\nx,gcc,1\n",
	} {
		if _, err := ReadClaims(strings.NewReader(text)); !errors.Is(err, ErrFormat) {
			t.Errorf("claims %q: %v", text, err)
		}
		if _, err := ReadCounts(strings.NewReader(text)); !errors.Is(err, ErrFormat) {
			t.Errorf("counts %q: %v", text, err)
		}
	}
	if _, err := ReadCounts(strings.NewReader("subject,workload,size,instructions per call,ns per call\nx,batch,16,few,2\n")); !errors.Is(err, ErrFormat) {
		t.Errorf("counts that are no number: %v", err)
	}
}

func text(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// published is what docs/cpp-gcc.csv and docs/cpp-clang.csv say.
func published(t *testing.T) []Claim {
	t.Helper()
	var all []Claim
	for _, file := range []string{"../../docs/cpp-gcc.csv", "../../docs/cpp-clang.csv"} {
		claims, err := ReadClaims(strings.NewReader(text(t, file)))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, claims...)
	}
	return all
}

// The tables of C++ are those that the kept files give.
func TestTablesAreFresh(t *testing.T) {
	claims := published(t)
	for _, c := range claims {
		if len(c.Rounds) < 7 {
			t.Errorf("%s, %s: %d rounds, not 7", c.Text, c.Compiler, len(c.Rounds))
		}
	}
	table, err := ClaimTable(claims)
	if err != nil {
		t.Fatal(err)
	}
	counts, err := ReadCounts(strings.NewReader(text(t, "../../docs/cpp-instructions.csv")))
	if err != nil {
		t.Fatal(err)
	}
	readme := text(t, "../../docs/generated/cpp-speed.md")
	for section, want := range map[string]string{page.Bench: table, page.Instructions: counts.Markdown()} {
		got, err := page.Extract(readme, section)
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("the table %q of docs/generated/cpp-speed.md is stale: run 'make cpp-tables'\nthere:\n%s\nfiles:\n%s", section, got, want)
		}
	}
}

// A claim that is missed has its reason in lab/dead-ends.md, under the name
// that the table has for it.
func TestMissedClaimsAreExplained(t *testing.T) {
	reasons := strings.Join(strings.Fields(text(t, "../dead-ends.md")), " ")
	for _, c := range published(t) {
		if c.Missed() && !strings.Contains(reasons, "**"+c.Text+"**") {
			t.Errorf("lab/dead-ends.md does not say why %q is missed", c.Text)
		}
	}
}
