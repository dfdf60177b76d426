package table

import "testing"

type own struct{ circle }

func TestRead(t *testing.T) {
	Constructors['o'] = func() Shape { return &own{} }
	defer delete(Constructors, 'o')
	for _, text := range []string{"cone", "stwo", "othree"} {
		if s := Read([]byte(text)); s.Name() != text[1:] {
			t.Errorf("%s: %s", text, s.Name())
		}
	}
	if s := Read([]byte("x")); s != nil {
		t.Error(s)
	}
}
