package steps

import "testing"

func TestParse(t *testing.T) {
	for range 3 {
		p := &Parser{}
		n := p.Parse("abcde")
		if len(n.Sub) != 8 || n.Sub[4].Name != "e" || n.Sub[6].Name != "bc" || n.Sub[0].Sub[0] != n || n.Sub[0].Marks[1].Text != "a" || len(idle()) != 2 {
			t.Error(n)
		}
	}
}
