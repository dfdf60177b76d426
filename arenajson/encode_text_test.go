package arenajson

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
)

// Texts of three bytes a character, those that must not stand as they are among them, of every
// length and with anything at any place: both directions do what encoding/json does.
func TestThreeByteCharacters(t *testing.T) {
	a := arena.NewArena(64<<10, 0)
	r := rand.New(rand.NewPCG(61, 62))
	const usual = "日本語文章\u3042\u30fc\u1e00\uac00\uef00"
	others := []string{"\u0800", "\u2027", "\u2028", "\u2029", "\u202a", "\ud7ff", "\ue000", "\uffee", "\xed\xa0\x80", "\xe0\x9f\xbf", "\xe0\x80\x80", "\xe3\x81", "\xe3", "\x81", "\xe3\x81\xc1", "\xe3\x01\x81", "\xf3\x81\x81", "\xd3\x81\x81", "é", "𝄞", "a", `"`, "\n", "<", "\xc3"}
	runes := []rune(usual)
	typ := reflect.TypeFor[string]()
	rounds := 60_000
	if testing.Short() {
		rounds = 6_000
	}
	for n := range rounds {
		var b strings.Builder
		b.WriteString([]string{"", "a", "abcdefgh", "é"}[r.IntN(4)])
		for range r.IntN(24) {
			b.WriteRune(runes[r.IntN(len(runes))])
			if n%3 == 0 && r.IntN(12) == 0 {
				b.WriteString(others[r.IntN(len(others))])
			}
		}
		if n%3 == 1 {
			b.WriteString(others[r.IntN(len(others))])
			for range r.IntN(6) {
				b.WriteRune(runes[r.IntN(len(runes))])
			}
		}
		s := b.String()
		compareMarshal(t, a, &s)
		sameAsV1(t, a, typ, []byte(`"`+s+`"`), 0)
		a.Reset()
	}
}
