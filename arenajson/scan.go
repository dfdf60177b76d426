package arenajson

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// How a decoder looks at its document, which has zeros behind it. Package unsafe serves
// itself here, and in encode_number.go: each of internal/xunsafe's functions inside another
// one leaves an instruction that does nothing.

// docSlack is how far beyond the document a look may go: a word, from its last byte on.
const docSlack = 16

// at is the byte at i of the document, which is at most docSlack-1 beyond its end: all
// that goes on by what it has seen stops at the zeros there.
func (d *decoder) at(i int) byte {
	if check.On {
		d.mustReach(i, 1)
	}
	return *(*byte)(unsafe.Add(d.base, i)) // SAFETY: see above
}

// word is the eight bytes from i on, the first one lowest; i is at most docSlack-8
// beyond the document's end.
func (d *decoder) word(i int) uint64 {
	if check.On {
		d.mustReach(i, 8)
	}
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(d.base, i))[:]) // SAFETY: see above
}

// block is the sixteen bytes from i on.
func (d *decoder) block(i int) *[16]byte {
	if check.On {
		d.mustReach(i, 16)
	}
	return (*[16]byte)(unsafe.Add(d.base, i)) // SAFETY: see above
}

// put writes eight bytes at i, as word reads them. They have been read.
func (d *decoder) put(i int, w uint64) {
	if check.On {
		d.mustReach(i, 8)
	}
	put64(unsafe.Add(d.base, i), w) // SAFETY: see above
}

// text is the document from i to end, as a string. Nothing writes there once a string
// has been cut out.
func (d *decoder) text(i, end int) string {
	if check.On {
		d.mustReach(i, end-i)
	}
	return unsafe.String((*byte)(unsafe.Add(d.base, i)), end-i) // SAFETY: see above
}

// view is the document from i to end, which may lie in the zeros behind it.
func (d *decoder) view(i, end int) []byte {
	if check.On {
		d.mustReach(i, end-i)
	}
	return unsafe.Slice((*byte)(unsafe.Add(d.base, i)), end-i) // SAFETY: see above
}

// mustReach panics unless the n bytes from i on are the document's, or the zeros' behind it.
func (d *decoder) mustReach(i, n int) {
	if i < 0 || n < 0 || n > d.n+docSlack-i {
		panic(fmt.Sprintf("arenajson: internal error: %d bytes at %d of a document of %d", n, i, d.n))
	}
}

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

// deepNest is how deep a document is read with no look at what comes. One that is deeper
// is first checked to its end, without recursion. To find only at the end that it is not
// JSON would be dear: a stack of megabytes grows and has to be unwound, and a nest has
// few bytes and makes many values.
const deepNest = 256

// deeper counts an array or an object that begins at i.
func (d *decoder) deeper(i int) {
	if d.depth++; d.depth >= deepNest {
		d.deep(i)
	}
}

// deep is deeper where nests are deep.
func (d *decoder) deep(i int) {
	if d.depth > maxNesting {
		d.fail()
	}
	if d.depth == deepNest && !d.valid {
		d.checkRest(i)
		d.valid = true
	}
}

// checkRest makes sure that the document, which is read up to the bracket at i, is JSON.
func (d *decoder) checkRest(i int) {
	check := *d
	check.depth, check.strict = 0, false // what Strict forbids is found in its turn
	var buf [deepNest]level
	w := walk{doc: d.doc}
	outer := w.levels(buf[:0], i)
	i = check.scan(i, len(outer), 0, 0)
	for k := len(outer) - 1; k >= 0; k-- {
		i = check.scan(i, k, braceBit(d.doc[outer[k].at]), 1)
	}
	if check.space(i) != d.n {
		d.fail()
	}
}

// isDocument reports whether all of d, which nobody reads, is a document.
func (d *decoder) isDocument() (ok bool) {
	defer func() {
		switch x := recover().(type) {
		case nil, trouble:
		default:
			panic(x)
		}
	}()
	return d.space(d.skip(d.space(0))) == d.n
}

// skip reads a value that nobody wants, and returns where it ends.
func (d *decoder) skip(i int) int { return d.scan(i, d.depth, 0, 0) }

// braceBit is 1 for a brace, and 0 for a square bracket.
func braceBit(c byte) uint64 { return uint64(c >> 5 & 1) }

// scan makes sure that the value at i, within depth brackets, is JSON, and returns where it
// ends. Of the brackets that are open in it, n of 64 at most, the lowest bit of open tells the
// innermost: whether it is a brace. Where there are some to begin with, i is behind a value
// in there. What is nested deeper is read by another call, so that a nest takes little stack.
func (d *decoder) scan(i, depth int, open uint64, n int) int {
	behind := n > 0
	for {
		switch c := d.at(i); {
		case behind:
			behind = false
		case c == '"':
			if end := d.plain(i + 1); d.at(end) == '"' && !d.strict {
				i = end + 1
			} else {
				i = d.skipRest(i+1, end)
			}
		case c-'0' <= 9 || c == '-':
			i = d.number(i)
		case c|0x20 != '{':
			i = d.literal(i)
		case depth+n == maxNesting:
			d.fail()
		case n == 64:
			i = d.scan(i, depth+n, 0, 0)
		default:
			open, n = open<<1|braceBit(c), n+1
			if c == '{' && d.strict {
				d.beginNames()
			}
			if i = d.space(i + 1); d.at(i) != c+2 { // as ] and } are to [ and {
				if c == '{' {
					i = d.skipName(i)
				}
				continue
			}
		}
		for { // behind a value, or where one without any ends
			if n == 0 {
				return i
			}
			c := d.at(i)
			if c <= ' ' {
				i = d.spaces(i)
				c = d.at(i)
			}
			brace := open & 1
			if c == ',' {
				if i = d.space(i + 1); brace != 0 {
					i = d.skipName(i)
				}
				break
			}
			if c != byte(']'|brace<<5) {
				d.fail()
			}
			if brace != 0 && d.strict {
				d.endNames()
			}
			i, open, n = i+1, open>>1, n-1
		}
	}
}

// skipName reads a name that nobody wants, and the colon and the spaces behind it.
func (d *decoder) skipName(i int) int {
	if d.at(i) != '"' {
		d.fail()
	}
	end := d.plain(i + 1)
	if d.at(end) == '"' && !d.strict {
		i = end + 1
	} else {
		at := i
		i = d.skipRest(i+1, end)
		if d.strict {
			d.addName(at, i)
		}
	}
	if d.at(i) != ':' {
		if i = d.space(i); d.at(i) != ':' {
			d.fail()
		}
	}
	return d.space(i + 1)
}

// literal reads one of the three words.
func (d *decoder) literal(i int) int {
	switch c := d.at(i); {
	case c == 't' && d.has(i, "true"), c == 'n' && d.has(i, "null"):
		return i + 4
	case c == 'f' && d.has(i, "false"):
		return i + 5
	}
	d.fail()
	return 0
}

// plain returns where the first byte from i on is that may not stand in a string.
func (d *decoder) plain(i int) int {
	for {
		if m := special(d.word(i)); m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
		i += 8
	}
}
