package options

import "testing"

var kept *Parser

type keeper struct{ all []*Node }

func (k *keeper) Draw(n *Node) string {
	k.all = append(k.all, n)
	return n.Text
}

// What an option keeps stays good when the arena has ended.
func TestParse(t *testing.T) {
	k := &keeper{}
	if s := Parse("ab c de", WithNames(func(name string) string { return name }), WithDrawer(k), func(p *Parser) { kept = p }); s != "DE#cAB" {
		t.Error(s)
	}
	if s := Parse("ab c de"); s != "- de.- #c.- ab." {
		t.Error(s)
	}
	if n := kept.First(); n.Text != "DE" || n.Next.Text != "#c" || k.all[2].Text != "AB" {
		t.Error(n, k.all[2])
	}
}
