package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// exported lists the names that package arena has: those of functions and types, and
// those of methods.
func exported(t *testing.T) (top, methods map[string]bool) {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	top, methods = map[string]bool{}, map[string]bool{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					top[d.Name.Name] = true
				} else {
					methods[d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						top[s.Name.Name] = true
					}
				}
			}
		}
	}
	return top, methods
}

// What the tables that say what stands in the place of what calls ours is there.
func TestNamesOfOursExist(t *testing.T) {
	top, methods := exported(t)
	pages := documents(t)
	seen := 0
	for line := range strings.Lines(pages["README.md"] + pages["docs/guide.md"]) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		for _, code := range regexp.MustCompile("`[^`]*`").FindAllString(cells[2], -1) {
			for _, m := range regexp.MustCompile(`\b(arena|a|b|pool)\.(\w+)`).FindAllStringSubmatch(code, -1) {
				seen++
				if m[1] == "arena" && !top[m[2]] || m[1] != "arena" && !methods[m[2]] {
					t.Errorf("%s is not there: %s", m[0], line)
				}
			}
			if name := strings.Trim(code, "`"); regexp.MustCompile(`^[A-Z]\w*$`).MatchString(name) {
				seen++
				if !top[name] && !methods[name] {
					t.Errorf("%s is not there: %s", name, line)
				}
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d names were found", seen)
	}
}
