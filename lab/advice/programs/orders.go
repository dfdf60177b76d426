package programs

import (
	"strconv"
	"unicode/utf8"
)

// scanner cuts JSON into what a parser makes values of.
type scanner struct {
	data []byte
	at   int
	err  error
}

// peek is the next byte that is no space, 0 at the end and after an error.
func (s *scanner) peek() byte {
	for s.at < len(s.data) {
		switch c := s.data[s.at]; c {
		case ' ', '\n', '\t', '\r':
			s.at++
		default:
			return c
		}
	}
	return 0
}

func (s *scanner) fail(what string) {
	if s.err == nil {
		s.err = &SyntaxError{s.at, what}
	}
	s.at = len(s.data)
}

func (s *scanner) take(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.at++
	return true
}

func (s *scanner) expect(c byte, what string) {
	if !s.take(c) {
		s.fail(what)
	}
}

// quoted takes a text, with its escapes.
func (s *scanner) quoted() (text []byte, escaped bool) {
	s.expect('"', "a text is wanted")
	for i := s.at; i < len(s.data); i++ {
		switch s.data[i] {
		case '\\':
			escaped = true
			i++
		case '"':
			text = s.data[s.at:i]
			s.at = i + 1
			return text, escaped
		}
	}
	s.fail("a text has no end")
	return nil, false
}

// bare takes a number or a name.
func (s *scanner) bare() []byte {
	from := s.at
	for s.at < len(s.data) && (isLetter(s.data[s.at]) || isDigit(s.data[s.at]) || s.data[s.at] == '-' || s.data[s.at] == '.' || s.data[s.at] == '+') {
		s.at++
	}
	if s.at == from {
		s.fail("a value is wanted")
		return nil
	}
	return s.data[from:s.at]
}

// appendUnescaped appends a text without its escapes to dst.
func appendUnescaped(dst, text []byte) []byte {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c != '\\' || i+1 == len(text) {
			dst = append(dst, c)
			continue
		}
		i++
		switch c = text[i]; c {
		case 'n':
			c = '\n'
		case 't':
			c = '\t'
		case 'u':
			if i+5 <= len(text) {
				if n, err := strconv.ParseUint(string(text[i+1:i+5]), 16, 16); err == nil {
					dst = utf8.AppendRune(dst, rune(n))
					i += 4
					continue
				}
			}
		}
		dst = append(dst, c)
	}
	return dst
}

const notAnOrder = "an order with items is wanted"
