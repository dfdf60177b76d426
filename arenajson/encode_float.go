package arenajson

import (
	"math"
	"math/bits"
)

// decimal returns the fewest digits that are read as f again, of several the
// nearest to f, and the power of ten to multiply them with. f is above 0 and
// finite. There may be zeros at the end of them.
//
// This is Schubfach (Raffaele Giulietti, "The Schubfach way to render doubles",
// 2020), in the form of its section 9.
func decimal(f float64) (digits uint64, exponent int) {
	const mantissaBits, bias = 52, 1075
	u := math.Float64bits(f)
	c, q := u&(1<<mantissaBits-1), int(u>>mantissaBits)
	// The float below a power of two is half as far as the one above.
	closer := c == 0 && q > 1
	if q != 0 {
		c |= 1 << mantissaBits
		q -= bias
	} else {
		q = 1 - bias
	}
	odd := c & 1 // what is read as an even mantissa includes both ends

	// Four times f, and the ends of what is read as f, times 2 to the q, are scaled by
	// 10 to the -k, so that they differ by more than 1 and less than 10.
	below := 4*c - 2
	k := (q * 1262611) >> 22 // floor(log10(2^q))
	if closer {
		below++
		k = (q*1262611 - 524031) >> 22 // floor(log10(3/4 * 2^q))
	}
	h := uint(q + ((-k * 1741647) >> 19) + 1) // and floor(log2(10^-k))
	g := powers[-k-leastPower]
	if k > 0 || k < -55 {
		// Cut off: the method needs them rounded up.
		var carry uint64
		g.lo, carry = bits.Add64(g.lo, 1, 0)
		g.hi += carry
	}
	lower := g.times(below<<h) + odd
	middle := g.times(4 * c << h)
	upper := g.times((4*c+2)<<h) - odd

	s := middle / 4
	if s >= 10 {
		// One digit less, if one of the two neighbours with it is near enough.
		t := s / 10
		down, up := lower <= 40*t, 40*t+40 <= upper
		if down != up {
			if up {
				t++
			}
			return t, k + 1
		}
	}
	down, up := lower <= 4*s, 4*s+4 <= upper
	if down != up {
		if up {
			s++
		}
		return s, k
	}
	// Both, or neither: the nearer one, of two the even one.
	if half := 4*s + 2; middle > half || middle == half && s&1 != 0 {
		s++
	}
	return s, k
}

// times is g*c without the lowest 128 bits, the last bit set if there was a bit
// among those: rounded to odd.
func (g power) times(c uint64) uint64 {
	above, _ := bits.Mul64(g.lo, c)
	hi, lo := bits.Mul64(g.hi, c)
	lo, carry := bits.Add64(lo, above, 0)
	hi += carry
	if lo > 1 {
		hi |= 1
	}
	return hi
}

// fewDigits is decimal for an f that has at most three digits behind the point, as
// prices and weights do: two decimals of up to 15 digits are never read as the same
// float, so that one that is read as f is the one with the fewest.
func fewDigits(f float64) (digits uint64, ok bool) {
	if f >= 1e11 {
		return 0, false
	}
	d := uint64(f*1e3 + 0.5)
	return d, float64(d)/1e3 == f // a division is rounded as reading is
}

// appendDecimal writes f, which is above 0, finite and no integer below 2^53.
func appendDecimal(b []byte, f float64) []byte {
	d, exponent := uint64(0), -3
	if few, ok := fewDigits(f); ok {
		for d = few; d%10 == 0; d /= 10 {
			exponent++
		}
	} else if d, exponent = decimal(f); d%10 == 0 {
		d, exponent = shorten(d, exponent)
	}
	const most = 16 // digits of a fraction that two words hold
	if k := uint(-exponent); 0 < k && k <= most && f >= 1e-6 {
		// There is no whole number between f and its digits: it would have been
		// shorter, and is a float itself.
		whole := uint64(f)
		b = append(appendUint(b, whole), '.')
		fraction := (d - whole*powersOfTen[k]) * powersOfTen[most-k]
		high := fraction / 1e8
		put64(b, eightDigits(high)|zeros)
		put64(b[:len(b)+8], eightDigits(fraction-high*1e8)|zeros)
		return b[:len(b)+int(k)]
	}
	n := digitsOf(d)
	point := n + exponent // the digits before the point
	switch at := len(b); {
	case f < 1e-6 || f >= 1e21:
		b = appendUint(b[:at+1], d)
		b[at] = b[at+1]
		if b[at+1] = '.'; n == 1 {
			b = b[:at+1]
		}
		if point--; point < 0 {
			return appendUint(append(b, "e-"...), uint64(-point))
		}
		return appendUint(append(b, "e+"...), uint64(point))
	case point <= 0:
		return appendUint(append(b, "0.00000"[:2-point]...), d)
	}
	b = appendUint(b, d)
	for range exponent {
		b = append(b, '0')
	}
	return b
}

// shorten takes away the zeros at the end of d, which is not 0 and has 17 digits at
// most.
func shorten(d uint64, exponent int) (uint64, int) {
	if d%1e8 == 0 {
		d, exponent = d/1e8, exponent+8
	}
	if d%1e8 == 0 {
		d, exponent = d/1e8, exponent+8
	}
	if d%1e4 == 0 {
		d, exponent = d/1e4, exponent+4
	}
	if d%1e2 == 0 {
		d, exponent = d/1e2, exponent+2
	}
	if d%10 == 0 {
		d, exponent = d/10, exponent+1
	}
	return d, exponent
}
