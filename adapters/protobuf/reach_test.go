package arenapb

import (
	"strings"
	"testing"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// In checked builds, reads of the document panic if they are before it or after the zeros that follow it.
// Other tests would not notice such reads.
func TestReach(t *testing.T) {
	if !check.On {
		t.Skip("plain builds don't ask")
	}
	memory := make([]byte, 64) // includes bytes that must not be read
	d := &decoder{base: xunsafe.DataOf(memory[16:]), n: 10}
	end := d.n + docSlack
	for _, look := range []struct {
		name string
		f    func()
		ok   bool
	}{
		{"at the first byte", func() { d.at(0) }, true},
		{"at the last byte", func() { d.at(end - 1) }, true},
		{"at before the document", func() { d.at(-1) }, false},
		{"at behind it", func() { d.at(end) }, false},
		{"the first word", func() { d.word(0) }, true},
		{"the last word", func() { d.word(end - 8) }, true},
		{"a word before the document", func() { d.word(-1) }, false},
		{"a word that ends behind it", func() { d.word(end - 7) }, false},
		{"the first half word", func() { d.word32(0) }, true},
		{"the last half word", func() { d.word32(end - 4) }, true},
		{"a half word before the document", func() { d.word32(-1) }, false},
		{"a half word that ends behind it", func() { d.word32(end - 3) }, false},
		{"all text", func() { d.text(0, end) }, true},
		{"empty text", func() { d.text(end, end) }, true},
		{"text from before the document", func() { d.text(-1, 2) }, false},
		{"text that ends behind it", func() { d.text(0, end+1) }, false},
		{"text that ends before it begins", func() { d.text(3, 2) }, false},
		{"all bytes", func() { d.view(0, end) }, true},
		{"no bytes", func() { d.view(end, end) }, true},
		{"bytes from before the document", func() { d.view(-1, 2) }, false},
		{"bytes that end behind it", func() { d.view(0, end+1) }, false},
		{"bytes that end before they begin", func() { d.view(3, 2) }, false},
	} {
		func() {
			defer func() {
				text, _ := recover().(string)
				if refused := strings.HasPrefix(text, "arenapb: internal error: "); refused == look.ok {
					t.Errorf("%s: panic %q", look.name, text)
				}
			}()
			look.f()
		}()
	}
}
