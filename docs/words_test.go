package docs

import (
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// What a reader has to read is ten pages, of 15,000 words that somebody wrote: without
// what stands between the marks of a generated table, where links lead, and code's
// punctuation.
func TestPagesAreShort(t *testing.T) {
	made := regexp.MustCompile(`(?s)<!-- [\w-]+(:begin|: made by[^>]*) -->.*?<!-- ([\w-]+:end|end of [^>]*) -->`)
	link := regexp.MustCompile(`\]\([^)]*\)`)
	word := regexp.MustCompile(`\S*[\pL\pN]\S*`)
	all, words := documents(t), 0
	for _, name := range pages {
		n := len(word.FindAllString(link.ReplaceAllString(made.ReplaceAllString(all[name], ""), "]"), -1))
		t.Logf("%s: %d words", name, n)
		if n < 300 {
			t.Errorf("%s has only %d words", name, n)
		}
		words += n
	}
	t.Logf("%d words", words)
	if words > 15_000 {
		t.Errorf("the pages have %d words that are not generated, 15,000 are the most", words)
	}
	names, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !slices.Contains(pages, name) {
			t.Errorf("%s is an eleventh page: its text belongs into one of the ten, a table that a test makes into docs/generated", name)
		}
	}
}
