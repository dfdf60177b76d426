package main

import "testing"

// All subjects read, and all writers write, the same message, or their times mean nothing.
func TestSubjectsAgree(t *testing.T) {
	for _, d := range documents() {
		compare(d, subjects(d))
	}
}
