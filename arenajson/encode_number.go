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

// powersOfTen are those that fit a uint64.
var powersOfTen = func() (table [20]uint64) {
	for i, p := 0, uint64(1); i < len(table); i, p = i+1, p*10 {
		table[i] = p
	}
	return
}()

// digitsOf is how many decimal digits u has, 1 for 0.
func digitsOf(u uint64) int {
	n := bits.Len64(u) * 1233 >> 12 // log10(2) = 0.30103
	if n < len(powersOfTen) && u >= powersOfTen[n] {
		n++
	}
	return max(n, 1)
}

const zeros = '0' * ones

// eightDigits is u < 1e8 as eight digits from 0 to 9, a byte each, the first one
// lowest: the halves, quarters and eighths of the number side by side in a word.
func eightDigits(u uint64) uint64 {
	high := u / 10000
	w := high | (u-10000*high)<<32
	high = w * 10486 >> 20 & 0x7f_0000007f // by 100
	w = high | (w-100*high)<<16
	high = w * 103 >> 10 & 0xf_000f_000f_000f // by 10
	return high | (w-10*high)<<8
}

// appendUint writes u, and up to 7 bytes behind it. How long it is does not wait for
// its digits, so that what follows need not either.
func appendUint(b []byte, u uint64) []byte {
	if u < 10 {
		return append(b, byte('0'+u))
	}
	if u < 1e8 {
		n := digitsOf(u)
		put64(b, (eightDigits(u)|zeros)>>(uint(64-8*n)&63))
		return b[:len(b)+n]
	}
	high := u / 1e8
	if high < 100 {
		ten := high * 103 >> 10
		if high < 10 {
			b = append(b, byte('0'+high))
		} else {
			b = append(b, byte('0'+ten), byte('0'+high-10*ten))
		}
	} else {
		b = appendUint(b, high) // 8 digits less
	}
	put64(b, eightDigits(u-high*1e8)|zeros)
	return b[:len(b)+8]
}

// What follows writes floats as encoding/json does: the fewest digits that are read
// as f again, with an exponent where it is below 1e-6 or from 1e21 on.

func appendFloat64(b []byte, f float64, n *node, p pointer) []byte {
	abs := math.Abs(f)
	if abs < 1<<53 {
		if i := int64(f); float64(i) == f && i != 0 {
			return appendInt(b, i)
		}
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
