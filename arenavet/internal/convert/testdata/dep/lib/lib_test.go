package lib

import "testing"

func TestWords(t *testing.T) {
	if got := Words("a b"); len(got) != 2 || got[1] != "B" {
		t.Error(got)
	}
}
