package arenajson

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Texts of characters of three bytes, including escaped ones, of every length and with any string
// at any place, are encoded and decoded as by encoding/json.
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

// sameText encodes a text with vectors and without, with HTML escaped and without.
func sameText(t *testing.T, a *arena.Arena, text string) {
	t.Helper()
	defer func(on bool) { vectored = on }(vectored)
	for range 2 {
		compareMarshal(t, a, &text)
		var want bytes.Buffer
		plain := json.NewEncoder(&want)
		plain.SetEscapeHTML(false)
		plain.Encode(text)
		got, _ := Marshal(a, &text, NoEscapeHTML)
		escaped := func(b []byte) string { return strings.ReplaceAll(string(b), "\ufffd", `\ufffd`) } // depends on the Go version
		if escaped(got)+"\n" != escaped(want.Bytes()) {
			t.Fatalf("%q is written as %q, not %q; vectors: %v", text, got, want.Bytes(), vectored)
		}
		a.Reset()
		vectored = false
	}
}

// Characters that are escaped, and similar ones, at each place of two blocks and of the rest, before and
// after characters of each length.
func TestWrittenBlocks(t *testing.T) {
	a := arena.NewArena(64<<10, 0)
	marks := []string{"", `"`, `\`, "<", ">", "&", "\x1f", "\x00", " ", "!", "#", "'", "2", "=", "?", "L", "^", "|", "~", "\x7f", "\u2027", "\u2028", "\u2029", "\u202a", "\u20a8", "\u2128", "\u3028",
		"\x80", "\xe2\x80", "\xe2\x80a", "\xc0\x80", "\xc3", "\xe0\x9f\xbf", "\xe3\x80", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf0\x9f\x98", "\xf4\x90\x80\x80", "\xff", "\u0800", "\U0010ffff"}
	for _, c := range []string{"a", "é", "日", "😀"} {
		for at := range 80 {
			if testing.Short() && at%3 != 0 {
				continue
			}
			before := strings.Repeat("é", at%len(c)/2) + strings.Repeat("a", at%len(c)%2) + strings.Repeat(c, at/len(c))
			for _, mark := range marks {
				for _, behind := range []string{"", "a", strings.Repeat(c, 20)} {
					sameText(t, a, "é"+before+mark+behind)
				}
			}
		}
	}
}

// A text of any length is written in blocks up to its first mark, with at most so many bytes after it. If
// vectors called a valid text invalid, only the time would show.
func TestBlocksAreWritten(t *testing.T) {
	if !vectored {
		t.Skip("no vectors here")
	}
	for _, c := range []string{"\u20a8", "\u20a9", "\u2028"[:1] + "\x81\xa8", "\u3028", "\u3029", "\u202a", "\u2027", "\x7f", "2", "!", "L", "N"} { // similar to marks
		s, to := strings.Repeat(c, 20), make([]byte, 100)
		if got := (&encoder{html: 1}).blocks(xunsafe.DataOf(to), s, 0); got != len(s) {
			t.Errorf("%q is written up to %d", s, got)
		}
	}
	text := strings.Repeat("aé日😀", 14)
	for n := leastBlocks; n <= len(text); n++ {
		for mark := leastBlocks; mark <= n; mark++ {
			s := []byte(strings.ToValidUTF8(text[:n], ""))
			s = append(s, strings.Repeat("z", n-len(s))...)
			want := n
			if mark < n {
				want = mark
				s = append(s[:mark], strings.Repeat("&", n-mark)...)
				if s = []byte(strings.ToValidUTF8(string(s), "&")); len(s) != n {
					continue
				}
				want = bytes.IndexByte(s, '&')
			}
			to := bytes.Repeat([]byte{0xaa}, n+beyond+1)
			e := encoder{html: 1, marks: htmlMarks}
			if got := e.blocks(xunsafe.DataOf(to), string(s), 0); got != want || !bytes.Equal(to[:got], s[:got]) || to[n+beyond] != 0xaa {
				t.Fatalf("%d bytes of %q are written, not %d: %q", got, s, want, to)
			}
		}
	}
}
