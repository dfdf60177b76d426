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

// appendDecimal writes f, which is above 0, finite and no integer below 2^53.
func appendDecimal(b []byte, f float64) []byte {
	d, exponent := decimal(f)
	if d%10 == 0 {
		d, exponent = shorten(d, exponent)
	}
	at := len(b)
	if f < 1 && f >= 1e-6 {
		b = append(b, "0.00000"[:2-digitsOf(d)-exponent]...)
		return appendUint(b, d)
	}
	b = appendUint(b[:at+1], d)
	n := len(b) - at - 1
	point := n + exponent // the digits before the point
	if f < 1e-6 || f >= 1e21 {
		b[at] = b[at+1]
		if b[at+1] = '.'; n == 1 {
			b = b[:at+1]
		}
		if point--; point < 0 {
			return appendUint(append(b, "e-"...), uint64(-point))
		}
		return appendUint(append(b, "e+"...), uint64(point))
	}
	before := b[at : at+min(point, n)+1]
	for i := range before[1:] {
		before[i] = before[i+1]
	}
	if point < n {
		b[at+point] = '.'
		return b
	}
	b = b[:at+n]
	for range point - n {
		b = append(b, '0')
	}
	return b
}

// shorten takes away the zeros at the end of d, which is not 0 and has 17 digits at
// most.
func shorten(d uint64, exponent int) (uint64, int) {
	for _, step := range [...]struct {
		by uint64
		n  int
	}{{1e8, 8}, {1e4, 4}, {1e2, 2}, {10, 1}} {
		for d%step.by == 0 {
			d /= step.by
			exponent += step.n
		}
	}
	return d, exponent
}
