package main

import (
	"bytes"
	"os"
	"testing"
)

// The page is made of the kept values.
func TestPage(t *testing.T) {
	t.Chdir("../..")
	rows, err := read("advice/results.csv")
	if err != nil {
		t.Fatal(err)
	}
	frozen, err := read("advice/frozen.csv")
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile("../docs/generated/advice.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 10 || !bytes.Equal(have, page(rows, frozen)) {
		t.Errorf("docs/generated/advice.md is not what lab/advice/results.csv says: run go run ./cmd/advice -page in lab")
	}
}

// A module of others has a line, by its path: it counts in the mean, and was left out.
func TestPageOfOthers(t *testing.T) {
	r := row{name: "example.com/parser", gain: 2, low: 1, high: 3, measured: 2.5}
	if text := page([]row{r}, nil); !bytes.Contains(text, []byte("\n| example.com/parser | 2.00 (1.00–3.00) |")) {
		t.Errorf("%s", text)
	}
}
