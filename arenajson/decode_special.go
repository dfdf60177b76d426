package arenajson

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"time"
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
		x := *as[time.Time](to)
		if err := x.UnmarshalJSON(d.view(i, end)); err != nil {
			panic(trouble{at: i, err: err})
		}
		*as[time.Time](to) = x
		return end
	case readBytes:
		if d.at(i) == '"' {
			return d.base64(p, to, i)
		}
		return d.slice(p, to, i)
	case readJSON:
		end := d.skip(i)
		err := d.outside(func() error {
			return reflect.NewAt(p.typ, to).Interface().(json.Unmarshaler).UnmarshalJSON(d.view(i, end))
		})
		if err != nil {
			panic(trouble{at: i, err: err})
		}
		return end
	case readNoMap:
		return d.noMap(p, to, i)
	case readText:
		return d.textOf(p, to, i)
	}
	return d.other(p, to, i)
}

func (d *decoder) jsonNumber(p *plan, to pointer, i int) int {
	switch c := d.at(i); {
	case c == '"':
		s, end := d.str(i)
		if !isNumber(s) {
			d.mismatch(i, p)
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

// textOf has an encoding.TextUnmarshaler read a string.
func (d *decoder) textOf(p *plan, to pointer, i int) int {
	if d.at(i) != '"' {
		end := d.null(p, to, i)
		switch p.typ.Kind() {
		case reflect.Map, reflect.Slice:
			valueAt(p.typ, to).SetZero()
		}
		return end
	}
	s, end := d.str(i)
	err := d.outside(func() error {
		return reflect.NewAt(p.typ, to).Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(s))
	})
	if err != nil {
		panic(trouble{at: i, err: err})
	}
	return end
}

// noMap is an error for an arena.Map that can't be read: encoding/json would take it for
// a struct without members, and drop what the document has. null is none.
func (d *decoder) noMap(p *plan, to pointer, i int) int {
	if d.at(i) != 'n' {
		d.mismatch(i, p)
	}
	i = d.null(p, to, i)
	if p.typ.Kind() == reflect.Pointer {
		*as[pointer](to) = nil
	}
	return i
}

// base64 reads a string into bytes.
func (d *decoder) base64(p *plan, to pointer, i int) int {
	s, end := d.str(i)
	b := d.bytes(base64.StdEncoding.DecodedLen(len(s)))
	n, err := base64.StdEncoding.Decode(b, viewBytes(s))
	if err != nil {
		panic(trouble{at: i, err: err})
	}
	*as[[]byte](to) = b[:n:n]
	return end
}

// quoted reads the value of a member with ,string: a scalar within a string, or null.
func (d *decoder) quoted(p *plan, to pointer, i int) int {
	if d.at(i) == 'n' {
		return d.null(p, to, i)
	}
	if d.at(i) != '"' {
		d.mismatch(i, p)
	}
	s, end := d.str(i)
	b := d.bytes(len(s) + docSlack)
	clear(b[copy(b, s):])
	inner := *d
	inner.base, inner.n = dataOf(b), len(s)
	if c := inner.at(0); c == 'n' || c == '{' || c == '[' || inner.skip(0) != len(s) {
		d.mismatch(i, p) // before anything is written
	}
	inner.value(p, to, 0)
	return end
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
