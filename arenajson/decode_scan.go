package arenajson

import (
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// space returns where the spaces from i on end.
func (d *decoder) space(i int) int {
	if d.at(i) > ' ' {
		return i
	}
	return d.spaces(i)
}

// spaces is space where there may be some: one, or a line end and what is indented by.
func (d *decoder) spaces(i int) int {
	for isSpace(d.at(i)) {
		d.spaced = true
		i++
		w := d.word(i) ^ ' '*ones
		for ; w == 0; w = d.word(i) ^ ' '*ones {
			i += 8
		}
		if byte(w) == 0 {
			i += bits.TrailingZeros64(w) / 8
		}
	}
	return i
}

// has reports whether s stands at i.
func (d *decoder) has(i int, s string) bool { return i+len(s) <= d.n && d.text(i, i+len(s)) == s }

// str reads the string whose quote is at i, and returns it and where it ends. It
// lies in the document, whose escapes are undone in place, unless it got longer.
func (d *decoder) str(i int) (string, int) {
	start := i + 1
	for i = start; ; i += 8 {
		w := d.word(i)
		m := unusual(w)
		if m == 0 {
			continue
		}
		i += bits.TrailingZeros64(m) / 8
		if d.at(i) == '"' {
			return d.text(start, i), i + 1
		}
		return d.strRest(start, i)
	}
}

// strRest reads on at i, where there is something else than ASCII without escapes.
func (d *decoder) strRest(start, i int) (string, int) {
	i = d.good(i)
	switch c := d.at(i); {
	case c == '"':
		return d.text(start, i), i + 1
	case c >= utf8.RuneSelf:
		return d.strInvalid(start, i, i)
	case c != '\\':
		d.fail()
	case d.here != nil:
		return d.strApart(start)
	}
	return d.strMoved(start, i)
}

// good returns where the text from i on ends that can stay as it is: at a quote, a
// backslash, a control character, or at what is not UTF-8. Characters of one length follow
// each other, as a rule, and several are looked at at once.
func (d *decoder) good(i int) int {
	if vectored && special(d.word(i)) == 0 { // what ends sooner isn't worth a call
		end, done := d.goodBlocks(i)
		if done {
			return end
		}
		i = end
	}
	for {
		x := d.word(i)
		switch {
		case x&0x80 == 0:
			m := unusual(x)
			if m == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(m) / 8
			if d.at(i) < utf8.RuneSelf {
				return i
			}
		case x&0xc0c0f0 == 0x8080e0:
			y := d.word(i + 6)
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

// areThrees is areUsual with the line ends of JavaScript among what is usual.
func areThrees(w uint64) uint64 {
	const carry = 0x7fffff * both
	lead := w & (0x200f * both)
	return (lead + carry) & (lead ^ 0x200d*both + carry)
}

// strMoved reads on at the escape at i: what follows moves to where the next byte belongs.
func (d *decoder) strMoved(start, i int) (string, int) {
	for to := i; ; {
		for d.at(i) == '\\' { // where one is, others are
			if c := plainEscapes[d.at(i+1)]; c != 0 {
				d.view(to, to+1)[0] = c
				to, i = to+1, i+2
				continue
			}
			var r rune
			r, i = d.escape(i)
			to += utf8.EncodeRune(d.view(to, to+utf8.UTFMax), r) // shorter than the escape
		}
		for {
			w := d.word(i)
			m := unusual(w)
			n := 8
			if m != 0 {
				n = bits.TrailingZeros64(m) / 8
			}
			if keep := ^uint64(0) << (8 * n); i-to < 8 { // a word would reach into what is not read yet
				w = w&^keep | d.word(to)&keep
			}
			d.put(to, w)
			to, i = to+n, i+n
			if m != 0 {
				break
			}
		}
		if d.at(i) >= utf8.RuneSelf {
			end := d.good(i)
			copy(d.view(to, to+end-i), d.view(i, end))
			to, i = to+end-i, end
		}
		switch c := d.at(i); {
		case c == '"':
			return d.text(start, to), i + 1
		case c >= utf8.RuneSelf:
			return d.strInvalid(start, to, i)
		case c != '\\':
			d.fail()
		}
	}
}

// plainEscapes has the byte that each letter of an escape stands for, and 0 for others.
var plainEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// strApart reads a string whose document must stay as it is, since there is no other
// copy of it for errors: its escapes are undone in one of its own.
func (d *decoder) strApart(start int) (string, int) {
	end := d.skipString(start - 1)
	b := d.bytes(end - start + docSlack)
	clear(b[copy(b, d.view(start, end)):])
	apart := decoder{base: xunsafe.DataOf(b), n: end - start, a: d.a, r: d.r, strict: d.strict, before: d.before + start}
	s, _ := apart.strRest(0, 0)
	return s, end
}

// escape reads the escape at i, and returns what it stands for and where it ends.
// Half a surrogate pair stands for utf8.RuneError.
func (d *decoder) escape(i int) (rune, int) {
	c := d.at(i + 1)
	if plain := plainEscapes[c]; plain != 0 {
		return rune(plain), i + 2
	}
	if c == 'u' {
		r := d.hex(i + 2)
		i += 6
		if utf16.IsSurrogate(r) {
			if d.at(i) == '\\' && d.at(i+1) == 'u' {
				if r = utf16.DecodeRune(r, d.hex(i+2)); r != utf8.RuneError {
					return r, i + 6
				}
			}
			if d.strict {
				d.reject(i-6, "half a surrogate pair")
			}
			return utf8.RuneError, i
		}
		return r, i
	}
	d.fail()
	return 0, 0
}

// hexDigits has the values of hexadecimal digits, and -1 for all other bytes.
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

// hex reads four hexadecimal digits. Branches on what each of them is would be guessed
// wrong as often as not.
func (d *decoder) hex(i int) rune {
	w := d.word(i)
	r := rune(hexDigits[byte(w)])<<12 | rune(hexDigits[byte(w>>8)])<<8 |
		rune(hexDigits[byte(w>>16)])<<4 | rune(hexDigits[byte(w>>24)])
	if r < 0 {
		d.fail()
	}
	return r
}

// rejectText ends the reading where the first byte from i on is not UTF-8.
func (d *decoder) rejectText(i int) {
	for {
		r, size := utf8.DecodeRune(d.view(i, d.n))
		if r == utf8.RuneError && size <= 1 {
			d.reject(i, "a string that is not UTF-8")
		}
		i += size
	}
}

// strInvalid is strRest for a string with bytes that are no UTF-8, each of which
// becomes utf8.RuneError and so longer than it is. What lies in [start, to) is done;
// the rest begins at i.
func (d *decoder) strInvalid(start, to, i int) (string, int) {
	if d.strict {
		d.rejectText(i)
	}
	end := i
	for d.at(end) != '"' {
		switch c := d.at(end); {
		case c == '\\':
			_, end = d.escape(end)
		case c < ' ':
			d.fail()
		default:
			end++
		}
	}
	b := d.bytes(to - start + 3*(end-i))
	n := copy(b, d.view(start, to))
	for i < end {
		r, size := utf8.DecodeRune(d.view(i, end))
		if r == '\\' {
			r, i = d.escape(i)
		} else {
			i += size
		}
		n += utf8.EncodeRune(b[n:], r)
	}
	return xunsafe.ViewString(b[:n]), end + 1
}

// skipString reads a string and leaves its escapes.
func (d *decoder) skipString(i int) int { return d.skipRest(i+1, d.plain(i+1)) }

// skipRest is skipString for a string whose text begins at from and is plain up to i.
func (d *decoder) skipRest(from, i int) int {
	for ; ; i = d.plain(i) {
		if d.strict && !utf8.Valid(d.view(from, i)) {
			d.rejectText(from)
		}
		switch d.at(i) {
		case '"':
			return i + 1
		case '\\':
			if d.at(i+1) == 'u' && !d.strict {
				d.hex(i + 2) // one by one, as half a pair may be followed by anything
				i += 6
			} else {
				_, i = d.escape(i)
			}
			from = i
		default:
			d.fail()
		}
	}
}
