// Package tests has tests alone: there is nothing to build.
package tests

import (
	"testing"

	"example.com/convert/copier"
)

func TestParse(t *testing.T) {
	if w, err := copier.Parse([]byte("A")); err != nil || string(w.Text) != "a" || w.Next != nil {
		t.Error(w, err)
	}
}
