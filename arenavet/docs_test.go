package arenavet

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/ebbpool/arena/arenavet/internal/finding"
)

const docsPage = "../docs/arenavet.md"

func readPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(docsPage)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestRulesAreDocumented checks that the page has a section with an example for each rule, because findings link to it.
func TestRulesAreDocumented(t *testing.T) {
	sections := map[string]string{}
	for _, s := range strings.Split(readPage(t), "\n## ")[1:] {
		title, text, _ := strings.Cut(s, "\n")
		sections[title] = text
	}
	if len(Rules) < 8 {
		t.Fatalf("only %d rules", len(Rules))
	}
	for _, rule := range Rules {
		text, ok := sections[rule]
		if !ok {
			t.Errorf("%s has no section %q", docsPage, rule)
		}
		if !strings.Contains(text, "```go") {
			t.Errorf("the section %q has no example", rule)
		}
		if rule != string(finding.Ignore) && !strings.Contains(text, "// arenavet: ") {
			t.Errorf("no example of the section %q shows what arenavet says", rule)
		}
	}
}

// TestExamplesOfThePage checks that the comments in the page's examples are the analyzer's findings, and all of them.
func TestExamplesOfThePage(t *testing.T) {
	dir := t.TempDir()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", fmt.Sprintf("module example.com\n\ngo 1.25.0\n\nrequire (\n\tgithub.com/ebbpool/arena v0.0.0\n\tgithub.com/gin-gonic/gin v0.0.0\n)\n\nreplace github.com/ebbpool/arena => %q\n\nreplace github.com/gin-gonic/gin => %q\n",
		filepath.ToSlash(root), filepath.ToSlash(filepath.Join(root, "arenavet/testdata/stubs/gin"))))
	var patterns, heap []string
	said, number := regexp.MustCompile(`// arenavet: (.*)`), regexp.MustCompile(`line \d+`)
	const before = 8 // lines before each example
	for _, section := range strings.Split(readPage(t), "\n## ")[1:] {
		rule, text, _ := strings.Cut(section, "\n")
		for i, m := range regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(text, -1) {
			code := said.ReplaceAllStringFunc(m[1], func(s string) string {
				says := number.ReplaceAllStringFunc(said.FindStringSubmatch(s)[1], func(n string) string {
					i, _ := strconv.Atoi(strings.TrimPrefix(n, "line "))
					return "line " + strconv.Itoa(i+before)
				})
				return "// want `^" + regexp.QuoteMeta(says) + ` \(https://github\.com/ebbpool/arena/blob/main/docs/arenavet\.md#` + rule + `\)$` + "`"
			})
			imports := ""
			for _, p := range []string{"context", "errors", "net/http", "runtime", "strings", "sync", "unique", "weak", "github.com/ebbpool/arena", "github.com/gin-gonic/gin"} {
				if regexp.MustCompile(`(?m)^[^/\n]*\b` + filepath.Base(p) + `\.`).MatchString(code) {
					imports += fmt.Sprintf("\t%q\n", p)
				}
			}
			head := "package page\n\nimport (\n" + imports + ")\n"
			head += strings.Repeat("\n", before-strings.Count(head, "\n"))
			name := fmt.Sprintf("%s%d", rule, i)
			write(name+"/page.go", head+code)
			write(name+"/rest.go", "package page\n\nimport \"github.com/ebbpool/arena\"\n\nvar pool = arena.NewArenaPool(4096, 0)\n\ntype Entry struct{ N int }\n")
			if rule == string(finding.Heap) {
				heap = append(heap, "./"+name)
				continue
			}
			patterns = append(patterns, "./"+name)
		}
	}
	if len(patterns) < 8 {
		t.Fatalf("found only %d examples", len(patterns))
	}
	analysistest.Run(t, dir, Analyzer, patterns...)
	withHeap(t)
	analysistest.Run(t, dir, Analyzer, heap...)
}
