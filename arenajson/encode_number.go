package arenajson

import (
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"strconv"
)

// The functions below write where there is numberRoom.

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, "true"...)
	}
	return append(b, "false"...)
}

func appendInt(b []byte, i int64) []byte {
	if i < 0 {
		return appendUint(append(b, '-'), -uint64(i))
	}
	return appendUint(b, uint64(i))
}

// pairs are the numbers from 0 to 99, in two digits each.
const pairs = "0001020304050607080910111213141516171819" +
	"2021222324252627282930313233343536373839" +
	"4041424344454647484950515253545556575859" +
	"6061626364656667686970717273747576777879" +
	"8081828384858687888990919293949596979899"

// powersOfTen are those that fit a uint64.
var powersOfTen = func() (table [20]uint64) {
	for i, p := 0, uint64(1); i < len(table); i, p = i+1, p*10 {
		table[i] = p
	}
	return
}()

// digits is how many decimal digits u has, 1 for 0.
func digits(u uint64) int {
	n := bits.Len64(u) * 1233 >> 12 // log10(2) = 0.30103
	if n < len(powersOfTen) && u >= powersOfTen[n] {
		n++
	}
	return max(n, 1)
}

func appendUint(b []byte, u uint64) []byte {
	if u < 10 {
		return append(b, byte('0'+u))
	}
	n := digits(u)
	at := len(b)
	b = b[:at+n]
	d := b[at:]
	for u >= 100 {
		q := u / 100
		r := (u - 100*q) * 2
		u = q
		n -= 2
		d[n], d[n+1] = pairs[r], pairs[r+1]
	}
	if u >= 10 {
		d[0], d[1] = pairs[2*u], pairs[2*u+1]
	} else {
		d[0] = byte('0' + u)
	}
	return b
}

// What follows writes floats as encoding/json does: the fewest digits that are read
// as f again, with an exponent where it is below 1e-6 or from 1e21 on.

func appendFloat64(b []byte, f float64, n *node, p pointer) []byte {
	abs := math.Abs(f)
	if abs < 1<<53 && f == math.Trunc(f) && f != 0 {
		return appendInt(b, int64(f))
	}
	if !(abs <= math.MaxFloat64) {
		panic(unsupportedFloat(f, 64, n, p))
	}
	if math.Signbit(f) {
		b = append(b, '-')
	}
	if abs == 0 {
		return append(b, '0')
	}
	return appendDecimal(b, abs)
}

func appendFloat32(b []byte, f float32, n *node, p pointer) []byte {
	abs := math.Abs(float64(f))
	if !(abs <= math.MaxFloat32) {
		panic(unsupportedFloat(float64(f), 32, n, p))
	}
	if abs != 0 && (float32(abs) < 1e-6 || float32(abs) >= 1e21) {
		return shortExponent(strconv.AppendFloat(b, float64(f), 'e', -1, 32))
	}
	return strconv.AppendFloat(b, float64(f), 'f', -1, 32)
}

// shortExponent makes e-9 of e-09.
func shortExponent(b []byte) []byte {
	if n := len(b); b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' {
		b[n-2] = b[n-1]
		b = b[:n-1]
	}
	return b
}

func unsupportedFloat(f float64, size int, n *node, p pointer) failure {
	return failure{&json.UnsupportedValueError{Value: valueAt(n.typ, p), Str: strconv.FormatFloat(f, 'g', -1, size)}}
}

// mustBeNumber is what json.Number s is written as: 0 if it is empty.
func mustBeNumber(s string) string {
	if s == "" {
		return "0"
	}
	if !isNumber(s) {
		panic(failure{fmt.Errorf("json: invalid number literal %q", s)})
	}
	return s
}

// isNumber says whether s is a number of JSON, RFC 8259 section 6.
func isNumber(s string) bool {
	some := func() bool { // takes digits
		n := 0
		for n < len(s) && s[n]-'0' <= 9 {
			n++
		}
		s = s[n:]
		return n > 0
	}
	if s != "" && s[0] == '-' {
		s = s[1:]
	}
	if s != "" && s[0] == '0' {
		s = s[1:]
	} else if !some() {
		return false
	}
	if s != "" && s[0] == '.' {
		if s = s[1:]; !some() {
			return false
		}
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		if s = s[1:]; s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		if !some() {
			return false
		}
	}
	return s == ""
}
