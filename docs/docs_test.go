package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The tests run in the root of the repository.
func TestMain(m *testing.M) {
	if err := os.Chdir(".."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// documents returns the pages for readers, whose links and commands must work.
func documents(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/generated/*.md", "lab/*.md", "traces/*.md", "cpp/*.md", "adapters/*/*.md"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			found[name] = string(text)
		}
	}
	if len(found) < 6 {
		t.Fatalf("found only %d documents", len(found))
	}
	return found
}

var snippet = regexp.MustCompile("(?s)```go\n(.*?)```")

// guide returns the pages that show how to write programs with this package.
func guide(t *testing.T) string {
	t.Helper()
	pages := documents(t)
	return pages["README.md"] + pages["docs/production.md"]
}

// Every Go snippet of the guide is part of an example, which is compiled and whose output is tested.
func TestReadmeSnippetsAreExamples(t *testing.T) {
	names, err := filepath.Glob("example*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	names = append(names, "arenahttp/example_test.go")
	var examples strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		examples.Write(text)
	}
	source := squeeze(examples.String())
	snippets := snippet.FindAllStringSubmatch(guide(t), -1)
	if len(snippets) < 5 {
		t.Fatalf("found only %d snippets", len(snippets))
	}
	for _, s := range snippets {
		if strings.HasPrefix(s[1], "package main\n") {
			continue // a whole program: TestQuickStart
		}
		if !strings.Contains(source, squeeze(s[1])) {
			t.Errorf("this snippet of the guide is in no example, word for word:\n%s", s[1])
		}
	}
}

// The README shows quickstart/main.go.
func TestQuickStart(t *testing.T) {
	program, err := os.ReadFile("docs/quickstart/main.go")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(documents(t)["README.md"], "```go\n"+string(program)+"```\n") {
		t.Error("the README's quick start differs from docs/quickstart/main.go")
	}
}

// squeeze removes indentation and empty lines.
func squeeze(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// Links lead to existing files and headings.
func TestLinksLead(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]*)(#[^)]*)?\)`)
	code := regexp.MustCompile("(?s)```.*?```|`[^`\n]*\\]\\([^`\n]*`")
	for name, text := range documents(t) {
		text = code.ReplaceAllString(text, "")
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			target := name
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(name), m[1])
			}
			page, err := os.ReadFile(target)
			if info, e := os.Stat(target); e == nil && info.IsDir() {
				err = nil
			}
			if err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
				continue
			}
			if m[2] != "" && !slices.Contains(anchors(string(page)), m[2]) {
				t.Errorf("%s links to %s%s, and there is no such heading", name, m[1], m[2])
			}
		}
	}
}

// anchors returns the anchors of a page's headings, as GitHub makes them: lower case, hyphens for blanks, no
// punctuation.
func anchors(page string) []string {
	var list []string
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		name := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		list = append(list, "#"+strings.ReplaceAll(name, " ", "-"))
	}
	return list
}

// Every command in a page is a target of the Makefile. The changelog is also about commands of the past.
func TestCommandsExist(t *testing.T) {
	var makefile []byte
	for _, name := range []string{"Makefile", "scripts/measure.mk", "scripts/builds.mk", "scripts/cpp.mk"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		makefile = append(makefile, text...)
	}
	for name, text := range documents(t) {
		if name == "CHANGELOG.md" {
			continue
		}
		for _, m := range regexp.MustCompile("`make ([a-z0-9-]+)").FindAllStringSubmatch(text, -1) {
			if !regexp.MustCompile(`(?m)^` + m[1] + `:`).Match(makefile) {
				t.Errorf("%s names the command make %s, which the Makefile lacks", name, m[1])
			}
		}
	}
}

// The root module has no dependencies.
func TestNoDependencies(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if regexp.MustCompile(`(?m)^(require|replace)\b`).Match(mod) {
		t.Errorf("go.mod has a dependency:\n%s", mod)
	}
}
