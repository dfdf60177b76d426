package arenajson

import (
	"math"
	"math/bits"

	"github.com/ebbpool/arena/internal/xunsafe"
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

// seventeenDigits is decimal for nearly all floats, by one multiplication instead of
// three: f has digits*10^exponent, with 17 digits, zeros at the end included. It is not
// ok where a comparison is too close to be made with what it knows, or f is the first
// or less than the first float of a normal exponent.
//
// It scales f as decimal does, with 64 bits of the fraction, and looks in tenths of
// a word at how far the number of one digit less below and above it are. The idea is
// Yaoyuan Guo's (yyjson) and Victor Zverovich's (zmij).
func seventeenDigits(f float64) (digits uint64, exponent int, ok bool) {
	const mantissaBits, bias = 52, 1075
	u := math.Float64bits(f)
	c, q := u&(1<<mantissaBits-1), int(u>>mantissaBits)
	if c == 0 || q == 0 {
		return 0, 0, false
	}
	c |= 1 << mantissaBits
	q -= bias
	k := (q * 1262611) >> 22 // floor(log10(2^q))
	h := uint(q+((-k*1741647)>>19)+1) & 7
	g := &powers[-k-leastPower]
	above, _ := bits.Mul64(g.lo, c<<h)
	s, fraction := bits.Mul64(g.hi, c<<h)
	fraction, carry := bits.Add64(fraction, above, 0)
	s += carry

	// In units of 2^-60, of which s/10*10 is 0 and the next such number is ten. All is
	// exact to less than near units.
	const ten, near = 10 << 60, 16
	t := s / 10
	x := (s-10*t)<<60 | fraction>>4
	half := g.hi >> (5 - h) // of the way to the next float
	if x-half+near <= 2*near || x+half-ten+near <= 2*near || fraction-1<<63+16*near <= 32*near {
		return 0, 0, false
	}
	digits = s + fraction>>63
	if x+half > ten {
		digits = 10*t + 10
	}
	if x < half {
		digits = 10 * t
	}
	if digits < 1e16 {
		digits *= 10
		k--
	}
	return digits, k, true
}

// putDecimal writes f, which is above 0, finite and no integer below 2^53.
func putDecimal(w xunsafe.Pointer, f float64) xunsafe.Pointer {
	d, exponent, ok := seventeenDigits(f)
	if !ok {
		d, exponent = decimal(f)
		for ; d < 1e16; d *= 10 {
			exponent--
		}
	}
	high := d / 1e8
	low := eightDigits(d - high*1e8)
	first := uint64(uint32(high) / 1e8)
	high = eightDigits(high - first*1e8)
	n := 17 // digits without the zeros at the end
	switch {
	case low != 0:
		n -= bits.TrailingZeros64(low) / 8
	case high != 0:
		n -= 8 + bits.TrailingZeros64(high)/8
	default:
		n = 1
	}
	high = bits.ReverseBytes64(high | zeros)
	low = bits.ReverseBytes64(low | zeros)

	const sixZeros = "0.000000"
	point := 17 + exponent // the digits before the point
	switch {
	case 0 < point && point < 8:
		// There are digits behind the point, since f is no integer. All of them are
		// written one place too far, then the first ones with the point among them.
		put64(xunsafe.Add(w, 2), high)
		put64(xunsafe.Add(w, 10), low)
		x := (first | '0') | high<<8
		at := uint(8*point) & 63
		before := uint64(1)<<at - 1
		put64(w, x&before|'.'<<at|x&^before<<8)
		return xunsafe.Add(w, uintptr(n+1))
	case -6 < point && point <= 0:
		put64(w, xunsafe.Text64(sixZeros, 0))
		w = xunsafe.Add(w, uintptr(2-point))
		put8(w, byte(first|'0'))
		put64(xunsafe.Add(w, 1), high)
		put64(xunsafe.Add(w, 9), low)
		return xunsafe.Add(w, uintptr(n))
	}
	digits := func(w xunsafe.Pointer) xunsafe.Pointer {
		put8(w, byte(first|'0'))
		put64(xunsafe.Add(w, 1), high)
		put64(xunsafe.Add(w, 9), low)
		return xunsafe.Add(w, uintptr(n))
	}
	if f < 1e-6 || f >= 1e21 {
		end := digits(xunsafe.Add(w, 1))
		put8(w, byte(first|'0'))
		if put8(xunsafe.Add(w, 1), '.'); n == 1 {
			end = xunsafe.Add(w, 1)
		}
		if point--; point < 0 {
			return putUint(putText(end, "e-"), uint64(-point))
		}
		return putUint(putText(end, "e+"), uint64(point))
	}
	if n <= point { // an integer
		end := digits(w)
		for ; n < point; n++ {
			end = put8(end, '0')
		}
		return end
	}
	// From eight digits before the point on.
	digits(xunsafe.Add(w, 1))
	put8(w, byte(first|'0'))
	put64(xunsafe.Add(w, 1), high)
	for i := 9; i < point; i++ {
		put8(xunsafe.Add(w, uintptr(i)), byte(low>>(8*(i-9))))
	}
	put8(xunsafe.Add(w, uintptr(point)), '.')
	return xunsafe.Add(w, uintptr(n+1))
}
