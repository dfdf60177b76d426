package arenajson

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"time"
	"unicode/utf8"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// marks finds the bytes of a string that must be escaped, eight at a time.
//
// Quotes and control characters take one comparison: with the second lowest bit flipped they are the bytes
// below '!'. quote masks the bits that are compared; without the bit that distinguishes '&' from '"', both
// match. back masks the bits compared with what: all bits match a backslash only, and the HTML mask also
// matches '<', '>', '^', '|' and '~', of which escapes leaves the last three as they are.
type marks struct{ quote, back, what uint64 }

var (
	plainMarks = marks{0xff * ones, 0xff * ones, '\\' * ones}
	htmlMarks  = marks{(0xff &^ ('"' ^ '&')) * ones, (0xff &^ (('\\' ^ '<') | ('<' ^ '>'))) * ones, '\\' & '<' & '>' * ones}
)

// find returns a word whose lowest set bit is the top bit of the first byte of w that needs a closer look: a
// mark, a control character or a byte that is not ASCII. Higher bits may be wrong, because the subtractions
// borrow.
func (m *marks) find(w uint64) uint64 {
	quote := w&m.quote ^ ('"'^' ')*ones
	back := w&m.back ^ m.what
	return (w | (quote - '!'*ones) | (back - ones)) & tops
}

// escapes holds the escape sequence of each ASCII character in the order of Text64, with its length in the
// top byte.
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

// longestEscape is the length of the longest escape sequence, \u00xx.
const longestEscape = 6

// beyond is the maximum number of bytes written past the end of a text, because words and blocks are written
// whole.
const beyond = 16

// string encodes s.
func (e *encoder) string(w xunsafe.Pointer, s string) xunsafe.Pointer {
	w = put8(e.reserve(w, len(s)+2+beyond), '"')
	m := e.marks
	i := 0
	for ; i <= len(s)-8; i += 8 {
		x := xunsafe.Text64(s, i)
		put64(xunsafe.Add(w, uintptr(i)), x)
		if m.find(x) != 0 {
			return e.stringRest(xunsafe.Add(w, uintptr(i)), s, i)
		}
	}
	switch left := len(s) - i; {
	case left == 0:
	case i > 0:
		// The last word overlaps the one before.
		x := xunsafe.Text64(s, len(s)-8)
		put64(xunsafe.Add(w, uintptr(len(s)-8)), x)
		if m.find(x) != 0 {
			return e.stringRest(xunsafe.Add(w, uintptr(i)), s, i)
		}
	default:
		x := shortText(s)
		put64(w, x)
		if m.find(x)&(1<<(uint(8*left)&63)-1) != 0 {
			return e.stringRest(w, s, 0)
		}
	}
	return put8(xunsafe.Add(w, uintptr(len(s))), '"')
}

// leastBlocks is the length from which on texts are written in blocks. After shortMost blocks shorter than
// this, the rest of the string is written in words.
const leastBlocks, shortMost = 16, 3

// stringRest encodes s from i on, and the closing quote. Memory for s without escapes is reserved.
func (e *encoder) stringRest(w xunsafe.Pointer, s string, i int) xunsafe.Pointer {
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

// threes writes characters of three bytes from i on, four at a time, and returns the index after them.
func threes(w xunsafe.Pointer, s string, i int) (xunsafe.Pointer, int) {
	begin, most := i, true // if areMostUsual fails once, it often fails again
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
		// The last four characters, overlapping those before. They match only if the rest of s consists of
		// characters of three bytes.
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

// runes writes the characters from i on that are not ASCII, and returns the index after them. It uses blocks
// if it can. Otherwise it validates a character of two to four bytes as a word: some bits of its bytes must
// be set, some clear, and in an overlong encoding certain others are all clear. Several characters of one
// length are validated together.
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
			x = shortText(s[i:]) // the zeros after s are no part of a character
		}
		n := uintptr(0) // number of valid bytes in x
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

// blocks writes s from i on up to the first mark, and returns the number of bytes. It is negative if they are
// not UTF-8.
func (e *encoder) blocks(w xunsafe.Pointer, s string, i int) int {
	n, bad := putBlocks(&markVectors[e.html], xunsafe.Cast[byte](w), xunsafe.Cast[byte](xunsafe.Add(xunsafe.TextOf(s), uintptr(i))), len(s)-i)
	switch {
	case bad:
		return -1
	case i+n < len(s) && s[i+n] >= utf8.RuneSelf:
		n -= 2 // the first two bytes of U+2028 or U+2029
	}
	return n
}

// method returns the value at p, or its address, as an M. It reports false if the value is nil.
func method[M any](prog *encProgram, p xunsafe.Pointer) (m M, ok bool) {
	if !prog.self {
		return prog.address(p).(M), true
	}
	v := prog.at(p)
	if v.IsNil() {
		return m, false
	}
	return v.Interface().(M), true
}

func (e *encoder) marshaler(w xunsafe.Pointer, prog *encProgram, p xunsafe.Pointer) xunsafe.Pointer {
	m, ok := method[json.Marshaler](prog, p)
	if !ok {
		return e.null(w)
	}
	text, err := m.MarshalJSON()
	if err == nil {
		w, err = e.compacted(w, text)
	}
	if err != nil {
		panic(failure{marshalerError(prog.typ, failingJSON{err})})
	}
	return w
}

func (e *encoder) textMarshaler(w xunsafe.Pointer, prog *encProgram, p xunsafe.Pointer) xunsafe.Pointer {
	m, ok := method[encoding.TextMarshaler](prog, p)
	if !ok {
		return e.null(w)
	}
	text, err := m.MarshalText()
	if err != nil {
		panic(failure{marshalerError(prog.typ, failingText{err})})
	}
	return e.string(w, xunsafe.ViewString(text))
}

func (e *encoder) textAppender(w xunsafe.Pointer, prog *encProgram, p xunsafe.Pointer) xunsafe.Pointer {
	m, _ := method[encoding.TextAppender](prog, p)
	text, err := m.AppendText(e.inner[:0])
	if err != nil {
		panic(failure{marshalerError(prog.typ, failingAppend{err})})
	}
	if len(text) > cap(e.inner) {
		e.inner = make([]byte, 0, 2*len(text)) // for the next call
	}
	return e.string(w, xunsafe.ViewString(text))
}

// custom encodes the value at p by a MarshalFunc.
func (e *encoder) custom(w xunsafe.Pointer, prog *encProgram, p xunsafe.Pointer) xunsafe.Pointer {
	if k := prog.typ.Kind(); (k == reflect.Pointer || k == reflect.Interface) && *xunsafe.Cast[xunsafe.Pointer](p) == nil {
		return e.null(w)
	}
	text, err := prog.custom.write(e.arena, prog.typ, p)
	if err == nil {
		w, err = e.compacted(w, text)
	}
	if err != nil {
		panic(failure{fmt.Errorf("arenajson: MarshalFunc for %v: %w", prog.typ, err)})
	}
	return w
}

// viaV2 encodes a document by encoding/json/v2, for WithMarshalers.
func (e *encoder) viaV2(w xunsafe.Pointer, v any) xunsafe.Pointer {
	text, err := e.mode.writeAll(v, e.flags)
	if err != nil {
		panic(failure{err})
	}
	return putText(e.reserve(w, len(text)+beyond), xunsafe.ViewString(text))
}

// standard encodes the value at p by encoding/json.
func (e *encoder) standard(w xunsafe.Pointer, prog *encProgram, p xunsafe.Pointer) xunsafe.Pointer {
	v := prog.address(p)
	if !prog.addressable && prog.op != writeIface {
		v = prog.at(p).Interface()
	}
	text, err := marshalStandard(v, e.flags)
	if err != nil {
		panic(failure{err})
	}
	return putText(e.reserve(w, len(text)+beyond), xunsafe.ViewString(text))
}

// holdsNil reports whether the interface at p, which is not nil, holds a nil pointer.
func (prog *encProgram) holdsNil(p xunsafe.Pointer) bool {
	v := prog.at(p).Elem()
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// These types return an error from a method; see marshalerError.
type (
	failingJSON   struct{ err error }
	failingText   struct{ err error }
	failingAppend struct{ err error }
)

func (f failingJSON) MarshalJSON() ([]byte, error) { return nil, f.err }
func (f failingText) MarshalText() ([]byte, error) { return nil, f.err }

func (f failingAppend) AppendText([]byte) ([]byte, error) { return nil, f.err }

// marshalerError returns encoding/json's error for a failing method of t. encoding/json must create it,
// because the error has an unexported field for the name of the method.
func marshalerError(t reflect.Type, failing any) error {
	_, err := json.Marshal(failing)
	if err, ok := err.(*json.MarshalerError); ok {
		if onV2 && t.Kind() != reflect.Pointer {
			t = reflect.PointerTo(t) // v2 calls methods through a pointer
		}
		err.Type = t
	}
	return err
}

// time encodes a time.Time. MarshalJSON reports the error if it can't be encoded.
func (e *encoder) time(w xunsafe.Pointer, prog *encProgram, p xunsafe.Pointer) xunsafe.Pointer {
	const longest = len(time.RFC3339Nano)
	w = e.reserve(w, longest+2)
	at := put8(w, '"')
	s := xunsafe.Cast[time.Time](p).AppendFormat(bytesAt(at, longest), time.RFC3339Nano)
	if s[len("9999")] == '-' && (s[len(s)-1] == 'Z' || zoneHour(s) < 24) {
		return put8(xunsafe.Add(at, uintptr(len(s))), '"')
	}
	return e.marshaler(w, prog, p)
}

// zoneHour returns the hour of the zone in s, an RFC 3339 time without Z.
func zoneHour(s []byte) int {
	h := s[len(s)-len("+00:00"):]
	if h[0] != '+' && h[0] != '-' {
		return 100 // three digits or more
	}
	return 10*int(h[1]-'0') + int(h[2]-'0')
}

// compacted encodes doc, the result of a method, without its spaces. If doc is not JSON, it fails with the error of
// encoding/json.
func (e *encoder) compacted(w xunsafe.Pointer, doc []byte) (xunsafe.Pointer, error) {
	if n := len(doc); n > 2 && doc[0] == '"' && doc[n-1] == '"' && e.isPlain(xunsafe.ViewString(doc[1:n-1])) {
		return putText(e.reserve(w, n), xunsafe.ViewString(doc)), nil
	}
	if end, ok := e.compact(w, doc); ok {
		return end, nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, doc); err != nil {
		return w, err
	}
	return w, errors.New("arenajson: invalid JSON from MarshalJSON") // encoding/json accepts it
}

// isPlain reports whether s, which is not empty, needs no escapes.
func (e *encoder) isPlain(s string) bool {
	i := 0
	for ; i <= len(s)-8; i += 8 {
		if e.marks.find(xunsafe.Text64(s, i)) != 0 {
			return false
		}
	}
	left := len(s) - i
	if left == 0 {
		return true
	}
	return e.marks.find(shortText(s[i:]))&(1<<(uint(8*left)&63)-1) == 0
}

// compact copies doc without its spaces, and reports whether it is valid JSON. It validates the copy.
func (e *encoder) compact(w xunsafe.Pointer, doc []byte) (xunsafe.Pointer, bool) {
	n := len(doc) + docSlack
	w = e.reserve(w, n)
	b := bytesAt(w, n)[:n]
	clear(b[copy(b, doc):])
	d := scanner{base: w, n: len(doc)}
	if !d.isDocument() {
		return w, false
	}
	if b = b[:len(doc)]; d.spaced {
		b = b[:d.squeeze()]
	}
	// If encoding/json is built on v2, it always escapes U+2028 and U+2029 here.
	if e.html == 0 && (!onV2 || e.doc != nil) || nextHTML(b) == len(b) {
		return xunsafe.Add(w, uintptr(len(b))), true
	}
	e.inner = append(e.inner[:0], b...)
	return e.escaped(w, e.inner), true
}

// escaped writes s, a document, with HTML characters escaped.
func (e *encoder) escaped(w xunsafe.Pointer, s []byte) xunsafe.Pointer {
	for len(s) > 0 {
		n := nextHTML(s)
		w = putText(e.reserve(w, len(s)+longestEscape+8), xunsafe.ViewString(s[:n]))
		if s = s[n:]; len(s) == 0 {
			break
		}
		n = 1
		switch {
		case s[0] < utf8.RuneSelf && e.html != 0:
			put64(w, escapes[s[0]])
			w = xunsafe.Add(w, longestEscape)
		case len(s) > 2 && s[1] == 0x80 && s[2]&^1 == 0xa8: // U+2028 and U+2029
			w = put8(putText(w, `\u202`), '8'+s[2]&1)
			n = 3
		default:
			w = put8(w, s[0])
		}
		s = s[n:]
	}
	return w
}

// nextHTML returns the index of the first byte of s that may begin a character to escape, or len(s).
func nextHTML(s []byte) (i int) {
	for ; i+8 <= len(s); i += 8 {
		w := binary.LittleEndian.Uint64(s[i:])
		if m := zeroBytes((w|2*ones)^'>'*ones) | zeroBytes(w^'&'*ones) | zeroBytes(w^0xe2*ones); m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for ; i < len(s) && s[i]|2 != '>' && s[i] != '&' && s[i] != 0xe2; i++ {
	}
	return i
}

// squeeze removes the spaces of a document, and returns its new length.
func (d *scanner) squeeze() (to int) {
	from := 0 // everything before it was moved, and ends at to
	for i := 0; i < d.n; {
		switch c := d.at(i); {
		case c == '"':
			for i = d.plain(i + 1); d.at(i) != '"'; i = d.plain(i + 2) {
			}
			i++
		case c > ' ':
			i++
		default:
			to = d.move(to, from, i)
			i = d.spaces(i)
			from = i
		}
	}
	return d.move(to, from, d.n)
}

// move copies the bytes from from to end to index to, and returns the index after them.
func (d *scanner) move(to, from, end int) int {
	n := end - from
	if from-to < 8 { // a word would overwrite bytes that follow
		copy(d.view(to, end), d.view(from, end))
		return to + n
	}
	for i := 0; i < n; i += 8 {
		d.put(to+i, d.word(from+i))
	}
	return to + n
}
