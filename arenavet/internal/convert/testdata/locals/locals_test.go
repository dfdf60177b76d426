package locals

import "testing"

func TestParse(t *testing.T) {
	for range 3 {
		n := Parse("name")
		names := ""
		for _, m := range n.List {
			names += m.Name + ","
		}
		up := n.Up
		if n.Next.Name != "name!namename" || n.Next.Next.Name != "given" || up.Name != ".." || up.Next.Name != "two" || up.Next.Up != up || names != "first,name,name,,x,xx," || kept.Up.Name != "name" || keptText() != "." || keptText() != "..." {
			t.Error(n, names)
		}
	}
}
