package tuples

import "testing"

func TestParse(t *testing.T) {
	all := Parse([]string{"1000", "2000", "x"})
	if len(all) != 9 || all[0].Next != 1000 || all[3].Next != 2000 || all[6].Err == nil || all[1].Is != 8 || all[1].Next != "1000" {
		t.Errorf("%+v", all)
	}
	if Parse([]string{""})[1].Next != "" {
		t.Error("the text is lost")
	}
}
