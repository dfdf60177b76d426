package arenajson

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/bits"
	"reflect"
	"time"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// special reads what is no plain value of Go: what has its own text.
func (d *decoder) special(p *decProgram, to xunsafe.Pointer, i int) int {
	switch p.op {
	case readNumber:
		return d.jsonNumber(p, to, i)
	case readRaw:
		end := d.skip(i)
		*xunsafe.Cast[[]byte](to) = d.view(i, end)
		return end
	case readTime:
		end := d.skip(i)
		x := *xunsafe.Cast[time.Time](to) // a copy, which may escape
		err := x.UnmarshalJSON(d.timeText(i, end))
		if *xunsafe.Cast[time.Time](to) = x; err != nil {
			d.stop(i, err)
		}
		return end
	case readBytes:
		if d.at(i) == '"' {
			return d.base64(to, i)
		}
		return d.slice(p, to, i)
	case readIface:
		return d.iface(p, to, i)
	case readJSON:
		end := d.skip(i)
		d.json(p, to, d.view(i, end), i)
		return end
	case readStandard:
		end := d.skip(i)
		d.standard(p, to, d.view(i, end), i)
		return end
	case readText:
		if d.at(i) != '"' {
			return d.null(p, to, i)
		}
		s, end := d.str(i)
		d.fromText(p, to, s, i)
		return end
	}
	// What can't be read is an error, and so is an arena.Map that can't: encoding/json
	// would take it for a struct without members, and drop what the document has.
	return d.null(p, to, i)
}

// timeText returns the text of a time from i to end for its method. An encoding/json that is built
// on v2 undoes its escapes before.
func (d *decoder) timeText(i, end int) []byte {
	text := d.view(i, end)
	if !onV2 || text[0] != '"' || bytes.IndexByte(text, '\\') < 0 {
		return text
	}
	s, _ := d.str(i)
	return []byte(`"` + s + `"`)
}

// standard has encoding/json read what stands at i. As that goes on after an error of a
// method or a value that does not fit, so does the decoder.
func (d *decoder) standard(p *decProgram, to xunsafe.Pointer, text []byte, i int) {
	back := false
	defer d.unlessBack(&back, i)
	err := d.outside(func() error { return d.unmarshalStandard(text, p.address(to)) })
	back = true
	if err == nil || d.wrong != nil {
		return
	}
	if e, ok := err.(*json.UnmarshalTypeError); ok && e != nil {
		e.Offset += int64(i)
		d.locate(e, i)
	}
	d.wrong = err
}

// json has a json.Unmarshaler read what stands at i.
func (d *decoder) json(p *decProgram, to xunsafe.Pointer, text []byte, i int) {
	back := false
	defer d.unlessBack(&back, i)
	err := d.outside(func() error {
		return p.address(to).(json.Unmarshaler).UnmarshalJSON(text)
	})
	back = true
	if err != nil {
		d.stop(i, err)
	}
}

// fromText has an encoding.TextUnmarshaler read what the string at i says.
func (d *decoder) fromText(p *decProgram, to xunsafe.Pointer, text string, i int) {
	back := false
	defer d.unlessBack(&back, i)
	err := d.outside(func() error {
		return p.address(to).(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
	})
	back = true
	if err != nil {
		d.stop(i, err)
	}
}

// unlessBack is for when a method that reads the value at i has ended: if it did not come
// back, but panicked or ended its goroutine, what was read so far stays, as with
// encoding/json.
func (d *decoder) unlessBack(back *bool, i int) {
	if !*back {
		d.endSlices(i)
	}
}

func (d *decoder) jsonNumber(p *decProgram, to xunsafe.Pointer, i int) int {
	switch c := d.at(i); {
	case c == '"':
		s, end := d.str(i)
		if !isNumber(s) {
			d.stop(i, badNumber(d.doc[i:end]))
		}
		*xunsafe.Cast[string](to) = s
		return end
	case c == '-' || c-'0' <= 9:
		end := d.number(i)
		*xunsafe.Cast[string](to) = d.text(i, end)
		return end
	}
	return d.null(p, to, i)
}

// badNumber is encoding/json's error for a string in a json.Number.
func badNumber(item []byte) error {
	return fmt.Errorf("json: invalid number literal, trying to unmarshal %q into Number", item)
}

// quoted reads the value of a member with ,string: a scalar within a string, or null.
// encoding/json takes more there than JSON has: what strconv takes for numbers, and
// any text that begins as a number for a json.Number.
func (d *decoder) quoted(p *decProgram, to xunsafe.Pointer, i int) int {
	if onV2 && p.op == readPointer && (p.elem.op == readText || p.elem.op == readJSON) {
		end := d.value(p, to, i)
		if d.text(i, end) == `"null"` {
			*xunsafe.Cast[xunsafe.Pointer](to) = nil // once the method was called
		}
		return end
	}
	c := d.at(i)
	if c == 'n' {
		if d.has(i, "null") && p.op == readJSON {
			return d.value(p, to, i) // which has a say about it
		}
		return d.null(p, to, i)
	}
	if c != '"' {
		if (c == '-' || c-'0' <= 9) && !d.numbers {
			if _, end := d.float(i); end < 0 {
				// No float64 holds it, and what is then left counts as null.
				end = d.tooLarge(i)
				if p.op == readJSON {
					d.json(p, to, []byte("null"), i)
				} else {
					p.empty(to)
				}
				return end
			}
		}
		end := d.skip(i)
		if d.wrong == nil {
			d.wrong = fmt.Errorf("json: invalid use of ,string struct tag, trying to unmarshal unquoted value into %v", p.typ)
		}
		return end
	}
	s, end := d.str(i)
	d.unquoted(p, to, s, i, end)
	return end
}

// unquoted reads s, what the string from i to end says, for a member with ,string.
func (d *decoder) unquoted(p *decProgram, to xunsafe.Pointer, s string, i, end int) {
	declared := p.typ
	if s == "" {
		d.noteQuote(s, declared)
		return
	}
	if p.op == readPointer {
		if s[0] == 'n' {
			if s != "null" {
				d.noteQuote(s, declared)
				return
			}
			*xunsafe.Cast[xunsafe.Pointer](to) = nil
			return
		}
		at := xunsafe.Cast[xunsafe.Pointer](to)
		if *at == nil {
			*at = d.alloc(p.elem)
		}
		p, to = p.elem, *at
	}
	switch p.op {
	case readJSON:
		d.json(p, to, []byte(s), i)
		return
	case readText:
		switch {
		case s[0] == 'n':
			if s != "null" {
				d.noteQuote(s, declared)
			}
		case s[0] != '"':
			d.noteQuote(s, declared)
		default:
			text, ok := d.unquote(s)
			if !ok {
				d.stop(i, badQuote(s, declared))
			}
			d.fromText(p, to, text, i)
		}
		return
	}
	switch c := s[0]; {
	case c == 'n':
		if s != "null" {
			d.noteQuote(s, p.typ)
		}
	case c == 't' || c == 'f':
		if s != "true" && s != "false" || p.op != readBool {
			d.noteQuote(s, p.typ)
			return
		}
		*xunsafe.Cast[bool](to) = c == 't'
	case c == '"':
		text, ok := d.unquote(s)
		switch {
		case !ok:
			d.stop(i, badQuote(s, p.typ))
		case p.op == readNumber && !isNumber(text):
			d.stop(i, badNumber([]byte(s)))
		case p.op == readNumber || p.op == readString:
			*xunsafe.Cast[string](to) = text
		case d.wrong == nil:
			e := &json.UnmarshalTypeError{Value: "string", Type: p.typ, Offset: int64(end)}
			d.locate(e, i)
			d.wrong = e
		}
	case c != '-' && c-'0' > 9 || p.op == readBool || p.op == readString:
		d.stop(i, badQuote(s, p.typ))
	case p.op == readNumber:
		*xunsafe.Cast[string](to) = s
	default:
		if !setNumber(p.at(to), s) && d.wrong == nil {
			e := &json.UnmarshalTypeError{Value: "number " + s, Type: p.typ, Offset: int64(end)}
			d.locate(e, i)
			d.wrong = e
		}
	}
}

// setNumber sets v, of a kind of numbers, to what strconv takes s for, and reports
// whether it is one.
func setNumber(v reflect.Value, s string) bool {
	switch {
	case v.CanInt():
		x, ok := parseInt(s)
		if !ok || v.OverflowInt(x) {
			return false
		}
		v.SetInt(x)
	case v.CanUint():
		x, ok := parseUint(s)
		if !ok || v.OverflowUint(x) {
			return false
		}
		v.SetUint(x)
	default:
		x, ok := parseFloat(s, v.Type().Bits())
		if !ok {
			return false
		}
		v.SetFloat(x)
	}
	return true
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// sextets has for each place of a character in four what it adds to their three bytes, and
// a bit above those for each that is not of the alphabet.
var sextets = func() (table [4][256]uint32) {
	for i := range table {
		for c := range table[i] {
			table[i][c] = 1 << 24
		}
		for v, c := range alphabet {
			table[i][c] = uint32(v) << (18 - 6*i)
		}
	}
	return
}()

// pairsOfSextets are the characters of twelve bits, the first one lowest.
var pairsOfSextets [1 << 12]uint16

// sextetsOfPairs are the twelve bits of two characters, the first one lowest, and isPair for
// those that are both of the alphabet. They take half as many looks as sextets, and too much of
// the processor's cache for a short text.
var sextetsOfPairs [1 << 16]uint16

const isPair = 1 << 15

func init() { // in place: they are large
	for i := range pairsOfSextets {
		pair := uint16(alphabet[i>>6]) | uint16(alphabet[i&63])<<8
		pairsOfSextets[i], sextetsOfPairs[pair] = pair, uint16(i)|isPair
	}
}

// base64 reads a string into bytes. What has an escape or an error goes through the
// standard library.
func (d *decoder) base64(to xunsafe.Pointer, i int) int {
	start := i + 1
	n := max(bytes.IndexByte(d.view(start, d.n), '"'), 0)
	b := d.allocText(base64.StdEncoding.DecodedLen(n))
	m := d.quads(b, start, start+n)
	rest := d.view(start+m/3*4, start+n)
	more, err := base64.StdEncoding.Decode(b[m:], rest)
	if m += more; err == nil && n > 0 && !bytes.ContainsAny(rest, "\r\n") { // which that lets pass
		*xunsafe.Cast[[]byte](to) = b[:m:m]
		return start + n + 1
	}
	s, end := d.str(i) // in which what comes before a character that is none is not longer
	m, err = base64.StdEncoding.Decode(b, xunsafe.ViewBytes(s))
	if err != nil {
		d.note(err)
		return end
	}
	*xunsafe.Cast[[]byte](to) = b[:m:m]
	return end
}

// quads reads the characters from i to end into b, eight at a time while they are of the
// alphabet and there is room for a word, and returns how many bytes they are.
func (d *decoder) quads(b []byte, i, end int) int {
	const many = 4096                  // characters, for which the larger table pays
	end = min(end-7, i+(len(b)-2)/6*8) // of a word's bytes two are none
	begin := xunsafe.DataOf(b)
	w := begin
	if end-i >= many {
		i, w = d.pairs(w, i, end-8)
	}
	for ; i < end; i += 8 { // one by one: the processor loads bytes faster than it cuts up words
		x := sextets[0][d.at(i)] | sextets[1][d.at(i+1)] | sextets[2][d.at(i+2)] | sextets[3][d.at(i+3)]
		y := sextets[0][d.at(i+4)] | sextets[1][d.at(i+5)] | sextets[2][d.at(i+6)] | sextets[3][d.at(i+7)]
		if (x|y)>>24 != 0 {
			break
		}
		put64(w, bits.ReverseBytes64(uint64(x)<<40|uint64(y)<<16))
		w = xunsafe.Add(w, 6)
	}
	return int(xunsafe.Offset(begin, w))
}

// pairs is quads for those below end, sixteen at a time, at w.
func (d *decoder) pairs(w xunsafe.Pointer, i, end int) (int, xunsafe.Pointer) {
	for ; i < end; i += 16 {
		c := d.block(i)
		x0, x1, x2, x3 := twelve(c[0], c[1]), twelve(c[2], c[3]), twelve(c[4], c[5]), twelve(c[6], c[7])
		y0, y1, y2, y3 := twelve(c[8], c[9]), twelve(c[10], c[11]), twelve(c[12], c[13]), twelve(c[14], c[15])
		if x0&x1&x2&x3&y0&y1&y2&y3&isPair == 0 {
			break
		}
		const marks = isPair<<40 | isPair<<28 | isPair<<16 // that of the first one is shifted out
		put64(w, bits.ReverseBytes64((x0<<12^x1)<<40^(x2<<12^x3)<<16^marks))
		put64(xunsafe.Add(w, 6), bits.ReverseBytes64((y0<<12^y1)<<40^(y2<<12^y3)<<16^marks))
		w = xunsafe.Add(w, 12)
	}
	return i, w
}

// twelve is what sextetsOfPairs has for two characters.
func twelve(c, d byte) uint64 { return uint64(sextetsOfPairs[uint16(c)|uint16(d)<<8]) }

// putBase64 writes s, and returns where the next byte goes.
func putBase64(w xunsafe.Pointer, s []byte) xunsafe.Pointer {
	for len(s) >= 8 {
		x := binary.BigEndian.Uint64(s)
		put64(w, uint64(pairsOfSextets[x>>52])|uint64(pairsOfSextets[x>>40&0xfff])<<16|
			uint64(pairsOfSextets[x>>28&0xfff])<<32|uint64(pairsOfSextets[x>>16&0xfff])<<48)
		w = xunsafe.Add(w, 8)
		s = s[6:]
	}
	n := base64.StdEncoding.EncodedLen(len(s))
	base64.StdEncoding.Encode(bytesAt(w, n)[:n], s)
	return xunsafe.Add(w, uintptr(n))
}
