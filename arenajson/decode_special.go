package arenajson

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// special reads what is no plain value of Go: what has its own text.
func (d *decoder) special(p *plan, to pointer, i int) int {
	switch p.act {
	case readNumber:
		return d.jsonNumber(p, to, i)
	case readRaw:
		end := d.skip(i)
		*as[[]byte](to) = d.view(i, end)
		return end
	case readTime:
		end := d.skip(i)
		x := *as[time.Time](to) // a copy, which may escape
		err := x.UnmarshalJSON(d.view(i, end))
		if *as[time.Time](to) = x; err != nil {
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

// json has a json.Unmarshaler read what stands at i.
func (d *decoder) json(p *plan, to pointer, text []byte, i int) {
	err := d.outside(func() error {
		return reflect.NewAt(p.typ, to).Interface().(json.Unmarshaler).UnmarshalJSON(text)
	})
	if err != nil {
		d.stop(i, err)
	}
}

// fromText has an encoding.TextUnmarshaler read what the string at i says.
func (d *decoder) fromText(p *plan, to pointer, text string, i int) {
	err := d.outside(func() error {
		return reflect.NewAt(p.typ, to).Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
	})
	if err != nil {
		d.stop(i, err)
	}
}

func (d *decoder) jsonNumber(p *plan, to pointer, i int) int {
	switch c := d.at(i); {
	case c == '"':
		s, end := d.str(i)
		if !isNumber(s) {
			d.stop(i, badNumber(d.doc[i:end]))
		}
		*as[string](to) = s
		return end
	case c == '-' || c-'0' <= 9:
		end := d.number(i)
		*as[string](to) = d.text(i, end)
		return end
	}
	return d.null(p, to, i)
}

// badNumber is encoding/json's error for a string in a json.Number.
func badNumber(item []byte) error {
	return fmt.Errorf("json: invalid number literal, trying to unmarshal %q into Number", item)
}

// base64 reads a string into bytes.
func (d *decoder) base64(to pointer, i int) int {
	s, end := d.str(i)
	b := d.bytes(base64.StdEncoding.DecodedLen(len(s)))
	n, err := base64.StdEncoding.Decode(b, viewBytes(s))
	if err != nil {
		d.note(err)
		return end
	}
	*as[[]byte](to) = b[:n:n]
	return end
}

// quoted reads the value of a member with ,string: a scalar within a string, or null.
// encoding/json takes more there than JSON has: what strconv takes for numbers, and
// any text that begins as a number for a json.Number.
func (d *decoder) quoted(p *plan, to pointer, i int) int {
	c := d.at(i)
	if c == 'n' {
		if d.has(i, "null") && p.act == readJSON {
			return d.value(p, to, i) // which has a say about it
		}
		return d.null(p, to, i)
	}
	if c != '"' {
		if (c == '-' || c-'0' <= 9) && !d.numbers {
			if _, end := d.float(i); end < 0 {
				d.tooLarge(i)
			}
		}
		end := d.skip(i)
		d.note(fmt.Errorf("json: invalid use of ,string struct tag, trying to unmarshal unquoted value into %v", p.typ))
		return end
	}
	s, end := d.str(i)
	d.unquoted(p, to, s, i, end)
	return end
}

// unquoted reads s, what the string from i to end says, for a member with ,string.
func (d *decoder) unquoted(p *plan, to pointer, s string, i, end int) {
	slot := p.typ
	if s == "" {
		d.note(badQuote(s, slot))
		return
	}
	if p.act == readPointer {
		if s[0] == 'n' {
			if s != "null" {
				d.note(badQuote(s, slot))
				return
			}
			*as[pointer](to) = nil
			return
		}
		at := as[pointer](to)
		if *at == nil {
			*at = d.alloc(p.elem)
		}
		p, to = p.elem, *at
	}
	switch p.act {
	case readJSON:
		d.json(p, to, []byte(s), i)
		return
	case readText:
		switch {
		case s[0] == 'n':
			if s != "null" {
				d.note(badQuote(s, slot))
			}
		case s[0] != '"':
			d.note(badQuote(s, slot))
		default:
			text, ok := unquote(s)
			if !ok {
				d.stop(i, badQuote(s, slot))
			}
			d.fromText(p, to, text, i)
		}
		return
	}
	switch c := s[0]; {
	case c == 'n':
		if s != "null" {
			d.note(badQuote(s, p.typ))
		}
	case c == 't' || c == 'f':
		if s != "true" && s != "false" || p.act != readBool {
			d.note(badQuote(s, p.typ))
			return
		}
		*as[bool](to) = c == 't'
	case c == '"':
		text, ok := unquote(s)
		switch {
		case !ok:
			d.stop(i, badQuote(s, p.typ))
		case p.act == readNumber && !isNumber(text):
			d.stop(i, badNumber([]byte(s)))
		case p.act == readNumber || p.act == readString:
			*as[string](to) = text
		case d.wrong == nil:
			e := &json.UnmarshalTypeError{Value: "string", Type: p.typ, Offset: int64(end)}
			d.locate(e, i)
			d.wrong = e
		}
	case c != '-' && c-'0' > 9 || p.act == readBool || p.act == readString:
		d.stop(i, badQuote(s, p.typ))
	case p.act == readNumber:
		*as[string](to) = s
	default:
		if !setNumber(valueAt(p.typ, to), s) && d.wrong == nil {
			e := &json.UnmarshalTypeError{Value: "number " + s, Type: p.typ, Offset: int64(end)}
			d.locate(e, i)
			d.wrong = e
		}
	}
}

// unquote is the string that s, in quotes, stands for, and whether it is one:
// encoding/json knows \' here.
func unquote(s string) (string, bool) {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return "", false
	}
	in := s[1 : len(s)-1]
	if !strings.ContainsAny(in, "\\\"") && utf8.ValidString(in) && strings.IndexFunc(in, unicode.IsControl) < 0 {
		return in, true
	}
	for i := 0; i < len(in); i++ {
		if in[i] == '\\' {
			if i+1 < len(in) && in[i+1] == '\'' {
				in = in[:i] + in[i+1:]
			} else {
				i++
			}
		}
	}
	var text string
	err := json.Unmarshal([]byte(`"`+in+`"`), &text)
	return text, err == nil
}

// setNumber sets v, of a kind of numbers, to what strconv takes s for, and says whether
// it is one.
func setNumber(v reflect.Value, s string) bool {
	switch {
	case v.CanInt():
		x, err := strconv.ParseInt(s, 10, 64)
		if err != nil || v.OverflowInt(x) {
			return false
		}
		v.SetInt(x)
	case v.CanUint():
		x, err := strconv.ParseUint(s, 10, 64)
		if err != nil || v.OverflowUint(x) {
			return false
		}
		v.SetUint(x)
	default:
		x, err := strconv.ParseFloat(s, v.Type().Bits())
		if err != nil || v.OverflowFloat(x) {
			return false
		}
		v.SetFloat(x)
	}
	return true
}

// seenMembers are those members of an object that were met, by their index.
type seenMembers struct {
	few  uint64
	many []uint64
}

// add enters member i of n, and says whether it was there already.
func (s *seenMembers) add(i, n int) bool {
	w := &s.few
	if n > 64 {
		if s.many == nil {
			s.many = make([]uint64, n/64+1)
		}
		w = &s.many[i/64]
	}
	was := *w&(1<<(i%64)) != 0
	*w |= 1 << (i % 64)
	return was
}
