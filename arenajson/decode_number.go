package arenajson

import (
	"math"
	"math/bits"

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
	c := d.at(i) - '0'
	if c > 9 {
		d.fail()
	}
	from, u := i, uint64(c)
	i++
	if c != 0 {
		for {
			c = d.at(i) - '0'
			if c > 9 {
				break
			}
			u = u*10 + uint64(c)
			i++
		}
		if i-from > 19 {
			if hi, lo := bits.Mul64(d.first19(from), 10); i-from > 20 || hi != 0 || lo > math.MaxUint64-uint64(d.at(from+19)-'0') {
				return 0, -1
			}
		}
	}
	if c = d.at(i); c == '.' || c|0x20 == 'e' {
		return 0, -1
	}
	return u, i
}

// first19 is the number of the first 19 of the digits at i.
func (d *decoder) first19(i int) (u uint64) {
	for k := range 19 {
		u = u*10 + uint64(d.at(i+k)-'0')
	}
	return u
}

func (d *decoder) int(p *decProgram, to xunsafe.Pointer, i int) int {
	from := i
	negative := d.at(i) == '-'
	if negative {
		i++
	}
	u, i := d.whole(i)
	x := int64(u)
	if negative {
		x = -x
	}
	if i < 0 || x < 0 != negative && x != 0 {
		return d.mismatch(p, from)
	}
	switch p.size {
	case 8:
		*xunsafe.Cast[int64](to) = x
		return i
	case 4:
		if int64(int32(x)) == x {
			*xunsafe.Cast[int32](to) = int32(x)
			return i
		}
	case 2:
		if int64(int16(x)) == x {
			*xunsafe.Cast[int16](to) = int16(x)
			return i
		}
	case 1:
		if int64(int8(x)) == x {
			*xunsafe.Cast[int8](to) = int8(x)
			return i
		}
	}
	return d.mismatch(p, from)
}

func (d *decoder) uint(p *decProgram, to xunsafe.Pointer, i int) int {
	from := i
	x, i := d.whole(i)
	if i < 0 {
		return d.mismatch(p, from)
	}
	switch p.size {
	case 8:
		*xunsafe.Cast[uint64](to) = x
		return i
	case 4:
		if uint64(uint32(x)) == x {
			*xunsafe.Cast[uint32](to) = uint32(x)
			return i
		}
	case 2:
		if uint64(uint16(x)) == x {
			*xunsafe.Cast[uint16](to) = uint16(x)
			return i
		}
	case 1:
		if uint64(uint8(x)) == x {
			*xunsafe.Cast[uint8](to) = uint8(x)
			return i
		}
	}
	return d.mismatch(p, from)
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
	count, power := i-first, 0
	if d.at(i) == '.' {
		i++
		dot := i
		for {
			w := d.word(i)
			if !areDigits(w) {
				break
			}
			u = u*100_000_000 + valueOfDigits(w)
			i += 8
		}
		for c = d.at(i) - '0'; c <= 9; c = d.at(i) - '0' {
			u = u*10 + uint64(c)
			i++
		}
		if i == dot {
			d.fail()
		}
		power = dot - i
		count += i - dot
	}
	if d.at(i)|0x20 == 'e' {
		i++
		sign := d.at(i)
		if sign == '+' || sign == '-' {
			i++
		}
		e, end := 0, d.digits(i)
		for ; i < end; i++ {
			if e < 10_000 { // as strconv has it
				e = e*10 + int(d.at(i)-'0')
			}
		}
		if sign == '-' {
			e = -e
		}
		power += e
	}
	if count <= 19 { // else u may have overflowed
		if u < 1<<53 && power >= -22 && power <= 22 {
			// Clinger's fast path: two exact numbers, and one rounding.
			f := float64(u)
			if power < 0 {
				f /= exactPowers[-power]
			} else {
				f *= exactPowers[power]
			}
			if negative {
				f = -f
			}
			return f, i
		}
		if f, ok := toFloat(u, power); ok {
			if negative {
				f = -f
			}
			return f, i
		}
	}
	f, ok := d.longFloat(first, i)
	if !ok {
		return 0, -1
	}
	if negative {
		f = -f
	}
	return f, i
}

// longFloat reads the number without a sign from i to end, which may have any number of
// digits. The first 19 without the zeros in front of them tell, if what follows them,
// somewhere between nothing and one more of the last, makes no difference.
func (d *decoder) longFloat(i, end int) (float64, bool) {
	text := d.text(i, end)
	var u uint64
	n, point := 0, -1 // point: where the digits behind it begin
	for i < end && n < 19 {
		if n > 0 && n <= 19-8 {
			if w := d.word(i); areDigits(w) {
				u = u*100_000_000 + valueOfDigits(w)
				i, n = i+8, n+8
				continue
			}
		}
		c := d.at(i)
		if c|0x20 == 'e' {
			break
		}
		i++
		if c == '.' {
			point = i
		} else if n > 0 || c != '0' {
			u = u*10 + uint64(c-'0')
			n++
		}
	}
	power := 0
	if point >= 0 {
		power = point - i
	}
	more := false
	for ; i < end; i++ {
		c := d.at(i)
		if c|0x20 == 'e' {
			power += exponentOf(d.text(i+1, end))
			break
		}
		if c == '.' {
			point = i
			continue
		}
		if more = more || c != '0'; point < 0 {
			power++
		}
	}
	f, ok := toFloat(u, power)
	if ok && more {
		next, last := toFloat(u+1, power)
		ok = last && f == next
	}
	if ok {
		return f, true
	}
	return parseFloat(text, 64)
}

func (d *decoder) float32(p *decProgram, to xunsafe.Pointer, i int) int {
	end := d.number(i)
	f, ok := parseFloat(d.text(i, end), 32)
	if !ok {
		return d.mismatch(p, i)
	}
	*xunsafe.Cast[float32](to) = float32(f)
	return end
}

// areDigits reports whether the eight bytes of w are digits.
func areDigits(w uint64) bool {
	return (w & (w + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) == 0x3030303030303030
}

// valueOfDigits is the number that the eight digits of w are, the first one lowest in
// w: pairs of digits, then pairs of those, then both halves.
func valueOfDigits(w uint64) uint64 {
	w -= 0x3030303030303030
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
