package calc

import "testing"

func TestParse(t *testing.T) {
	for range 3 {
		all := Parse("one , + two , { three } , ! four , = five six")
		if len(all) != 5 || all[0].Text != "one" || all[1].Text != "+two" || all[2].List[0].Text != "three" ||
			all[3].Text != "kept four" || all[4].List[0].Text != "six" || Parse("{ {") != nil {
			t.Error(all)
		}
	}
	for _, n := range kept {
		if n.Text != "four" {
			t.Error(n.Text)
		}
	}
}
