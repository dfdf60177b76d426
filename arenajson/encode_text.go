package arenajson

import (
	"math/bits"
	"unicode/utf8"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// marks are what the bytes that must not stand in a string as they are look like,
// eight at a time.
//
// Control characters and the quote take one comparison: with the second lowest bit
// turned they are what is less than '!'. The bits in quote are those that are looked
// at: without the one that tells '&' from '"', it is found, too. A backslash is found
// by its bits in back, which are those in what. Without those that tell '<' and '>'
// from it these are found, and '^', '|' and '~', which stand for themselves in escapes.
type marks struct{ quote, back, what uint64 }

var (
	plainMarks = marks{0xff * ones, 0xff * ones, '\\' * ones}
	htmlMarks  = marks{(0xff &^ ('"' ^ '&')) * ones, (0xff &^ (('\\' ^ '<') | ('<' ^ '>'))) * ones, '\\' & '<' & '>' * ones}
)

// find returns a word whose lowest set bit, if it has any, is the top bit of the
// first byte of w that may be another in a string: one of the marks, a control
// character or one that is not ASCII. A subtraction carries into bytes above one
// that it finds only, so that the lowest one is exact.
func (m *marks) find(w uint64) uint64 {
	quote := w&m.quote ^ ('"'^' ')*ones
	back := w&m.back ^ m.what
	return (w | (quote - '!'*ones) | (back - ones)) & tops
}

// escapes has for each ASCII character what stands for it in a string, in the order
// of Text64, and in the top byte how long that is.
var escapes = func() (table [utf8.RuneSelf]uint64) {
	const hex = "0123456789abcdef"
	for c := range table {
		s := `\u00` + string(hex[c>>4]) + string(hex[c&15])
		switch c {
		case '"', '\\':
			s = `\` + string(rune(c))
		case '^', '|', '~':
			s = string(rune(c))
		case '\b':
			s = `\b`
		case '\f':
			s = `\f`
		case '\n':
			s = `\n`
		case '\r':
			s = `\r`
		case '\t':
			s = `\t`
		}
		w := uint64(len(s)) << 56
		for i := range len(s) {
			w |= uint64(s[i]) << (8 * i)
		}
		table[c] = w
	}
	return
}()

// longestEscape is how many bytes stand for one at most.
const longestEscape = 6

// beyond is how many bytes are written behind a text at most: words and blocks are written whole.
const beyond = 16

// string writes s in quotes.
func (e *encoder) string(w xunsafe.Pointer, s string) xunsafe.Pointer {
	w = put8(e.reserve(w, len(s)+2+beyond), '"')
	m := e.marks
	i := 0
	for ; i <= len(s)-8; i += 8 {
		x := xunsafe.Text64(s, i)
		put64(xunsafe.Add(w, uintptr(i)), x)
		if m.find(x) != 0 {
			return e.special(xunsafe.Add(w, uintptr(i)), s, i)
		}
	}
	switch left := len(s) - i; {
	case left == 0:
	case i > 0:
		// The last word once more, with some of what came before it.
		x := xunsafe.Text64(s, len(s)-8)
		put64(xunsafe.Add(w, uintptr(len(s)-8)), x)
		if m.find(x) != 0 {
			return e.special(xunsafe.Add(w, uintptr(i)), s, i)
		}
	default:
		x := shortText(s)
		put64(w, x)
		if m.find(x)&(1<<(uint(8*left)&63)-1) != 0 {
			return e.special(w, s, 0)
		}
	}
	return put8(xunsafe.Add(w, uintptr(len(s))), '"')
}

// leastBlocks is how long a text is at least that is looked at in blocks, and shortMost how often
// these may end before in one string, which then is left to words.
const leastBlocks, shortMost = 16, 3

// special writes s from i on, and the quote that ends it. Bytes are reserved for it as it
// is.
func (e *encoder) special(w xunsafe.Pointer, s string, i int) xunsafe.Pointer {
	e.short = 0
	m := e.marks
	for i < len(s) {
		left := len(s) - i
		var x, found uint64
		if left >= 8 {
			x = xunsafe.Text64(s, i)
			if found = m.find(x); found == 0 {
				put64(w, x)
				w = xunsafe.Add(w, 8)
				i += 8
				continue
			}
		} else {
			if len(s) >= 8 {
				x = xunsafe.Text64(s, len(s)-8) >> (uint(64-8*left) & 63)
			} else {
				x = shortText(s[i:])
			}
			if found = m.find(x) & (1<<(uint(8*left)&63) - 1); found == 0 {
				put64(w, x)
				w = xunsafe.Add(w, uintptr(left))
				break
			}
		}
		put64(w, x)
		n := bits.TrailingZeros64(found) / 8
		w = xunsafe.Add(w, uintptr(n))
		i += n
		if c := s[i]; c < utf8.RuneSelf {
			escape := escapes[c]
			w = e.reserve(w, len(s)-i+longestEscape+beyond)
			put64(w, escape)
			w = xunsafe.Add(w, uintptr(escape>>56))
			i++
			continue
		}
		w, i = e.runes(w, s, i)
	}
	return put8(w, '"')
}

// threes writes the characters of s from i on that have three bytes each, four at a time,
// and returns where they end.
func threes(w xunsafe.Pointer, s string, i int) (xunsafe.Pointer, int) {
	begin, most := i, true // what has some that need a second look has more of them
	for ; len(s)-i >= 14; i += 12 {
		x, y := xunsafe.Text64(s, i), xunsafe.Text64(s, i+6)
		if ((x^threeValues)|(y^threeValues))&threeLooks != 0 {
			return w, i
		}
		if !most || !areMostUsual(x, y) {
			if most = false; areUsual(x)&areUsual(y)&(0x800000*both) != 0x800000*both {
				return w, i
			}
		}
		put64(w, x)
		put64(xunsafe.Add(w, 6), y)
		w = xunsafe.Add(w, 12)
	}
	if left := len(s) - i; i > begin && left > 0 && left <= 12 {
		// The last four, with some of those before, whose first bytes would be others if these
		// did not follow them.
		x, y := xunsafe.Text64(s, len(s)-12), xunsafe.Text64(s, len(s)-8)>>16
		if ((x^threeValues)|(y^threeValues))&threeLooks == 0 && areMostUsual(x, y) {
			w = xunsafe.Add(w, uintptr(left-12))
			put64(w, x)
			put64(xunsafe.Add(w, 6), y)
			return xunsafe.Add(w, 12), len(s)
		}
	}
	return w, i
}

// runes writes the characters of s from i on that are not ASCII, and returns where
// they end. Those of two to four bytes are looked at as a word: which bits must be
// set and clear in their bytes, and which of the others must not all be clear, as
// they are in one that is longer than it had to be. Where several of one length follow
// each other, as they do in a text, several are looked at at once; where blocks are, all that
// follows up to the next mark is written with them.
func (e *encoder) runes(w xunsafe.Pointer, s string, i int) (xunsafe.Pointer, int) {
	if vectored && e.short < shortMost && len(s)-i >= leastBlocks {
		n := e.blocks(w, s, i)
		if n < leastBlocks {
			e.short++
		}
		if n > 0 {
			return xunsafe.Add(w, uintptr(n)), i + n
		}
		if n < 0 {
			e.short = shortMost
		}
	}
	for i < len(s) && s[i] >= utf8.RuneSelf {
		left := len(s) - i
		var x uint64
		if left >= 8 {
			x = xunsafe.Text64(s, i)
		} else {
			x = shortText(s[i:]) // no zero looks like a part of a character
		}
		n := uintptr(0) // how many bytes of x are characters
		switch {
		case x&0xc0e0 == 0x80c0:
			n = uintptr(areTwos(x))
		case x&0xc0c0f0 == 0x8080e0:
			from := i
			if w, i = threes(w, s, i); i > from {
				continue
			}
			if isUsual(x) {
				n = 3
			}
		case x&0xc0c0c0f8 == 0x808080f0: // up to U+10FFFF
			if c := x & 0x3007; c != 0 && (c&0x07 < 4 || c == 0x04) {
				n = 4
			}
		}
		if n > 0 {
			put64(w, x)
			w = xunsafe.Add(w, n)
			i += int(n)
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		w = e.reserve(w, left+longestEscape+beyond)
		switch {
		case r == utf8.RuneError && size == 1:
			w = putText(w, `\ufffd`)
		case r == '\u2028':
			w = putText(w, `\u2028`)
		case r == '\u2029':
			w = putText(w, `\u2029`)
		default:
			w = putText(w, s[i:i+size])
		}
		i += size
	}
	return w, i
}

// blocks writes s from i on up to the first mark, and returns the number of bytes written. It is negative if
// they are not UTF-8.
func (e *encoder) blocks(w xunsafe.Pointer, s string, i int) int {
	n, bad := putBlocks(&markVectors[e.html], xunsafe.Cast[byte](w), xunsafe.Cast[byte](xunsafe.Add(xunsafe.TextOf(s), uintptr(i))), len(s)-i)
	switch {
	case bad:
		return -1
	case i+n < len(s) && s[i+n] >= utf8.RuneSelf:
		n -= 2 // the other bytes of U+2028 or U+2029
	}
	return n
}
