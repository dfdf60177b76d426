package arenajson

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/bits"

	"github.com/ebbpool/arena/internal/xunsafe"
)

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

// compact is compacted, and reports whether doc is a document.
func (e *encoder) compact(w xunsafe.Pointer, doc []byte) (xunsafe.Pointer, bool) {
	c := compaction{e: e, s: xunsafe.ViewString(doc), w: e.reserve(w, len(doc)+8), open: e.inner[:0]}
	ok := c.value()
	e.inner = c.open
	return c.w, ok
}

// compaction is a document that is being checked and written, by the grammar of
// RFC 8259.
type compaction struct {
	e    *encoder
	s    string
	i    int             // what of s was read
	w    xunsafe.Pointer // there are bytes reserved for the rest of s, and 8 bytes
	open []byte          // which objects and arrays are open
}

// next skips spaces, and returns the character behind them, 0 at the end.
func (c *compaction) next() byte {
	for ; c.i < len(c.s); c.i++ {
		if b := c.s[c.i]; b > ' ' || b != ' ' && b != '\n' && b != '\r' && b != '\t' {
			return b
		}
	}
	return 0
}

// take writes a character that was read.
func (c *compaction) take(b byte) {
	c.w = put8(c.w, b)
	c.i++
}

// maxOpen is how deep encoding/json lets documents nest.
const maxOpen = 10000

// value writes a document, of which nothing has been read.
func (c *compaction) value() bool {
	for {
		b := c.next()
		switch b {
		case '{', '[':
			if len(c.open) == maxOpen {
				return false
			}
			c.take(b)
			if end := c.next(); end == b+2 { // '}' or ']'
				c.take(end)
				break
			}
			c.open = append(c.open, b+2)
			if b == '{' && !c.name() {
				return false
			}
			continue
		case '"':
			if !c.string() {
				return false
			}
		default:
			if !c.literal(b) {
				return false
			}
		}
		// A value has ended, and so may what it is in.
		for {
			b := c.next()
			if len(c.open) == 0 {
				return c.i == len(c.s)
			}
			end := c.open[len(c.open)-1]
			if b == ',' {
				if c.take(b); end == '}' && !c.name() {
					return false
				}
				break
			}
			if b != end {
				return false
			}
			c.take(b)
			c.open = c.open[:len(c.open)-1]
		}
	}
}

// name writes the name of a member, and the colon.
func (c *compaction) name() bool {
	if c.next() != '"' || !c.string() || c.next() != ':' {
		return false
	}
	c.take(':')
	return true
}

// literal writes what begins with b: a number, true, false or null.
func (c *compaction) literal(b byte) bool {
	word := ""
	switch b {
	case 't':
		word = "true"
	case 'f':
		word = "false"
	case 'n':
		word = "null"
	default:
		end := c.i
		for end < len(c.s) && isNumeric[c.s[end]] {
			end++
		}
		if word = c.s[c.i:end]; !isNumber(word) {
			return false
		}
	}
	if len(c.s)-c.i < len(word) || c.s[c.i:c.i+len(word)] != word {
		return false
	}
	c.w = putText(c.w, word)
	c.i += len(word)
	return true
}

// isNumeric says what numbers are made of.
var isNumeric = func() (table [256]bool) {
	for _, b := range "0123456789+-.eE" {
		table[b] = true
	}
	return
}()

// string writes the string that begins here, as it is but for what HTML escapes.
func (c *compaction) string() bool {
	c.take('"')
	m := c.e.marks
	for {
		s, i := c.s, c.i
		if len(s)-i >= 8 {
			x := xunsafe.Text64(s, i)
			put64(c.w, x)
			n := 8
			if found := m.find(x); found != 0 {
				n = bits.TrailingZeros64(found) / 8
			}
			c.w = xunsafe.Add(c.w, uintptr(n))
			if c.i += n; n == 8 {
				continue
			}
			i += n
		}
		if i == len(s) {
			return false
		}
		b := s[i]
		switch {
		case b < ' ':
			return false
		case b == '"':
			c.take(b)
			return true
		case b == '\\':
			n := escapeLength(s[i:])
			if n == 0 {
				return false
			}
			c.w = putText(c.w, s[i:i+n])
			c.i += n
		case c.e.html == 0:
			c.take(b)
		case b == '<', b == '>', b == '&':
			c.instead(escapes[b], 1)
		case b == 0xe2 && len(s)-i > 2 && s[i+1] == 0x80 && s[i+2]&^1 == 0xa8:
			c.instead(lineEnd|uint64(s[i+2]&1)<<40, 3)
		default:
			c.take(b)
		}
	}
}

// lineEnd is \u2028 as escapes has it.
const lineEnd = '\\' | 'u'<<8 | '2'<<16 | '0'<<24 | '2'<<32 | '8'<<40 | 6<<56

// instead writes an escape for the next n bytes.
func (c *compaction) instead(escape uint64, n int) {
	c.w = c.e.reserve(c.w, len(c.s)-c.i+longestEscape+8)
	put64(c.w, escape)
	c.w = xunsafe.Add(c.w, longestEscape)
	c.i += n
}

// escapeLength is how long the escape is that s begins with, 0 if it is none.
func escapeLength(s string) int {
	if len(s) < 2 {
		return 0
	}
	switch s[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(s) < 6 {
			return 0
		}
		for _, b := range []byte(s[2:6]) {
			if b-'0' > 9 && b|0x20-'a' > 5 {
				return 0
			}
		}
		return 6
	}
	return 0
}
