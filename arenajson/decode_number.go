package arenajson

import (
	"math"
	"math/bits"
	"reflect"
	"strconv"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// number checks the number at i, and returns where it ends.
func (d *decoder) number(i int) int {
	if d.at(i) == '-' {
		i++
	}
	switch c := d.at(i); {
	case c == '0':
		i++
	case c-'1' < 9:
		i = d.digits(i)
	default:
		d.fail()
	}
	if d.at(i) == '.' {
		i = d.digits(i + 1)
	}
	if d.at(i)|0x20 == 'e' {
		i++
		if c := d.at(i); c == '+' || c == '-' {
			i++
		}
		i = d.digits(i)
	}
	return i
}

// digits reads one or more digits.
func (d *decoder) digits(i int) int {
	if d.at(i)-'0' > 9 {
		d.fail()
	}
	for i++; d.at(i)-'0' <= 9; i++ {
	}
	return i
}

// whole reads the digits of a whole number at i. Where it has more of them than fit, or
// goes on as one with a fraction, the end is negative.
func (d *decoder) whole(i int) (uint64, int) {
	w := d.word(i)
	c := byte(w) - '0'
	if c > 9 {
		d.fail()
	}
	from, u := i, uint64(c)
	if c == 0 {
		i++
	} else {
		u = 0
		for ; areDigits(w); w = d.word(i) {
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
		if hi, lo := bits.Mul64(d.moreDigits(0, from, 19), 10); i-from > 20 || hi != 0 || lo > math.MaxUint64-uint64(d.at(from+19)-'0') {
			return 0, -1
		}
	}
	if c := d.at(i); c == '.' || c|0x20 == 'e' {
		return 0, -1
	}
	return u, i
}

// integer reads a whole number with a sign or, where p has none, without.
func (d *decoder) integer(p *decProgram, to xunsafe.Pointer, i int) int {
	from, negative := i, uint64(0)
	if d.at(i) == '-' {
		i, negative = i+1, 1
	}
	u, i := d.whole(i)
	if i < 0 || u > p.most+negative || negative > p.signed {
		return d.mismatch(p, from)
	}
	storeInt(to, p.size, (u^-negative)+negative)
	return i
}

// storeInt writes an integer of so many bytes.
func storeInt(to xunsafe.Pointer, size uintptr, x uint64) {
	switch size {
	case 8:
		*xunsafe.Cast[uint64](to) = x
	case 4:
		*xunsafe.Cast[uint32](to) = uint32(x)
	case 2:
		*xunsafe.Cast[uint16](to) = uint16(x)
	default:
		*xunsafe.Cast[uint8](to) = uint8(x)
	}
}

// exactPowers are the powers of ten that a float64 holds exactly.
var exactPowers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// float reads the number at i. Where that is too large, the end is negative.
func (d *decoder) float(i int) (float64, int) {
	negative := d.at(i) == '-'
	if negative {
		i++
	}
	// The digits as a whole number, and the power of ten to multiply it with.
	var u uint64
	first := i
	c := d.at(i) - '0'
	if c > 9 {
		d.fail()
	}
	u = uint64(c)
	i++
	if c != 0 {
		for c = d.at(i) - '0'; c <= 9; c = d.at(i) - '0' {
			u = u*10 + uint64(c)
			i++
		}
	}
	whole := i - first
	count, power := whole, 0
	if d.at(i) == '.' {
		i++
		dot := i
		w := d.word(i)
		for ; areDigits(w); w = d.word(i) {
			u = u*100_000_000 + valueOfDigits(w-zeros)
			i += 8
		}
		if byte(w)-'0' <= 9 {
			k := digitsIn(w)
			u = u*powersOfTen[k&7] + firstDigits(w, k)
			i += k
		}
		if i == dot {
			d.fail()
		}
		power = dot - i
		count += i - dot
	}
	if d.at(i)|0x20 == 'e' {
		sign := d.at(i + 1)
		if i++; sign == '+' || sign == '-' {
			i++
		}
		e := int(d.at(i) - '0')
		if e > 9 {
			d.fail()
		}
		for i++; d.at(i)-'0' <= 9; i++ {
			if e < 10_000 { // as strconv has it
				e = e*10 + int(d.at(i)-'0')
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
		f, ok = d.longFloat(u, first, whole, count, power)
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
		if f, ok = parseFloat(d.text(first, i), 64); !ok {
			return 0, -1
		}
	}
	if negative {
		f = -f
	}
	return f, i
}

// longFloat is toFloat for count digits, more than 19, of which so many are in front of the
// point: as one number, to be multiplied with a power of ten. Zeros in front of them are not
// counted: if 19 are left, that number is u. Else the first 19 tell, if what follows them,
// somewhere between nothing and one more of the last, makes no difference.
func (d *decoder) longFloat(u uint64, i, whole, count, power int) (float64, bool) {
	if d.at(i) == '0' {
		for i, whole, count = i+2, 0, count-1; d.word(i) == zeros; i, count = i+8, count-8 {
		}
		k := bits.TrailingZeros64(d.word(i)^zeros) / 8
		if i, count = i+k, count-k; count <= 19 {
			return toFloat(u, power)
		}
	}
	n := min(whole, 19)
	u = d.moreDigits(0, i, n)
	if whole > 0 {
		i += whole + 1
	}
	u = d.moreDigits(u, i, 19-n)
	f, ok := toFloat(u, power+count-19)
	next, last := toFloat(u+1, power+count-19)
	return f, ok && last && f == next
}

// moreDigits is the number of u's digits and the n at i.
func (d *decoder) moreDigits(u uint64, i, n int) uint64 {
	for ; n > 0; n -= 8 {
		k := min(n, 8)
		u = u*powersOfTen[k] + firstDigits(d.word(i), k)
		i += k
	}
	return u
}

func (d *decoder) float32(p *decProgram, to xunsafe.Pointer, i int) int {
	f, end := d.float(i)
	// A float64 that is between two float32s may have been rounded to that.
	if abs := math.Abs(f); end < 0 || math.Float64bits(f)&(1<<29-1) == 1<<28 || f != 0 && abs < 0x1p-126 || abs > math.MaxFloat32 {
		end = d.number(i)
		var ok bool
		if f, ok = parseFloat(d.text(i, end), 32); !ok {
			return d.mismatch(p, i)
		}
	}
	*xunsafe.Cast[float32](to) = float32(f)
	return end
}

// areDigits reports whether the eight bytes of w are digits.
func areDigits(w uint64) bool {
	return (w & (w + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) == 0x3030303030303030
}

// digitsIn returns how many of the bytes of w, from the lowest on, are digits: what is below the
// first that is none is added up, since the instruction that finds a bit takes longer on AMD.
func digitsIn(w uint64) int {
	w ^= zeros
	w = (w + 0x76*ones | w) >> 7 & ones
	return int(((w - 1) &^ w & ones) * ones >> 56)
}

// firstDigits is the number that the first k bytes of w are, digits from 0 to 8 of them: the
// others go, then come pairs of digits, pairs of those, and both halves.
func firstDigits(w uint64, k int) uint64 {
	return valueOfDigits((w - zeros) << uint(64-8*k))
}

// valueOfDigits is the number that the eight digits of w are, from 0 to 9, the first lowest.
func valueOfDigits(w uint64) uint64 {
	w = w*10 + w>>8
	const low = 0x000000ff000000ff
	return ((w&low)*(100+1_000_000<<32) + (w>>16&low)*(1+10_000<<32)) >> 32
}

// toFloat is the float64 nearest to u times a power of ten, if 128 bits of the power
// tell: D. Lemire, "Number Parsing at a Gigabyte per Second", 2021, after M.
// Eisel. u is not zero.
func toFloat(u uint64, exponent int) (float64, bool) {
	if u == 0 || exponent < leastPower || exponent > mostPower {
		return 0, false
	}
	p := powers[exponent-leastPower]
	shift := bits.LeadingZeros64(u)
	u <<= shift
	hi, lo := bits.Mul64(u, p.hi)
	const rest = 1<<9 - 1 // of hi, below the bits that the result and its rounding have
	if hi&rest == rest {
		// What the lower half of the power adds may carry into them.
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
