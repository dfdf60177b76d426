package capacity

import "testing"

func TestGrow(t *testing.T) {
	var s []int
	for i := range 100 {
		s = append(s, i)
	}
	if got := Grow(100); cap(got) != cap(s) {
		t.Error(cap(got), cap(s))
	}
}
