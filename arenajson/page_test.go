package arenajson

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of docs/generated/json.md that tests make")

const page = "../docs/generated/json.md"

// samePage fails the test if a section of the page differs from table. With -update it writes the page.
func samePage(t *testing.T, section, table string) {
	t.Helper()
	before, old, after := cutPage(t, section)
	switch {
	case *update:
		if err := os.WriteFile(page, []byte(before+table+after), 0o644); err != nil {
			t.Fatal(err)
		}
	case old != table:
		t.Errorf("%s is stale; go test ./arenajson -update writes:\n%s", page, table)
	}
}

// sectionOf returns a section of the page.
func sectionOf(t *testing.T, section string) string {
	_, old, _ := cutPage(t, section)
	return old
}

// cutPage returns the text of a section of the page, and the text around it.
func cutPage(t *testing.T, section string) (before, text, after string) {
	t.Helper()
	all, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+section+": made by go test ./arenajson -update -->\n", "<!-- end of "+section+" -->\n"
	i, j := strings.Index(string(all), begin)+len(begin), strings.Index(string(all), end)
	if i < len(begin) || j < i {
		t.Fatalf("%s has no marks for the section %s", page, section)
	}
	return string(all[:i]), string(all[i:j]), string(all[j:])
}
