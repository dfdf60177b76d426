package grammar

import "testing"

func TestParse(t *testing.T) {
	for range 3 {
		if n := Parse("keep two"); n.text != "TWO;" || n.next.text != "KEEP;" || kept[0] != "keep" {
			t.Error(n.text, n.next.text, kept)
		}
	}
}
