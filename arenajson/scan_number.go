package arenajson

import (
	"math"
	"math/bits"
	"strconv"
)

// Numbers. number only validates; whole and float also convert, eight digits at a time. A float of up to 19
// digits is exact integer arithmetic (Clinger, or Lemire's algorithm by toFloat); longFloat tries the same
// with the first 19 digits of a longer one, and strconv gets the few that these can't decide.

// number scans a number.
func (s *scanner) number(i int) int {
	if s.at(i) == '-' {
		i++
	}
	switch c := s.at(i); {
	case c == '0':
		i++
	case c-'1' < 9:
		for i++; s.at(i)-'0' <= 9; i++ {
		}
	default:
		s.fail()
	}
	if s.at(i) == '.' {
		i = s.digits(i + 1)
	}
	if s.at(i)|0x20 == 'e' {
		i++
		if c := s.at(i); c == '+' || c == '-' {
			i++
		}
		i = s.digits(i)
	}
	return i
}

// digits scans one or more digits.
func (s *scanner) digits(i int) int {
	if s.at(i)-'0' > 9 {
		s.fail()
	}
	w := s.word(i)
	for ; areDigits(w); w = s.word(i) {
		i += 8
	}
	return i + digitsIn(w)
}

// whole scans an integer without a sign. If it overflows a uint64, or is followed by a fraction or an
// exponent, the index that whole returns is negative.
func (s *scanner) whole(i int) (uint64, int) {
	w := s.word(i)
	c := byte(w) - '0'
	if c > 9 {
		s.fail()
	}
	from, u := i, uint64(c)
	if c == 0 {
		i++
	} else {
		u = 0
		for ; areDigits(w); w = s.word(i) {
			u = u*100_000_000 + valueOfDigits(w-zeros)
			i += 8
		}
		if byte(w)-'0' <= 9 {
			k := digitsIn(w)
			u = u*powersOfTen[k&7] + firstDigits(w, k)
			i += k
		}
	}
	if i-from > 19 {
		if hi, lo := bits.Mul64(s.appendDigits(0, from, 19), 10); i-from > 20 || hi != 0 || lo > math.MaxUint64-uint64(s.at(from+19)-'0') {
			return 0, -1
		}
	}
	if c := s.at(i); c == '.' || c|0x20 == 'e' {
		return 0, -1
	}
	return u, i
}

// exactPowers are the powers of ten that a float64 represents exactly.
var exactPowers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// float scans a number as a float64. If it overflows, the index that float returns is negative.
func (s *scanner) float(i int) (float64, int) {
	negative := s.at(i) == '-'
	if negative {
		i++
	}
	var u uint64 // the digits as an integer, to be multiplied by a power of ten
	first := i
	c := s.at(i) - '0'
	if c > 9 {
		s.fail()
	}
	u = uint64(c)
	i++
	if c != 0 {
		for c = s.at(i) - '0'; c <= 9; c = s.at(i) - '0' {
			u = u*10 + uint64(c)
			i++
		}
	}
	whole := i - first
	count, power := whole, 0
	if s.at(i) == '.' {
		i++
		dot := i
		w := s.word(i)
		for ; areDigits(w); w = s.word(i) {
			u = u*100_000_000 + valueOfDigits(w-zeros)
			i += 8
		}
		if byte(w)-'0' <= 9 {
			k := digitsIn(w)
			u = u*powersOfTen[k&7] + firstDigits(w, k)
			i += k
		}
		if i == dot {
			s.fail()
		}
		power = dot - i
		count += i - dot
	}
	if s.at(i)|0x20 == 'e' {
		sign := s.at(i + 1)
		if i++; sign == '+' || sign == '-' {
			i++
		}
		e := int(s.at(i) - '0')
		if e > 9 {
			s.fail()
		}
		for i++; s.at(i)-'0' <= 9; i++ {
			if e < 10_000 { // as in strconv
				e = e*10 + int(s.at(i)-'0')
			}
		}
		if sign == '-' {
			e = -e
		}
		power += e
	}
	var f float64
	ok := false
	switch {
	case count > 19: // u may have overflowed
		f, ok = s.longFloat(u, first, whole, count, power)
	case u < 1<<53 && power >= -22 && power <= 22:
		// Clinger's fast path: two exact numbers, and one rounding.
		if f, ok = float64(u), true; power < 0 {
			f /= exactPowers[-power]
		} else {
			f *= exactPowers[power]
		}
	default:
		f, ok = toFloat(u, power)
	}
	if !ok {
		if f, ok = parseFloat(s.text(first, i), 64); !ok {
			return 0, -1
		}
	}
	if negative {
		f = -f
	}
	return f, i
}

// longFloat is toFloat for count digits at i, more than 19, the first whole of which are before the decimal
// point. u is their value, if leading zeros leave at most 19. Otherwise the first 19 digits decide, if
// adding one to the last of them does not change the result.
func (s *scanner) longFloat(u uint64, i, whole, count, power int) (float64, bool) {
	if s.at(i) == '0' {
		for i, whole, count = i+2, 0, count-1; s.word(i) == zeros; i, count = i+8, count-8 {
		}
		k := bits.TrailingZeros64(s.word(i)^zeros) / 8
		if i, count = i+k, count-k; count <= 19 {
			return toFloat(u, power)
		}
	}
	n := min(whole, 19)
	u = s.appendDigits(0, i, n)
	if whole > 0 {
		i += whole + 1
	}
	u = s.appendDigits(u, i, 19-n)
	f, ok := toFloat(u, power+count-19)
	next, last := toFloat(u+1, power+count-19)
	return f, ok && last && f == next
}

// appendDigits appends the n decimal digits at i to u.
func (s *scanner) appendDigits(u uint64, i, n int) uint64 {
	for ; n > 0; n -= 8 {
		k := min(n, 8)
		u = u*powersOfTen[k] + firstDigits(s.word(i), k)
		i += k
	}
	return u
}

// areDigits reports whether the eight bytes of w are digits.
func areDigits(w uint64) bool {
	return (w & (w + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) == 0x3030303030303030
}

// digitsIn returns the number of digits that w begins with. It adds them up, because the instruction that
// finds a bit is slower on AMD.
func digitsIn(w uint64) int {
	w ^= zeros
	w = (w + 0x76*ones | w) >> 7 & ones
	return int(((w - 1) &^ w & ones) * ones >> 56)
}

// firstDigits returns the value of the first k digits of w, 0 to 8.
func firstDigits(w uint64, k int) uint64 {
	return valueOfDigits((w - zeros) << uint(64-8*k))
}

// valueOfDigits returns the value of eight digits, bytes from 0 to 9, the first one lowest: it combines them
// to pairs, pairs of pairs, and both halves.
func valueOfDigits(w uint64) uint64 {
	w = w*10 + w>>8
	const low = 0x000000ff000000ff
	return ((w&low)*(100+1_000_000<<32) + (w>>16&low)*(1+10_000<<32)) >> 32
}

// toFloat returns the float64 nearest to u times a power of ten, if 128 bits of the power suffice: D. Lemire,
// "Number Parsing at a Gigabyte per Second", 2021, after M. Eisel.
func toFloat(u uint64, exponent int) (float64, bool) {
	if u == 0 || exponent < leastPower || exponent > mostPower {
		return 0, false
	}
	p := powers[exponent-leastPower]
	shift := bits.LeadingZeros64(u)
	u <<= shift
	hi, lo := bits.Mul64(u, p.hi)
	const rest = 1<<9 - 1 // bits of hi below the bits that the result and its rounding use
	if hi&rest == rest {
		// The lower half of the power may carry into them.
		more, least := bits.Mul64(u, p.lo)
		var carry uint64
		lo, carry = bits.Add64(lo, more, 0)
		hi += carry
		if hi&rest == rest && lo == math.MaxUint64 && least+u < u {
			return 0, false
		}
	}
	top := int(hi >> 63)
	m := hi >> (top + 9)
	if lo == 0 && hi&rest == 0 && m&3 == 1 {
		return 0, false // between two floats, or a little above
	}
	m = (m + m&1) >> 1
	// 217706/2^16 is log2(10).
	e := exponent*217706>>16 + 64 + 1023 - shift - (1 - top)
	if m>>53 != 0 {
		m >>= 1
		e++
	}
	if e < 1 || e > 2046 {
		return 0, false
	}
	return math.Float64frombits(uint64(e)<<52 | m&(1<<52-1)), true
}

// The functions below parse numbers in strings and names, and numbers that float leaves to strconv. They
// report failures without allocating, because a document can have one in each of its members.

// parseInt is strconv.ParseInt in base 10.
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

// parseUint is strconv.ParseUint in base 10.
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

// parseFloat is strconv.ParseFloat. It allocates an error only for text that is not a JSON number or has more
// than mostDigits bytes.
func parseFloat(s string, bits int) (float64, bool) {
	if len(s) <= mostDigits && isNumber(s) && overflows(s, bits) {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, bits)
	return f, err == nil
}

// mostDigits is the number of digits that strconv reads. Up to Go 1.26 strconv, and so encoding/json, may
// lose the magnitude of an integer with more digits and an exponent.
const mostDigits = 800

// The least values that are rounded to infinity: 2^128 - 2^103 and 2^1024 - 2^970.
const (
	tooLarge32 = "340282356779733661637539395458142568448"
	tooLarge64 = "17976931348623158079372897140530341507993413271003782693617377898044496829276475" +
		"09466490179775872070963302864166928879109465555478519404026306574886715058206819" +
		"08902000708383676273854845817711531764475730270069855571366959622842914819860834" +
		"936475292719074168444365510704342711559699508093042880177904174497792"
)

// overflows reports whether s, a JSON number, is too large for a float of the given size in bits.
func overflows(s string, bits int) bool {
	least := tooLarge64
	if bits == 32 {
		least = tooLarge32
	}
	// first is the index of the first digit that is not zero, and whole the number of digits from there to
	// the decimal point.
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
		whole = point + 1 - first // zeros after the point
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

// exponentOf returns the exponent in s, at most as large as strconv reads it.
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

// isNumber reports whether s is a JSON number (RFC 8259, section 6).
func isNumber(s string) bool {
	n, end := atStart.scan(s, 0)
	return end == len(s) && n.mayEnd()
}

// inNumber is a position in the grammar of numbers. scanner.number is faster, but needs zeros after the text,
// and can't continue in the next piece of a stream.
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

// scan continues in s at i, and returns the index of the first byte that is not part of the number.
func (n inNumber) scan(s string, i int) (inNumber, int) {
	for ; i < len(s); i++ {
		next := numberSteps[n&15][s[i]]
		if next == atStart {
			break
		}
		n = next
	}
	return n, i
}

// numberSteps maps a position and a byte to the next position, atStart if the number ends there.
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
