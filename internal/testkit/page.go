package testkit

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Snippets fails the test if a line of Go code on a page, ignoring comments, is in none of the matching
// files.
func Snippets(t *testing.T, page string, files ...string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]bool{}
	for _, pattern := range files {
		names, _ := filepath.Glob(pattern)
		for _, name := range names {
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(source)) {
				line, _, _ = strings.Cut(line, " // ")
				lines[strings.TrimSpace(line)] = true
			}
		}
	}
	snippets := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(snippets) < 3 {
		t.Fatalf("%s shows %d pieces of code", page, len(snippets))
	}
	for _, s := range snippets {
		for line := range strings.Lines(s[1]) {
			line, _, _ = strings.Cut(line, " // ")
			if line = strings.TrimSpace(line); !lines[line] && line != "" {
				t.Errorf("%s shows %q, which is in none of the files", page, line)
			}
		}
	}
}

// Table fails the test if the part of a page between <!-- name:begin --> and <!-- name:end --> is not the
// table. If write is set, it writes the table there.
func Table(t *testing.T, page, name, table string, write bool) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	between := regexp.MustCompile(`(?s)(<!-- ` + name + `:begin -->\n)(.*?)(<!-- ` + name + `:end -->)`)
	m := between.FindSubmatch(text)
	switch {
	case m == nil:
		t.Fatalf("%s has no marks of %s", page, name)
	case string(m[2]) == table:
	case write:
		if err := os.WriteFile(page, between.ReplaceAll(text, []byte("${1}"+strings.ReplaceAll(table, "$", "$$")+"${3}")), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s says of %s:\n%sand it is (-update writes it):\n%s", page, name, m[2], table)
	}
}
