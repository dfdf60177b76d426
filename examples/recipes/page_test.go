package recipes

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the code into docs/recipes.md")

const page = "../../docs/recipes.md"

// TestPage checks that docs/recipes.md shows the code of every file, from its first declaration after the imports on.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(f string) bool { return f == "recipes_test.go" || f == "page_test.go" })
	recipe := regexp.MustCompile("(?s)<!-- recipe: (\\S+) -->\n(\n```go\n.*?```\n)?")
	got := recipe.ReplaceAllStringFunc(string(text), func(m string) string {
		name := recipe.FindStringSubmatch(m)[1]
		files = slices.DeleteFunc(files, func(f string) bool { return f == name })
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return "<!-- recipe: " + name + " -->\n\n```go\n" + declarations(string(source)) + "```\n"
	})
	if len(files) > 0 {
		t.Errorf("docs/recipes.md has no %s", strings.Join(files, ", "))
	}
	if got == string(text) {
		return
	}
	if !*update {
		t.Fatal("docs/recipes.md differs from the code: go test -run Page -update .")
	}
	if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
		t.Fatal(err)
	}
}

// declarations returns source without its package clause and imports.
func declarations(source string) string {
	_, rest, found := strings.Cut(source, "\n)\n\n")
	if _, single, ok := strings.Cut(source, "\nimport \"github.com/ebbpool/arena\"\n\n"); ok || !found {
		rest = single
	}
	return rest
}
