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

// method is the t at p as an M, nil if it is nil.
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
		e.inner = make([]byte, 0, 2*len(text)) // for the next one
	}
	return e.string(w, xunsafe.ViewString(text))
}

// custom writes a value by a MarshalFunc.
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

// foreign writes a document by encoding/json/v2.
func (e *encoder) foreign(w xunsafe.Pointer, v any) xunsafe.Pointer {
	text, err := e.mode.writeAll().writeAll(v, e.flags)
	if err != nil {
		panic(failure{err})
	}
	return putText(e.reserve(w, len(text)+beyond), xunsafe.ViewString(text))
}

// standard writes what is left to encoding/json.
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

// failingJSON and the others return an error.
type (
	failingJSON   struct{ err error }
	failingText   struct{ err error }
	failingAppend struct{ err error }
)

func (f failingJSON) MarshalJSON() ([]byte, error) { return nil, f.err }
func (f failingText) MarshalText() ([]byte, error) { return nil, f.err }

func (f failingAppend) AppendText([]byte) ([]byte, error) { return nil, f.err }

// marshalerError is encoding/json's error for a method of t that fails. It is made
// there, because it has a field for the method's name that only encoding/json sets.
func marshalerError(t reflect.Type, failing any) error {
	_, err := json.Marshal(failing)
	if err, ok := err.(*json.MarshalerError); ok {
		if onV2 && t.Kind() != reflect.Pointer {
			t = reflect.PointerTo(t) // by which v2 calls it
		}
		err.Type = t
	}
	return err
}

// time writes a time.Time as its MarshalJSON does, which is asked where that fails.
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

// zoneHour is the hour of the zone that ends s, an RFC 3339 time not in Z.
func zoneHour(s []byte) int {
	h := s[len(s)-len("+00:00"):]
	if h[0] != '+' && h[0] != '-' {
		return 100 // or more
	}
	return 10*int(h[1]-'0') + int(h[2]-'0')
}

// compacted writes a document that is somebody else's, without its spaces, if it is
// one. The error is that of encoding/json.
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
	return w, errors.New("arenajson: what a MarshalJSON returned is no JSON") // where encoding/json would take it
}

// isPlain reports whether s, which is not empty, can stand in a string as it is.
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

// compact is compacted, and reports whether doc is a document. That is made sure where it is
// written.
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
	// An encoding/json that is built on v2 escapes U+2028 and U+2029 here in any case.
	if e.html == 0 && (!onV2 || e.doc != nil) || nextHTML(b) == len(b) {
		return xunsafe.Add(w, uintptr(len(b))), true
	}
	e.inner = append(e.inner[:0], b...)
	return e.escaped(w, e.inner), true
}

// escaped writes s with what HTML escapes.
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

// nextHTML returns where the first byte of s from i on is with which something begins that
// HTML escapes, maybe.
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

// squeeze takes the spaces out of a document, and returns how long it is without them.
func (d *scanner) squeeze() (to int) {
	from := 0 // what is in front of it has its place, and ends at to
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

// move moves the bytes between from and end to to, and returns where they end.
func (d *scanner) move(to, from, end int) int {
	n := end - from
	if from-to < 8 { // a word would reach into what follows
		copy(d.view(to, end), d.view(from, end))
		return to + n
	}
	for i := 0; i < n; i += 8 {
		d.put(to+i, d.word(from+i))
	}
	return to + n
}
