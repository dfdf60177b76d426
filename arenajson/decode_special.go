package arenajson

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf16"
	"unicode/utf8"

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

// unquote returns what s stands for, the text of a string of JSON with its quotes, and whether
// it is one, which s, read from another string, may not be. It lies in s or in the arena.
func (d *decoder) unquote(s string) (string, bool) {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return "", false
	}
	s = s[1 : len(s)-1]
	plain := 0
	for plain < len(s) && s[plain] != '\\' {
		if s[plain] == '"' || s[plain] < ' ' {
			return "", false
		}
		plain++
	}
	if plain == len(s) {
		return s, true
	}
	b, ok := appendUnquoted(d.bytes(len(s))[:0], s)
	return xunsafe.ViewString(b), ok
}

// appendUnquoted appends to b what s stands for, the text of a string of JSON without its
// quotes, and reports whether it is one. It gets no longer.
func appendUnquoted(b []byte, s string) ([]byte, bool) {
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '"' || c < ' ':
			return nil, false
		case c != '\\':
			b = append(b, c)
			i++
		default:
			var r rune
			if r, i = unescape(s, i); i < 0 {
				return nil, false
			}
			b = utf8.AppendRune(b, r)
		}
	}
	return b, true
}

// unescape returns what the escape at i of s stands for, with \' among them, as encoding/json
// has it within a string in a string, and where it ends; less than 0 where it is none.
func unescape(s string, i int) (rune, int) {
	if i+1 == len(s) {
		return 0, -1
	}
	switch c := s[i+1]; c {
	case '"', '\\', '/', '\'':
		return rune(c), i + 2
	case 'b':
		return '\b', i + 2
	case 'f':
		return '\f', i + 2
	case 'n':
		return '\n', i + 2
	case 'r':
		return '\r', i + 2
	case 't':
		return '\t', i + 2
	case 'u':
		r := codeUnit(s[i+1:])
		if r < 0 {
			return 0, -1
		}
		if i += 6; utf16.IsSurrogate(r) {
			if i < len(s) && s[i] == '\\' {
				if r = utf16.DecodeRune(r, codeUnit(s[i+1:])); r != utf8.RuneError {
					return r, i + 6
				}
			}
			return utf8.RuneError, i
		}
		return r, i
	}
	return 0, -1
}

// codeUnit is the number that s begins with, a u and four hexadecimal digits; negative
// where it does not.
func codeUnit(s string) rune {
	if len(s) < 5 || s[0] != 'u' {
		return -1
	}
	return rune(hexDigits[s[1]])<<12 | rune(hexDigits[s[2]])<<8 | rune(hexDigits[s[3]])<<4 | rune(hexDigits[s[4]])
}
