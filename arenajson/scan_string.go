package arenajson

import (
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Strings. str returns a part of the document if it can. Plain ASCII, eight bytes at a time, is its fast
// path; strRest scans UTF-8 (scanUTF8: blocks of 32 bytes, or several characters of one length) and decodes
// escapes in place, because none is shorter than its character. Only a string with invalid UTF-8, or in a
// document that must not be changed, is decoded into memory of its own.

// str scans the string whose quote is at i.
func (s *scanner) str(i int) (string, int) {
	start := i + 1
	for i = start; ; i += 8 {
		w := s.word(i)
		m := unusual(w)
		if m == 0 {
			continue
		}
		i += bits.TrailingZeros64(m) / 8
		if s.at(i) == '"' {
			return s.text(start, i), i + 1
		}
		return s.strRest(start, i)
	}
}

// strRest is str for a string that begins at start and is plain ASCII up to i.
func (s *scanner) strRest(start, i int) (string, int) {
	i = s.scanUTF8(i)
	switch c := s.at(i); {
	case c == '"':
		return s.text(start, i), i + 1
	case c >= utf8.RuneSelf:
		return s.strInvalid(start, i, i)
	case c != '\\':
		s.fail()
	case !s.inPlace:
		return s.strCopied(start)
	}
	return s.strMoved(start, i)
}

// scanUTF8 returns the index of the first byte from i on that is a quote, a backslash, a control character,
// or the beginning of invalid UTF-8.
func (s *scanner) scanUTF8(i int) int {
	if vectored && special(s.word(i)) == 0 { // a shorter text does not pay for the call
		end, done := s.scanBlocks(i)
		if done {
			return end
		}
		i = end
	}
	for {
		x := s.word(i)
		switch {
		case x&0x80 == 0:
			m := unusual(x)
			if m == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(m) / 8
			if s.at(i) < utf8.RuneSelf {
				return i
			}
		case x&0xc0c0f0 == 0x8080e0:
			y := s.word(i + 6)
			if ((x^threeValues)|(y^threeValues))&threeLooks == 0 && (areMostUsual(x, y) || areThrees(x)&areThrees(y)&(0x800000*both) == 0x800000*both) {
				i += 12
				continue
			}
			if lead := x & 0x200f; lead == 0 || lead == 0x200d {
				return i
			}
			i += 3
		case x&0xc0e0 == 0x80c0:
			if n := areTwos(x); n > 0 {
				i += n
				continue
			}
			return i
		case x&0xc0c0c0f8 == 0x808080f0: // up to U+10FFFF
			if c := x & 0x3007; c == 0 || c&0x07 >= 4 && c != 0x04 {
				return i
			}
			i += 4
		default:
			return i
		}
	}
}

// scanBlocks is scanUTF8 for whole blocks of 32 bytes, and reports whether the end is in them. If not,
// scanUTF8 continues at the index that scanBlocks returns.
func (s *scanner) scanBlocks(i int) (int, bool) {
	blocks := (s.n + docSlack - i) / 32
	if blocks == 0 {
		return i, false
	}
	n, bad := scanText(&vectors, &s.view(i, i+32*blocks)[0], blocks)
	if bad {
		return i, false
	}
	if i += n; n < 32*blocks {
		return i, true
	}
	for i--; s.at(i)&0xc0 == 0x80; i-- { // the last character may be cut off
	}
	return i, false
}

// strMoved is str from the escape at i on. It moves the text after each escape to the end of the decoded text.
func (s *scanner) strMoved(start, i int) (string, int) {
	for to := i; ; {
		for s.at(i) == '\\' { // escapes often follow each other
			if c := plainEscapes[s.at(i+1)]; c != 0 {
				s.view(to, to+1)[0] = c
				to, i = to+1, i+2
				continue
			}
			var r rune
			r, i = s.escape(i)
			to += utf8.EncodeRune(s.view(to, to+utf8.UTFMax), r) // shorter than the escape
		}
		for {
			w := s.word(i)
			m := unusual(w)
			n := 8
			if m != 0 {
				n = bits.TrailingZeros64(m) / 8
			}
			if keep := ^uint64(0) << (8 * n); i-to < 8 { // a whole word would reach beyond i
				w = w&^keep | s.word(to)&keep
			}
			s.put(to, w)
			to, i = to+n, i+n
			if m != 0 {
				break
			}
		}
		if s.at(i) >= utf8.RuneSelf {
			end := s.scanUTF8(i)
			copy(s.view(to, to+end-i), s.view(i, end))
			to, i = to+end-i, end
		}
		switch c := s.at(i); {
		case c == '"':
			return s.text(start, to), i + 1
		case c >= utf8.RuneSelf:
			return s.strInvalid(start, to, i)
		case c != '\\':
			s.fail()
		}
	}
}

// strCopied is str for a string with escapes whose text begins at start, in a document that must not be
// changed.
func (s *scanner) strCopied(start int) (string, int) {
	end := s.skipRest(start, s.plain(start))
	b := s.allocText(end - start + docSlack)
	clear(b[copy(b, s.view(start, end)):])
	copied := scanner{base: xunsafe.DataOf(b), n: end - start, region: s.region, start: s.start + start, inPlace: true, strict: s.strict}
	text, _ := copied.strRest(0, 0)
	return text, end
}

// strInvalid is str for a string with invalid UTF-8: each byte of it becomes utf8.RuneError, which is longer.
// [start, to) is decoded, and the rest begins at i.
func (s *scanner) strInvalid(start, to, i int) (string, int) {
	if s.strict {
		s.rejectUTF8(i)
	}
	end := i
	for s.at(end) != '"' {
		switch c := s.at(end); {
		case c == '\\':
			_, end = s.escape(end)
		case c < ' ':
			s.fail()
		default:
			end++
		}
	}
	b := s.allocText(to - start + 3*(end-i))
	n := copy(b, s.view(start, to))
	for i < end {
		r, size := utf8.DecodeRune(s.view(i, end))
		if r == '\\' {
			r, i = s.escape(i)
		} else {
			i += size
		}
		n += utf8.EncodeRune(b[n:], r)
	}
	return xunsafe.ViewString(b[:n]), end + 1
}

// allocText allocates n bytes, which are not zero, with a capacity of n.
func (s *scanner) allocText(n int) []byte {
	if s.region == nil || n == 0 {
		return make([]byte, n)
	}
	b := machine.ReserveText(s.region, n, 1)
	return b[:n:n]
}

// plainEscapes has the byte for each letter of an escape, 0 for other bytes.
var plainEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape scans the escape at i. Half a surrogate pair is utf8.RuneError.
func (s *scanner) escape(i int) (rune, int) {
	c := s.at(i + 1)
	if plain := plainEscapes[c]; plain != 0 {
		return rune(plain), i + 2
	}
	if c == 'u' {
		r := s.hex(i + 2)
		i += 6
		if utf16.IsSurrogate(r) {
			if s.at(i) == '\\' && s.at(i+1) == 'u' {
				if r = utf16.DecodeRune(r, s.hex(i+2)); r != utf8.RuneError {
					return r, i + 6
				}
			}
			if s.strict {
				s.reject(i-6, "unpaired surrogate")
			}
			return utf8.RuneError, i
		}
		return r, i
	}
	s.fail()
	return 0, 0
}

// hexDigits has the values of hexadecimal digits, -1 for other bytes.
var hexDigits = func() (digits [256]int8) {
	for c := range digits {
		digits[c] = -1
	}
	for v, c := range "0123456789abcdef" {
		digits[c] = int8(v)
	}
	for v, c := range "ABCDEF" {
		digits[c] = int8(10 + v)
	}
	return digits
}()

// hex scans four hexadecimal digits. It uses a table because branches on digits are unpredictable.
func (s *scanner) hex(i int) rune {
	w := s.word(i)
	r := rune(hexDigits[byte(w)])<<12 | rune(hexDigits[byte(w>>8)])<<8 |
		rune(hexDigits[byte(w>>16)])<<4 | rune(hexDigits[byte(w>>24)])
	if r < 0 {
		s.fail()
	}
	return r
}

// plain returns the index of the first byte from i on that is a quote, a backslash or a control character.
func (s *scanner) plain(i int) int {
	for {
		if m := special(s.word(i)); m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
		i += 8
	}
}

// skipRest skips a string whose text begins at from and is plain up to i.
func (s *scanner) skipRest(from, i int) int {
	for ; ; i = s.plain(i) {
		if s.strict && !utf8.Valid(s.view(from, i)) {
			s.rejectUTF8(from)
		}
		switch s.at(i) {
		case '"':
			return i + 1
		case '\\':
			if s.at(i+1) == 'u' && !s.strict {
				s.hex(i + 2) // one at a time: anything may follow half a pair
				i += 6
			} else {
				_, i = s.escape(i)
			}
			from = i
		default:
			s.fail()
		}
	}
}

// rejectUTF8 ends the scan at the first byte from i on that is not UTF-8.
func (s *scanner) rejectUTF8(i int) {
	for {
		r, size := utf8.DecodeRune(s.view(i, s.n))
		if r == utf8.RuneError && size <= 1 {
			s.reject(i, "invalid UTF-8")
		}
		i += size
	}
}

// The functions below read strings without zeros after them: members with ,string hold JSON in a string,
// and errors and names look at the document as it was passed.

// stringEnd returns the index after the string at i of doc, or len(doc) if it is cut off.
func stringEnd[T string | []byte](doc T, i int) int {
	for i++; i < len(doc) && doc[i] != '"'; i++ {
		if doc[i] == '\\' {
			i++
		}
	}
	return min(i+1, len(doc))
}

// unquote decodes t, a JSON string with its quotes, and reports whether it is one. The result is a part of t
// or allocated by s.
func (s *scanner) unquote(t string) (string, bool) {
	if len(t) < 2 || t[0] != '"' || t[len(t)-1] != '"' {
		return "", false
	}
	t = t[1 : len(t)-1]
	plain := 0
	for plain < len(t) && t[plain] != '\\' {
		if t[plain] == '"' || t[plain] < ' ' {
			return "", false
		}
		plain++
	}
	if plain == len(t) {
		return t, true
	}
	b, ok := appendUnquoted(s.allocText(len(t))[:0], t)
	return xunsafe.ViewString(b), ok
}

// appendUnquoted appends the decoded text t of a JSON string, without its quotes, to b, and reports whether
// it is one. The decoded text is not longer.
func appendUnquoted(b []byte, t string) ([]byte, bool) {
	for i := 0; i < len(t); {
		switch c := t[i]; {
		case c == '"' || c < ' ':
			return nil, false
		case c != '\\':
			b = append(b, c)
			i++
		default:
			var r rune
			if r, i = unescape(t, i); i < 0 {
				return nil, false
			}
			b = utf8.AppendRune(b, r)
		}
	}
	return b, true
}

// unescape decodes the escape at i of t, and returns the index after it; negative if it is invalid. It
// accepts \', as encoding/json does for a string in a string.
func unescape(t string, i int) (rune, int) {
	if i+1 == len(t) {
		return 0, -1
	}
	switch c := t[i+1]; c {
	case '\'':
		return '\'', i + 2
	case 'u':
		r := codeUnit(t[i+1:])
		if r < 0 {
			return 0, -1
		}
		if i += 6; utf16.IsSurrogate(r) {
			if i < len(t) && t[i] == '\\' {
				if r = utf16.DecodeRune(r, codeUnit(t[i+1:])); r != utf8.RuneError {
					return r, i + 6
				}
			}
			return utf8.RuneError, i
		}
		return r, i
	default:
		if plain := plainEscapes[c]; plain != 0 {
			return rune(plain), i + 2
		}
		return 0, -1
	}
}

// codeUnit returns the value of the u and four hexadecimal digits that t begins with, a negative one if it
// doesn't.
func codeUnit(t string) rune {
	if len(t) < 5 || t[0] != 'u' {
		return -1
	}
	return rune(hexDigits[t[1]])<<12 | rune(hexDigits[t[2]])<<8 | rune(hexDigits[t[3]])<<4 | rune(hexDigits[t[4]])
}

// Text, eight bytes in a word. Scanner and encoder look for bytes that end plain text, and validate UTF-8, by
// arithmetic on all bytes of a word. Functions return the top bit of each byte found; because of borrows
// only the lowest one is reliable. vectors_amd64.go does the same for blocks of 32 bytes.

const (
	ones  = 0x0101010101010101
	tops  = 0x80 * ones
	zeros = '0' * ones
)

// powersOfTen are the powers that fit a uint64.
var powersOfTen = func() (table [20]uint64) {
	for i, p := 0, uint64(1); i < len(table); i, p = i+1, p*10 {
		table[i] = p
	}
	return
}()

// special finds quotes, backslashes and control characters.
func special(w uint64) uint64 {
	q, b := w^'"'*ones, w^'\\'*ones
	return ((q-ones)&^q | (b-ones)&^b | (w-' '*ones)&^w) & tops
}

// unusual finds what special finds, and bytes that are not ASCII. With the second lowest bit flipped, quotes
// and control characters are the bytes below '!'.
func unusual(w uint64) uint64 {
	return (w | (w ^ ('"'^' ')*ones - '!'*ones) | (w ^ '\\'*ones - ones)) & tops
}

// zeroBytes finds zeros.
func zeroBytes(w uint64) uint64 { return (w - ones) &^ w & tops }

// shortText returns the bytes of s, from 1 to 7, the first one lowest, and zeros.
func shortText(s string) uint64 {
	n := uint(len(s))
	if n >= 4 {
		return uint64(xunsafe.Text32(s, 0)) | uint64(xunsafe.Text32(s, int(n)-4))<<((n-4)*8&63)
	}
	return uint64(s[0]) | uint64(s[n/2])<<(n/2*8&63) | uint64(s[n-1])<<((n-1)*8&63)
}

// pairsOf repeats two bytes in a word.
const pairsOf = 0x0001000100010001

// areTwos returns the length of the characters of two bytes that w begins with, none of which fits one byte.
func areTwos(w uint64) int {
	long := (w&(0x1e*pairsOf) + 0xfe*pairsOf) & (0x100 * pairsOf) // never carries into the next pair
	other := (w ^ 0x80c0*pairsOf) & (0xc0e0 * pairsOf)
	return bits.TrailingZeros64(other|long^0x100*pairsOf) / 16 * 2
}

// both repeats three bytes in a word. A word is two characters of three bytes, valid or not, if its bits in
// threeLooks are threeValues.
const (
	both        = 1 | 1<<24
	threeLooks  = 0xc0c0f0 * both
	threeValues = 0x8080e0 * both
)

// areMostUsual reports whether all of two such words are valid and need no further look, because no first
// byte is 0xe0, 0xe2, 0xed or 0xef.
func areMostUsual(x, y uint64) bool {
	a, b := x&(0x0d*both), y&(0x0d*both)
	return (a+0x0f*both)&(0x1c*both-a)&(b+0x0f*both)&(0x1c*both-b)&(0x10*both) == 0x10*both
}

// areThrees sets bit 23 of each character of such a word that is valid.
func areThrees(w uint64) uint64 {
	const carry = 0x7fffff * both
	lead := w & (0x200f * both)
	return (lead + carry) & (lead ^ 0x200d*both + carry)
}

// isUsual reports whether the first character of such a word is valid and neither U+2028 nor U+2029, the line
// ends of JavaScript.
func isUsual(w uint64) bool {
	x := w & 0x200f
	return x != 0 && x != 0x200d && w&0xfeffff != 0xa880e2
}

// areUsual is isUsual for both characters, with results like areThrees.
func areUsual(w uint64) uint64 {
	const carry = 0x7fffff * both
	end := (w ^ 0xa880e2*both) & (0x3e3f0f * both)
	return areThrees(w) & (end + carry)
}
