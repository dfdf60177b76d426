package parser

import "testing"

func TestParse(t *testing.T) {
	n := Parse("a +b c")
	if len(n.Sub) != 4 || n.Sub[1].Name != "--+b" || n.Sub[3].Name != "end" || empty.Name != "" {
		t.Errorf("%+v", n)
	}
}
