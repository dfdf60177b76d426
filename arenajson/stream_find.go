package arenajson

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"math/bits"
	"strings"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// search finds where a document ends, in text that comes in pieces. It counts brackets
// and looks for the ends of strings, and stops where the document can't be JSON any
// more as soon as it sees that: who then reads the document finds the same. It is not the
// validator, which can't stop where a piece ends and go on in the next one.
type search struct {
	i      int // how far the text was looked at
	depth  int
	quoted bool
	number inNumber
}

// find looks at more of the document, which it is given from its beginning, and
// returns where it ends, or -1 if it goes on.
func (s *search) find(b []byte) int {
	if s.number != atStart {
		return s.goOn(b)
	}
	if s.depth == 0 && !s.quoted {
		for s.i < len(b) && isSpace(b[s.i]) {
			s.i++
		}
		if s.i == len(b) {
			return -1
		}
		switch b[s.i] {
		case '{', '[':
			s.depth = 1
		case '"':
			s.quoted = true
		case 't':
			return s.word(b, "true")
		case 'f':
			return s.word(b, "false")
		case 'n':
			return s.word(b, "null")
		default:
			return s.goOn(b)
		}
		s.i++
	}
	return s.nested(b)
}

// word finds the end of one of the three words.
func (s *search) word(b []byte, word string) int {
	for k := range len(word) {
		if s.i+k == len(b) {
			return -1
		}
		if b[s.i+k] != word[k] {
			return s.i + k + 1 // which is an error
		}
	}
	return s.i + len(word)
}

// goOn goes on in a number, which ends where something else begins.
func (s *search) goOn(b []byte) int {
	s.number, s.i = s.number.over(xunsafe.ViewString(b), s.i)
	switch {
	case s.i == len(b):
		return -1
	case s.number.mayEnd():
		return s.i
	}
	return s.i + 1 // which is an error
}

// nested goes on within a string, an array or an object.
func (s *search) nested(b []byte) (end int) {
	i, depth, quoted := s.i, s.depth, s.quoted
	for end = -1; end < 0 && i < len(b); {
		if i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[i:])
			m := special(w)
			if !quoted {
				brackets := w | 0x20*ones // [ and { differ in that bit only, so do ] and }
				m = zeroBytes(w^'"'*ones) | zeroBytes(brackets^'{'*ones) | zeroBytes(brackets^'}'*ones)
			}
			if m == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(m) / 8
		}
		c := b[i]
		i++
		switch {
		case c == '"':
			if quoted = !quoted; !quoted && depth == 0 {
				end = i
			}
		case quoted:
			if c < ' ' {
				end = i // which is an error
			} else if c == '\\' {
				i++
			}
		case c == '{' || c == '[':
			if depth++; depth > maxNesting {
				end = i // which is an error
			}
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				end = i
			}
		}
	}
	s.i, s.depth, s.quoted = i, depth, quoted
	return end
}

// ends is for a document behind which there is nothing but err: where it ends, or what
// is wrong.
func (s *search) ends(b []byte, err error) (int, error) {
	if len(bytes.TrimLeft(b, " \t\r\n")) == 0 {
		return 0, err
	}
	if err == io.EOF && s.number.mayEnd() {
		return len(b), nil
	}
	if e, ok := notJSON(b).(*json.SyntaxError); ok && !isTruncated(e, b) {
		return 0, e
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return 0, err
}

// isTruncated reports whether e is about a document that is good as far as it goes.
// encoding/json up to Go 1.26 looks at a space behind it, which it may not like.
func isTruncated(e *json.SyntaxError, b []byte) bool {
	text := e.Error()
	return text == textOfTruncated || e.Offset == int64(len(b)) && b[len(b)-1] != ' ' && strings.HasPrefix(text, "invalid character ' '")
}

// textOfTruncated is encoding/json's message for no text at all.
var textOfTruncated = notJSON(nil).Error()
