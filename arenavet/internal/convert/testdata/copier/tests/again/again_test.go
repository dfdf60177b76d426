package again

import (
	"testing"

	"example.com/convert/copier"
)

func TestParse(t *testing.T) {
	if w, err := copier.Parse([]byte("B")); err != nil || string(w.Text) != "b" {
		t.Error(w, err)
	}
}
