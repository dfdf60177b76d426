package main

import "testing"

// All subjects read the same from each document, or their times mean nothing.
func TestSubjectsAgree(t *testing.T) {
	for _, d := range documents() {
		compare(d, subjects(d))
	}
}
