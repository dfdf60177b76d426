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

// Values with a text form of their own: numbers, times, bytes in base64, types with methods, types that are
// delegated to encoding/json, and members with ,string.

// decodeOther decodes values of the operations that value does not handle.
func (d *decoder) decodeOther(p *decProgram, to xunsafe.Pointer, i int) int {
	switch p.op {
	case readNumber:
		switch c := d.at(i); {
		case c == '"':
			s, end := d.str(i)
			if !isNumber(s) {
				d.stop(i, badNumber(d.doc[i:end]))
			}
			*xunsafe.Cast[string](to) = d.keep(s)
			return end
		case c == '-' || c-'0' <= 9:
			end := d.number(i)
			*xunsafe.Cast[string](to) = d.keep(d.text(i, end))
			return end
		}
	case readRaw:
		end := d.skip(i)
		*xunsafe.Cast[[]byte](to) = d.view(i, end)
		if d.a == nil {
			*xunsafe.Cast[[]byte](to) = bytes.Clone(d.view(i, end))
		}
		return end
	case readTime:
		end := d.skip(i)
		text := d.view(i, end)
		if onV2 && text[0] == '"' && bytes.IndexByte(text, '\\') >= 0 {
			s, _ := d.str(i) // v2 decodes escapes first
			text = []byte(`"` + s + `"`)
		}
		x := *xunsafe.Cast[time.Time](to) // a copy, which may escape
		err := x.UnmarshalJSON(text)
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
	case readQuoted:
		return d.quotedNumber(p, to, i)
	case readJSON, readStandard, readFunc:
		end := d.skip(i)
		d.callMethod(p.op, p, to, d.view(i, end), i)
		return end
	case readText:
		if d.at(i) == '"' {
			s, end := d.str(i)
			d.callMethod(readText, p, to, []byte(s), i)
			return end
		}
	}
	// Types that can't be decoded are an error. encoding/json would take an arena.Map for a struct without
	// fields, and drop its members.
	return d.decodeNull(p, to, i)
}

// callMethod decodes text, the value at i, into the variable at to: by UnmarshalJSON for readJSON,
// UnmarshalText for readText, an UnmarshalFunc for readFunc, and encoding/json for readStandard. Decoding
// continues after an error of encoding/json.
func (d *decoder) callMethod(op decOp, p *decProgram, to xunsafe.Pointer, text []byte, i int) {
	returned := false
	defer func() {
		if !returned {
			d.endSlices(i) // the method panicked or exited: what was decoded stays, as in encoding/json
		}
	}()
	d.leave()
	var err error
	switch op {
	case readJSON:
		err = p.address(to).(json.Unmarshaler).UnmarshalJSON(text)
	case readText:
		err = p.address(to).(encoding.TextUnmarshaler).UnmarshalText(text)
	case readFunc:
		if err = p.custom.read(d.a, text, to); err != nil {
			err = fmt.Errorf("arenajson: UnmarshalFunc for %v: %w", p.typ, err)
		}
	default:
		err = d.unmarshalStandard(text, p.address(to))
	}
	d.enter()
	returned = true
	if err != nil && op != readStandard {
		d.stop(i, err)
	}
	if err != nil && d.wrong == nil {
		if e, ok := err.(*json.UnmarshalTypeError); ok && e != nil {
			e.Offset += int64(i)
			d.locate(e, i)
		}
		d.wrong = err
	}
}

// quotedNumber decodes a number for StringifyNumbers: null, or a string that contains a JSON number.
func (d *decoder) quotedNumber(p *decProgram, to xunsafe.Pointer, i int) int {
	if d.at(i) != '"' {
		return d.decodeNull(p.elem, to, i)
	}
	s, end := d.str(i)
	switch {
	case isNumber(s) && p.elem.op == readNumber:
		*xunsafe.Cast[string](to) = d.keep(s)
	case !isNumber(s) || !setNumber(p.at(to), s):
		d.noteType("string", "", p.typ, i, end)
	}
	return end
}

// quoted decodes the value at i of a member with ,string: a scalar in a string, or null. encoding/json also
// accepts numbers as strconv does, and any text that begins like a number for a json.Number.
func (d *decoder) quoted(p *decProgram, to xunsafe.Pointer, i int) int {
	if onV2 && p.op == readPointer && (p.elem.op == readText || p.elem.op == readJSON) {
		end := d.value(p, to, i)
		if d.text(i, end) == `"null"` {
			*xunsafe.Cast[xunsafe.Pointer](to) = nil // after the method was called
		}
		return end
	}
	c := d.at(i)
	if c == 'n' {
		if d.has(i, "null") && p.op == readJSON {
			return d.value(p, to, i) // the method sees it
		}
		return d.decodeNull(p, to, i)
	}
	if c != '"' {
		if (c == '-' || c-'0' <= 9) && d.flags&useNumber == 0 {
			if _, end := d.float(i); end < 0 {
				end = d.tooLarge(i) // encoding/json then decodes null
				if p.op == readJSON {
					d.callMethod(readJSON, p, to, []byte("null"), i)
				} else {
					p.clear(to)
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

// unquoted decodes s, the string from i to end, for a member with ,string.
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
			*at = d.newValue(p.elem)
		}
		p, to = p.elem, *at
	}
	switch p.op {
	case readJSON:
		d.callMethod(readJSON, p, to, []byte(s), i)
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
			d.callMethod(readText, p, to, []byte(text), i)
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
			*xunsafe.Cast[string](to) = d.keep(text)
		default:
			d.noteType("string", "", p.typ, i, end)
		}
	case c != '-' && c-'0' > 9 || p.op == readBool || p.op == readString:
		d.stop(i, badQuote(s, p.typ))
	case p.op == readNumber:
		*xunsafe.Cast[string](to) = d.keep(s)
	default:
		if !setNumber(p.at(to), s) {
			d.noteType("number ", s, p.typ, i, end)
		}
	}
}

// setNumber sets v, of a numeric kind, to s as strconv parses it, and reports whether it is valid.
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

// badNumber returns encoding/json's error for a string in a json.Number.
func badNumber(item []byte) error {
	return fmt.Errorf("json: invalid number literal, trying to unmarshal %q into Number", item)
}

// Bytes in base64, for both directions. Tables convert four characters at a time, or sixteen of a long text,
// and the standard library the rest.

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// sextets[i] has the bits that a character adds to three bytes at place i of four, and a bit above those for
// other bytes.
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

// pairsOfSextets has the two characters for twelve bits, the first one lowest.
var pairsOfSextets [1 << 12]uint16

// sextetsOfPairs has the twelve bits for two characters, the first one lowest, with isPair if both are of the
// alphabet. It needs half as many loads as sextets, but 128 KB, which only pays for a long text.
var sextetsOfPairs [1 << 16]uint16

const isPair = 1 << 15

func init() { // in place, because they are large
	for i := range pairsOfSextets {
		pair := uint16(alphabet[i>>6]) | uint16(alphabet[i&63])<<8
		pairsOfSextets[i], sextetsOfPairs[pair] = pair, uint16(i)|isPair
	}
}

// base64 decodes the string at i into a []byte. The standard library decodes strings with escapes or errors.
func (d *decoder) base64(to xunsafe.Pointer, i int) int {
	start := i + 1
	n := max(bytes.IndexByte(d.view(start, d.n), '"'), 0)
	b := d.allocText(base64.StdEncoding.DecodedLen(n))
	m := d.quads(b, start, start+n)
	rest := d.view(start+m/3*4, start+n)
	more, err := base64.StdEncoding.Decode(b[m:], rest)
	if m += more; err == nil && n > 0 && !bytes.ContainsAny(rest, "\r\n") { // which it ignores
		*xunsafe.Cast[[]byte](to) = b[:m:m]
		return start + n + 1
	}
	s, end := d.str(i) // it is not longer up to the first character that is not base64
	m, err = base64.StdEncoding.Decode(b, xunsafe.ViewBytes(s))
	if err != nil {
		d.note(err)
		return end
	}
	*xunsafe.Cast[[]byte](to) = b[:m:m]
	return end
}

// quads decodes the characters from i to end into b, as far as they are of the alphabet and b has room for whole
// words. It returns the number of bytes.
func (d *decoder) quads(b []byte, i, end int) int {
	const many = 4096                  // characters, from which on the larger table pays
	end = min(end-7, i+(len(b)-2)/6*8) // six bytes of each word count
	begin := xunsafe.DataOf(b)
	w := begin
	if end-i >= many {
		i, w = d.pairs(w, i, end-8)
	}
	for ; i < end; i += 8 { // byte by byte, because loads are faster than shifts of a word
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

// pairs is quads for sixteen characters at a time, up to end. It writes to w.
func (d *decoder) pairs(w xunsafe.Pointer, i, end int) (int, xunsafe.Pointer) {
	for ; i < end; i += 16 {
		c := d.block(i)
		x0, x1, x2, x3 := twelve(c[0], c[1]), twelve(c[2], c[3]), twelve(c[4], c[5]), twelve(c[6], c[7])
		y0, y1, y2, y3 := twelve(c[8], c[9]), twelve(c[10], c[11]), twelve(c[12], c[13]), twelve(c[14], c[15])
		if x0&x1&x2&x3&y0&y1&y2&y3&isPair == 0 {
			break
		}
		const marks = isPair<<40 | isPair<<28 | isPair<<16 // the first mark is shifted out
		put64(w, bits.ReverseBytes64((x0<<12^x1)<<40^(x2<<12^x3)<<16^marks))
		put64(xunsafe.Add(w, 6), bits.ReverseBytes64((y0<<12^y1)<<40^(y2<<12^y3)<<16^marks))
		w = xunsafe.Add(w, 12)
	}
	return i, w
}

// twelve returns the entry of sextetsOfPairs for two characters.
func twelve(c, d byte) uint64 { return uint64(sextetsOfPairs[uint16(c)|uint16(d)<<8]) }

// putBase64 writes s at w, and returns the end.
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
