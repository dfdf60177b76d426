package arenajson

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of docs/generated/json.md that tests make")

// samePage fails the test where a table of docs/generated/json.md is not what the test made.
func samePage(t *testing.T, section, table string) {
	t.Helper()
	const page = "../docs/generated/json.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+section+": made by go test ./arenajson -update -->\n", "<!-- end of "+section+" -->\n"
	before, rest, ok := strings.Cut(string(text), begin)
	old, after, ok2 := strings.Cut(rest, end)
	switch {
	case !ok || !ok2:
		t.Errorf("%s has no marks for the section %s", page, section)
	case *update:
		if err := os.WriteFile(page, []byte(before+begin+table+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	case old != table:
		t.Errorf("%s is stale; go test ./arenajson -update writes:\n%s", page, table)
	}
}
