package callback

import "testing"

func TestParse(t *testing.T) {
	n, err := Parse("a(b(c)d)")
	if err != nil || len(n.Nodes) != 2 || n.Nodes[0].Nodes[0].Name != "c" {
		t.Fatal(n, err)
	}
	_, list := Parse("a(b")
	_, one := Parse("!")
	_, two := Parse("?b")
	for range 100 {
		if _, err := Parse("x(yz)"); err != nil {
			t.Fatal(err)
		}
	}
	if list.Error() != "a" || list.(*Failure).More["rest"] != "a" || one.Error() != "!" || two.Error() != `? before "b"` {
		t.Fatal(list, one, two)
	}
}
