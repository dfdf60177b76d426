package workloads

import (
	"bytes"
	"errors"
	"time"
)

// ErrLine tells that a line is not in Combined Log Format.
var ErrLine = errors.New("workloads: not a Combined Log Format line")

// parseLine reads one line of Combined Log Format into l. It allocates only
// from m.
func parseLine(m Memory, l *Line, b []byte) error {
	s := scanner{rest: b}
	l.IP = m.Text(s.until(' '))
	l.Ident = m.Text(s.until(' '))
	l.Auth = m.Text(s.until(' '))
	s.expect('[')
	unix, ok := parseTime(s.until(']'))
	l.Unix = unix
	s.expect(' ')
	s.expect('"')
	l.Method = m.Text(s.until(' '))
	target := s.until(' ')
	if q := bytes.IndexByte(target, '?'); q >= 0 {
		l.Path, l.Query = m.Text(target[:q]), m.Text(target[q+1:])
	} else {
		l.Path = m.Text(target)
	}
	l.Proto = m.Text(s.until('"'))
	s.expect(' ')
	status, okStatus := parseInt(s.until(' '))
	size, okSize := parseInt(s.until(' '))
	l.Status, l.Bytes = status, size
	s.expect('"')
	l.Referer = m.Text(s.until('"'))
	s.expect(' ')
	s.expect('"')
	l.Agent = m.Text(s.until('"'))
	if s.bad || !ok || !okStatus || !okSize || len(s.rest) != 0 {
		return ErrLine
	}
	return nil
}

// scanner cuts tokens off a line; a missing delimiter sets bad once and for
// all, so that the caller asks only at the end.
type scanner struct {
	rest []byte
	bad  bool
}

func (s *scanner) until(delim byte) []byte {
	i := bytes.IndexByte(s.rest, delim)
	if i < 0 {
		s.bad = true
		return nil
	}
	tok := s.rest[:i]
	s.rest = s.rest[i+1:]
	return tok
}

func (s *scanner) expect(c byte) {
	if len(s.rest) == 0 || s.rest[0] != c {
		s.bad = true
		return
	}
	s.rest = s.rest[1:]
}

// parseInt reads a decimal number; "-" is 0, as the log format writes it.
func parseInt(b []byte) (int64, bool) {
	if len(b) == 1 && b[0] == '-' {
		return 0, true
	}
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	var n int64
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// parseTime reads "02/Jan/2006:15:04:05 -0700" as Unix seconds. time.Parse
// would do, but it allocates a *time.Location for every zone that is not the
// local one: garbage that no subject can help.
func parseTime(b []byte) (int64, bool) {
	if len(b) != 26 || b[2] != '/' || b[6] != '/' || b[11] != ':' ||
		b[14] != ':' || b[17] != ':' || b[20] != ' ' {
		return 0, false
	}
	num := func(from, to int) int {
		n, ok := parseInt(b[from:to])
		if !ok || b[from] == '-' {
			return -1
		}
		return int(n)
	}
	month := bytes.Index(months, b[3:6])
	day, year := num(0, 2), num(7, 11)
	hour, minute, sec := num(12, 14), num(15, 17), num(18, 20)
	zh, zm := num(22, 24), num(24, 26)
	if month < 0 || month%3 != 0 || min(day, year, hour, minute, sec, zh, zm) < 0 {
		return 0, false
	}
	offset := int64(zh*3600 + zm*60)
	switch b[21] {
	case '+':
	case '-':
		offset = -offset
	default:
		return 0, false
	}
	t := time.Date(year, time.Month(month/3+1), day, hour, minute, sec, 0, time.UTC)
	return t.Unix() - offset, true
}

var months = []byte("JanFebMarAprMayJunJulAugSepOctNovDec")

// parseQuery appends the parameters of a query such as "a=1&b=2" to s. The
// generator's queries need no percent-decoding, so that keys and values are
// substrings of the query and cost no memory but their headers.
func parseQuery(m Memory, s []Field, query string) []Field {
	for len(query) > 0 {
		var pair string
		pair, query = cut(query, '&')
		key, value := cut(pair, '=')
		s = m.AppendField(s, Field{key, value})
	}
	return s
}

func cut(s string, sep byte) (before, after string) {
	for i := range len(s) {
		if s[i] == sep {
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}
