package sealed

import "testing"

func TestParse(t *testing.T) {
	if _, err := Parse(""); err != errEmpty {
		t.Error(err)
	}
	for text, want := range map[string]string{"one Two three": "3", "overlongwords": ""} {
		n, err := Parse(text)
		if want == "" {
			if n != nil || err == nil || err.Error() != "too long: overlongw" {
				t.Errorf("%s: %v, %v", text, n, err)
			}
		} else if err != nil || n.String() != want {
			t.Errorf("%s: %v, %v", text, n, err)
		} else if l := n.(*List); len(l.Nodes) > 0 {
			if w := l.Nodes[0].(*Word); w.Value != "ONE" || w.Length != 3 || l.Lengths["Two"] != 3 || l.ends[1] != 0 || w.Capital != nil || l.Nodes[1].(*Word).Capital != "T" || w.String() != "one" {
				t.Errorf("%v, %v, %s", w.Value, w.Length, w)
			}
		}
	}
}
