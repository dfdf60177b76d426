package copier

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	w, err := Parse([]byte(" Two\x00\x00\n\u00c4b\n34"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct{ text, upper string }{{"34", ""}, {"\u00e4b", "\u00c4B"}, {" two\ufffd\ufffd", " TWO\ufffd\ufffd"}} {
		if string(w.Text) != want.text || string(w.Upper) != want.upper || w.Upper == nil {
			t.Errorf("%q, %q, want %q", w.Text, w.Upper, want)
		}
		if code := hex.EncodeToString(w.Text) + base64.RawStdEncoding.EncodeToString(w.Text); len(w.Code) != len(code) || w.Text[0] == '3' && string(w.Code) != code {
			t.Errorf("%q, want %q", w.Code, code)
		}
		if w.At.Column != len(want.text)-len(strings.TrimLeft(want.text, " ")) {
			t.Error(w.At)
		}
		w = w.Next
	}
	if _, err := Parse([]byte("a\n\n")); err != errEmpty {
		t.Error(err)
	}
}
