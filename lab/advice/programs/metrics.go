package programs

import "bytes"

// line is what is left of a line of metrics in the text exposition format.
type line struct{ rest []byte }

// word takes what stands before the next space, or all.
func (l *line) word() []byte {
	w, rest, _ := bytes.Cut(l.rest, []byte(" "))
	l.rest = rest
	return w
}

// name takes a metric's or label's name.
func (l *line) name() []byte {
	n := 0
	for n < len(l.rest) && (isLetter(l.rest[n]) || isDigit(l.rest[n]) || l.rest[n] == ':') {
		n++
	}
	name := l.rest[:n]
	l.rest = l.rest[n:]
	return name
}

func (l *line) take(c byte) bool {
	if len(l.rest) == 0 || l.rest[0] != c {
		return false
	}
	l.rest = l.rest[1:]
	return true
}

// quoted takes a value in quotation marks, which may have escapes.
func (l *line) quoted() (value []byte, escaped, ok bool) {
	if !l.take('"') {
		return nil, false, false
	}
	for i := 0; i < len(l.rest); i++ {
		switch l.rest[i] {
		case '\\':
			escaped = true
			i++
		case '"':
			value = l.rest[:i]
			l.rest = l.rest[i+1:]
			return value, escaped, true
		}
	}
	return nil, false, false
}
