package arenajson

import (
	"math/bits"
	"unicode/utf8"
)

// marks are what the bytes that must not stand in a string as they are look like,
// eight at a time: a byte is one of them if the bits of it that are in quote are a
// quote's, if it is a backslash, or if the bits of it that are in keep are less.
//
// '"' and '&' differ in one bit, and so do '<' and '>': where HTML is escaped the
// four take no more than two comparisons.
type marks struct{ quote, keep, less uint64 }

const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

var (
	plainMarks = marks{0xff * ones, 0xff * ones, '\\' * ones}
	htmlMarks  = marks{^uint64(('"' ^ '&') * ones), ^uint64(('<' ^ '>') * ones), '<' &^ ('<' ^ '>') * ones}
)

// find returns a word whose lowest set bit, if it has any, is the top bit of the
// first byte of w that can't be copied as it is: one of the marks, a control
// character or one that is not ASCII. A subtraction carries into bytes above one
// that it finds only, so that the lowest one is exact.
func (m *marks) find(w uint64) uint64 {
	quote := w&m.quote ^ '"'*ones
	back := w ^ '\\'*ones
	less := w&m.keep ^ m.less
	return (w | (w - ' '*ones) | (quote - ones) | (back - ones) | (less - ones)) & tops
}

// escapes has for each ASCII character what stands for it in a string, in the order
// of load64, and in the top byte how long that is.
var escapes = func() (table [utf8.RuneSelf]uint64) {
	const hex = "0123456789abcdef"
	for c := range table {
		s := `\u00` + string(hex[c>>4]) + string(hex[c&15])
		switch c {
		case '"', '\\':
			s = `\` + string(rune(c))
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

// string writes s in quotes.
func (e *encoder) string(b []byte, s string) []byte {
	// Words are written whole: up to 8 bytes more than s takes.
	b = append(e.room(b, len(s)+8+slack), '"')
	m := e.marks
	for i := 0; ; {
		left := len(s) - i
		var w, found uint64
		if left >= 8 {
			w = load64(s, i)
			if found = m.find(w); found == 0 {
				put64(b, w)
				b = b[:len(b)+8]
				i += 8
				continue
			}
		} else {
			if left == 0 {
				return append(b, '"')
			}
			width := uint(8*left) & 63
			if len(s) >= 8 {
				w = load64(s, len(s)-8) >> ((64 - width) & 63)
			} else {
				w = shortText(s[i:])
			}
			if found = m.find(w) & (1<<width - 1); found == 0 {
				put64(b, w)
				return append(b[:len(b)+left], '"')
			}
		}
		put64(b, w)
		n := bits.TrailingZeros64(found) / 8
		b = b[:len(b)+n]
		i += n
		if c := s[i]; c < utf8.RuneSelf {
			w := escapes[c]
			b = e.room(b, len(s)-i+longestEscape+8+slack)
			put64(b, w)
			b = b[:len(b)+int(w>>56)]
			i++
		} else {
			b, i = e.runes(b, s, i)
		}
	}
}

// shortText is the bytes of s, from 1 to 7, the first one lowest, and zeros.
func shortText(s string) uint64 {
	n := uint(len(s))
	if n >= 4 {
		return uint64(load32(s, 0)) | uint64(load32(s, int(n)-4))<<((n-4)*8&63)
	}
	return uint64(s[0]) | uint64(s[n/2])<<(n/2*8&63) | uint64(s[n-1])<<((n-1)*8&63)
}

// pairsOf times a number below 1<<16 is that number in all four pairs of bytes.
const pairsOf = 0x0001000100010001

// isUsual says whether the lowest three bytes of w, which look like a character,
// are one: none that fits two bytes, no surrogate, and no line end of JavaScript.
func isUsual(w uint32) bool {
	x := w & 0x200f
	return x != 0 && x != 0x200d && w&0xfeffff != 0xa880e2
}

// runes writes the characters of s from i on that are not ASCII, and returns where
// they end. Those of two to four bytes are looked at as a word: which bits must be
// set and clear in their bytes, and which of the others must not all be clear, as
// they are in one that is longer than it had to be.
func (e *encoder) runes(b []byte, s string, i int) ([]byte, int) {
	for i < len(s) && s[i] >= utf8.RuneSelf {
		if i+8 <= len(s) {
			// Several of one length, as they are in a text, at once.
			w := load64(s, i)
			if w&(0xc0e0*pairsOf) == 0x80c0*pairsOf {
				if (w&(0x1e*pairsOf)+0xfe*pairsOf)&(0x100*pairsOf) == 0x100*pairsOf {
					put64(b, w)
					b = b[:len(b)+8]
					i += 8
					continue
				}
			} else if w&0xc0c0f0_c0c0f0 == 0x8080e0_8080e0 && isUsual(uint32(w)) && isUsual(uint32(w>>24)) {
				put64(b, w)
				b = b[:len(b)+6]
				i += 6
				continue
			}
		}
		if i+4 <= len(s) {
			w := load32(s, i)
			switch {
			case w&0xc0c0f0 == 0x8080e0: // three bytes
				if isUsual(w) {
					put32(b, w)
					b = b[:len(b)+3]
					i += 3
					continue
				}
			case w&0xc0e0 == 0x80c0: // two bytes
				if w&0x1e != 0 {
					put32(b, w)
					b = b[:len(b)+2]
					i += 2
					continue
				}
			case w&0xc0c0c0f8 == 0x808080f0: // four bytes
				if x := w & 0x3007; x != 0 && (x&0x07 < 4 || x == 0x04) { // up to U+10FFFF
					put32(b, w)
					b = b[:len(b)+4]
					i += 4
					continue
				}
			}
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		b = e.room(b, len(s)-i+longestEscape+8+slack)
		switch {
		case r == utf8.RuneError && size == 1:
			b = append(b, `\ufffd`...)
		case r == '\u2028':
			b = append(b, `\u2028`...)
		case r == '\u2029':
			b = append(b, `\u2029`...)
		default:
			b = append(b, s[i:i+size]...)
		}
		i += size
	}
	return b, i
}
