package arenajson

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"math/bits"
	"strings"
)

// search finds where a document ends, in text that comes in pieces. It counts brackets
// and looks for the ends of strings, and stops where the document can't be JSON any
// more as soon as it sees that: who then reads the document finds the same.
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
	for {
		if s.quoted {
			if end := s.string(b); s.quoted || s.depth == 0 {
				return end
			}
		}
		if end := s.brackets(b); !s.quoted {
			return end
		}
	}
}

// word finds the end of one of the three words.
func (s *search) word(b []byte, word string) int {
	for k := range len(word) {
		if s.i+k == len(b) {
			return -1
		}
		if b[s.i+k] != word[k] {
			return s.i + k + 1
		}
	}
	return s.i + len(word)
}

// Where in a number a search is. Behind those that are marked it may end.
type inNumber uint8

const (
	atStart inNumber = iota
	atSign
	atZero  // may end
	inWhole // may end
	atPoint
	inRest // may end
	atE
	atESign
	inPower // may end
)

func (n inNumber) mayEnd() bool { return n == atZero || n == inWhole || n == inRest || n == inPower }

// after is where the number is behind c; atStart where it does not go on.
func (n inNumber) after(c byte) inNumber {
	digit := c-'0' <= 9
	switch {
	case n == atStart && c == '-':
		return atSign
	case n <= atSign && c == '0':
		return atZero
	case (n <= atSign || n == inWhole) && digit:
		return inWhole
	case (n == atZero || n == inWhole) && c == '.':
		return atPoint
	case (n == atPoint || n == inRest) && digit:
		return inRest
	case (n == atZero || n == inWhole || n == inRest) && c|0x20 == 'e':
		return atE
	case n == atE && (c == '+' || c == '-'):
		return atESign
	case (n == atE || n == atESign || n == inPower) && digit:
		return inPower
	}
	return atStart
}

// goOn goes on in a number, which ends where something else begins.
func (s *search) goOn(b []byte) int {
	for ; s.i < len(b); s.i++ {
		next := s.number.after(b[s.i])
		if next == atStart {
			if s.number.mayEnd() {
				return s.i
			}
			return s.i + 1 // which is an error
		}
		s.number = next
	}
	return -1
}

// string goes on within a string. At its end quoted is false, or it is a document.
func (s *search) string(b []byte) int {
	for s.i < len(b) {
		if s.i+8 <= len(b) {
			m := special(binary.LittleEndian.Uint64(b[s.i:]))
			if m == 0 {
				s.i += 8
				continue
			}
			s.i += bits.TrailingZeros64(m) / 8
		}
		switch c := b[s.i]; {
		case c == '"':
			s.i++
			s.quoted = false
			return s.i
		case c == '\\':
			if s.i+1 == len(b) {
				return -1
			}
			s.i += 2
		case c < ' ':
			return s.i + 1 // which is an error
		default:
			s.i++
		}
	}
	return -1
}

// brackets goes on outside of strings, up to the end of the document or a string.
func (s *search) brackets(b []byte) int {
	for s.i < len(b) {
		if s.i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[s.i:])
			brackets := w | 0x20*ones // [ and { differ in that bit only, so do ] and }
			m := zeroBytes(w^'"'*ones) | zeroBytes(brackets^'{'*ones) | zeroBytes(brackets^'}'*ones)
			if m == 0 {
				s.i += 8
				continue
			}
			s.i += bits.TrailingZeros64(m) / 8
		}
		c := b[s.i]
		s.i++
		switch c {
		case '"':
			s.quoted = true
			return -1
		case '{', '[':
			if s.depth++; s.depth > maxNesting {
				return s.i // which is an error
			}
		case '}', ']':
			if s.depth--; s.depth == 0 {
				return s.i
			}
		}
	}
	return -1
}

// zeroBytes has the top bit of each byte of w set that is zero. Only the lowest one
// can be relied on.
func zeroBytes(w uint64) uint64 { return (w - ones) &^ w & tops }

// ends is for a document behind which there is nothing but err: where it ends, or what
// is wrong.
func (s *search) ends(b []byte, err error) (int, error) {
	i := 0
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	if i == len(b) {
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

// textOfTruncated is what encoding/json says of no text at all.
var textOfTruncated = notJSON(nil).Error()
