package variants

import "testing"

func TestParse(t *testing.T) {
	for range 3 {
		tree := Parse("a b ccccc")
		if tree.nodes.Len() != 3 || tree.Names[1] != "CCCCC" && tree.Names[1] != "ccccc" || tree.Lines[2] != "ccccc" || tree.counts[2] != 2 || tree.nodes.all[0].Name != "first" || tree.order[0].area() != 1 || seen["a b ccccc"][1] != 9 {
			t.Error(tree)
		}
	}
}
