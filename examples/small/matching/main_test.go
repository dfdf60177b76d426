package main

import (
	"bytes"
	"os"
	"testing"
)

// The C++ program is compared with the same file, cpp/example/matching_engine.txt.
func TestSameAsInC(t *testing.T) {
	want, err := os.ReadFile("../../../cpp/example/matching_engine.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	run(&got)
	if got.String() != string(want) {
		t.Errorf("it says\n%swant\n%s", got.String(), want)
	}
}
