package taken

import "testing"

func toUpperIn(s string) string { return s }

func TestParse(t *testing.T) {
	if a, b := Parse([]byte("aB")); string(a) != "b" || string(b) != toUpperIn("AB") {
		t.Errorf("%s, %s", a, b)
	}
}
