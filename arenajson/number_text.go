package arenajson

import (
	"math"
	"reflect"
	"strconv"
)

// Numbers of which there is the text: in strings, as names, and where the fast paths of
// number.go don't reach. What is no number of the type makes no error here, which package
// strconv would, of the heap, for each that a document has.

// setNumber sets v, of a kind of numbers, to what strconv takes s for, and reports
// whether it is one.
func setNumber(v reflect.Value, s string) bool {
	switch {
	case v.CanInt():
		x, ok := parseInt(s)
		if !ok || v.OverflowInt(x) {
			return false
		}
		v.SetInt(x)
	case v.CanUint():
		x, ok := parseUint(s)
		if !ok || v.OverflowUint(x) {
			return false
		}
		v.SetUint(x)
	default:
		x, ok := parseFloat(s, v.Type().Bits())
		if !ok {
			return false
		}
		v.SetFloat(x)
	}
	return true
}

// parseInt is strconv.ParseInt of base 10.
func parseInt(s string) (int64, bool) {
	negative := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		negative, s = s[0] == '-', s[1:]
	}
	u, ok := parseUint(s)
	if negative {
		return -int64(u), ok && u <= -math.MinInt64
	}
	return int64(u), ok && u <= math.MaxInt64
}

// parseUint is strconv.ParseUint of base 10.
func parseUint(s string) (u uint64, ok bool) {
	for i := range len(s) {
		c := uint64(s[i] - '0')
		if c > 9 || u > math.MaxUint64/10 || u*10 > math.MaxUint64-c {
			return 0, false
		}
		u = u*10 + c
	}
	return u, s != ""
}

// parseFloat is strconv.ParseFloat. It makes errors for what no JSON has, in a member with
// ,string, and for what is longer than mostDigits.
func parseFloat(s string, bits int) (float64, bool) {
	if len(s) <= mostDigits && isNumber(s) && overflows(s, bits) {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, bits)
	return f, err == nil
}

// mostDigits is how many digits strconv looks at. Of a whole number that has more, and an
// exponent, it may forget how many they are, up to Go 1.26, and so does encoding/json.
const mostDigits = 800

// What is half a unit above the largest float of a size, and all beyond it, is rounded to
// infinity: 2^128 - 2^103 and 2^1024 - 2^970.
const (
	tooLarge32 = "340282356779733661637539395458142568448"
	tooLarge64 = "17976931348623158079372897140530341507993413271003782693617377898044496829276475" +
		"09466490179775872070963302864166928879109465555478519404026306574886715058206819" +
		"08902000708383676273854845817711531764475730270069855571366959622842914819860834" +
		"936475292719074168444365510704342711559699508093042880177904174497792"
)

// overflows reports whether s, a number of JSON, is too large for a float of so many bits.
func overflows(s string, bits int) bool {
	least := tooLarge64
	if bits == 32 {
		least = tooLarge32
	}
	// Its digits, from the first one that is not zero on, and how many of them the whole
	// number has.
	i, whole, e := 0, 0, 0
	first, point, end := -1, -1, len(s)
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c == '.':
			point = i
		case c|0x20 == 'e':
			end = i
			e = exponentOf(s[i+1:])
			i = len(s)
		case first < 0 && '1' <= c && c <= '9':
			first = i
		}
	}
	if first < 0 {
		return false
	}
	switch {
	case point < 0:
		whole = end - first
	case first < point:
		whole = point - first
	default:
		whole = point + 1 - first // zeros behind the point
	}
	if whole += e; whole != len(least) {
		return whole > len(least)
	}
	for k := range len(least) {
		if first == point {
			first++
		}
		c := byte('0')
		if first < end {
			c = s[first]
		}
		if c != least[k] {
			return c > least[k]
		}
		first++
	}
	return true
}

// exponentOf is the exponent that s is, as strconv reads it.
func exponentOf(s string) int {
	negative := s[0] == '-'
	if negative || s[0] == '+' {
		s = s[1:]
	}
	e := 0
	for i := range len(s) {
		if e < 10_000 {
			e = e*10 + int(s[i]-'0')
		}
	}
	if negative {
		return -e
	}
	return e
}

// isNumber reports whether s is a number of JSON, RFC 8259 section 6.
func isNumber(s string) bool {
	n, end := atStart.over(s, 0)
	return end == len(s) && n.mayEnd()
}

// inNumber is where in a number a text is. The validator's number is faster, but can't stop
// at the end of a text that has no zeros behind it, nor go on in the next piece of a stream.
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

// over goes on in s from i on, to where the number does not.
func (n inNumber) over(s string, i int) (inNumber, int) {
	for ; i < len(s); i++ {
		next := numberSteps[n&15][s[i]]
		if next == atStart {
			break
		}
		n = next
	}
	return n, i
}

// numberSteps has where each byte leads from each place; atStart where the number does not go on.
var numberSteps = func() (steps [16][256]inNumber) {
	step := func(to inNumber, by string, from ...inNumber) {
		for _, n := range from {
			for _, c := range []byte(by) {
				steps[n][c] = to
			}
		}
	}
	const digits = "0123456789"
	step(atSign, "-", atStart)
	step(inWhole, digits, atStart, atSign, inWhole)
	step(atZero, "0", atStart, atSign)
	step(atPoint, ".", atZero, inWhole)
	step(inRest, digits, atPoint, inRest)
	step(atE, "eE", atZero, inWhole, inRest)
	step(atESign, "+-", atE)
	step(inPower, digits, atE, atESign, inPower)
	return
}()
