package arenajson

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"unsafe"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// Numbers and raw text. The functions write at w, where numberBytes are reserved, and return the address
// after their text.

func putBool(w xunsafe.Pointer, v bool) xunsafe.Pointer {
	if v {
		return putText(w, "true")
	}
	return putText(w, "false")
}

func putInt(w xunsafe.Pointer, i int64) xunsafe.Pointer {
	if i < 0 {
		w = put8(w, '-')
		i = -i
	}
	return putUint(w, uint64(i))
}

// digitsOf returns the number of decimal digits of u, 1 for 0.
func digitsOf(u uint64) int {
	n := bits.Len64(u) * 1233 >> 12 // log10(2) = 0.30103
	if n < len(powersOfTen) && u >= powersOfTen[n] {
		n++
	}
	return max(n, 1)
}

// eightDigits returns the eight digits of u < 1e8 as bytes from 0 to 9, the last digit lowest. It computes
// the halves, quarters and eighths of the number side by side.
func eightDigits(u uint64) uint64 {
	w := u + (1<<32-10000)*(u*109951163>>40)
	w += (1<<16 - 100) * (w * 10486 >> 20 & 0x7f_0000007f)
	return w + (1<<8-10)*(w*103>>10&0xf_000f_000f_000f)
}

// lengths has for each bit length the number to add to a number below 1e8 to get its digit count in the upper
// half (Kendall Willets). Among the numbers of one bit length, those from a power of ten on have one digit
// more.
var lengths = func() (table [32]uint64) {
	table[0] = 1 << 32
	for n := 1; n < len(table); n++ {
		least, most := digitsOf(1<<(n-1)), digitsOf(1<<n-1)
		table[n] = uint64(most) << 32
		if least != most {
			table[n] -= powersOfTen[least]
		}
	}
	return
}()

// lengthOf returns the number of digits of u < 1e8.
func lengthOf(u uint64) uint { return uint((u + lengths[bits.Len32(uint32(u))&31]) >> 32) }

// digitsText returns the text of u < 1e8, with leading zeros.
func digitsText(u uint64) uint64 { return bits.ReverseBytes64(eightDigits(u) | zeros) }

// putUint writes u, and up to 7 bytes after it. The length is computed independently of the digits, so that
// the text after u need not wait for them.
func putUint(w xunsafe.Pointer, u uint64) xunsafe.Pointer {
	if u < 1e8 {
		if u < 10 {
			return put8(w, byte('0'+u))
		}
		n := lengthOf(u)
		put64(w, digitsText(u)>>((64-8*n)&63))
		return xunsafe.Add(w, uintptr(n))
	}
	high := u / 1e8
	low := digitsText(u - high*1e8)
	if high < 1e8 {
		if high < 10 {
			put64(put8(w, byte('0'+high)), low)
			return xunsafe.Add(w, 9)
		}
		n := lengthOf(high)
		put64(w, digitsText(high)>>((64-8*n)&63))
		w = xunsafe.Add(w, uintptr(n))
		put64(w, low)
		return xunsafe.Add(w, 8)
	}
	top := high / 1e8
	n := lengthOf(top)
	put64(w, digitsText(top)>>((64-8*n)&63))
	w = xunsafe.Add(w, uintptr(n))
	put64(w, digitsText(high-top*1e8))
	put64(xunsafe.Add(w, 8), low)
	return xunsafe.Add(w, 16)
}

// Floats are written as by encoding/json: with the fewest digits that parse as f, and with an exponent if f
// is below 1e-6 or at least 1e21.

func putFloat64(w xunsafe.Pointer, f float64, prog *encProgram, p xunsafe.Pointer) xunsafe.Pointer {
	const most = 1 << 53
	if i := int64(f); float64(i) == f && -most < i && i < most && (i != 0 || !math.Signbit(f)) {
		return putInt(w, i)
	}
	if f-f != 0 {
		return prog.putNonFinite(w, f, 64, p)
	}
	if math.Signbit(f) {
		w = put8(w, '-')
		if f = -f; f == 0 {
			return put8(w, '0')
		}
	}
	return putDecimal(w, f)
}

func putFloat32(w xunsafe.Pointer, f float32, prog *encProgram, p xunsafe.Pointer) xunsafe.Pointer {
	if f-f != 0 {
		return prog.putNonFinite(w, float64(f), 32, p)
	}
	format := byte('f')
	if abs := math.Abs(float64(f)); abs != 0 && (float32(abs) < 1e-6 || float32(abs) >= 1e21) {
		format = 'e'
	}
	b := strconv.AppendFloat(bytesAt(w, numberBytes), float64(f), format, -1, 32)
	if n := len(b); n >= 4 && b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' {
		b[n-2] = b[n-1] // e-09 becomes e-9
		b = b[:n-1]
	}
	return xunsafe.Add(w, uintptr(len(b)))
}

// putNonFinite writes NaN or an infinity as null with NonFiniteAsNull, and panics without.
func (prog *encProgram) putNonFinite(w xunsafe.Pointer, f float64, size int, p xunsafe.Pointer) xunsafe.Pointer {
	if prog.mode.flags&nonFiniteAsNull == 0 {
		panic(failure{&json.UnsupportedValueError{Value: prog.at(p), Str: strconv.FormatFloat(f, 'g', -1, size)}})
	}
	return putText(w, "null")
}

// isNonFinite reports whether the value at p, which has ,string, is a float to write as null.
func (prog *encProgram) isNonFinite(p xunsafe.Pointer) bool {
	if prog.mode.flags&nonFiniteAsNull == 0 {
		return false
	}
	f := 0.0
	switch prog.inner {
	case writeFloat32:
		f = float64(*xunsafe.Cast[float32](p))
	case writeFloat64:
		f = *xunsafe.Cast[float64](p)
	}
	return f-f != 0
}

// mustBeNumber returns the text of json.Number s, which is 0 if s is empty.
func mustBeNumber(s string) string {
	if s == "" {
		return "0"
	}
	if !isNumber(s) {
		panic(failure{fmt.Errorf("json: invalid number literal %q", s)})
	}
	return s
}

// decimal returns the fewest digits that parse as f, and among several the nearest to f, with a power of ten.
// The digits may end in zeros. f is positive and finite.
//
// This is Schubfach (Raffaele Giulietti, "The Schubfach way to render doubles", 2020), in the form of its
// section 9.
func decimal(f float64) (digits uint64, exponent int) {
	const mantissaBits, bias = 52, 1075
	u := math.Float64bits(f)
	c, q := u&(1<<mantissaBits-1), int(u>>mantissaBits)
	// The distance to the float below a power of two is half of the distance to the one above.
	closer := c == 0 && q > 1
	if q != 0 {
		c |= 1 << mantissaBits
		q -= bias
	} else {
		q = 1 - bias
	}
	odd := c & 1 // an even mantissa includes both ends of its interval

	// 4f, and the ends of the interval of numbers that parse as f, times 2^q, are scaled by 10^-k, so that
	// they differ by more than 1 and less than 10.
	below := 4*c - 2
	k := (q * 1262611) >> 22 // floor(log10(2^q))
	if closer {
		below++
		k = (q*1262611 - 524031) >> 22 // floor(log10(3/4 * 2^q))
	}
	h := uint(q + ((-k * 1741647) >> 19) + 1) // with floor(log2(10^-k))
	g := powers[-k-leastPower]
	if k > 0 || k < -55 {
		// powers are rounded down, and the method needs them rounded up.
		var carry uint64
		g.lo, carry = bits.Add64(g.lo, 1, 0)
		g.hi += carry
	}
	lower := g.times(below<<h) + odd
	middle := g.times(4 * c << h)
	upper := g.times((4*c+2)<<h) - odd

	s := middle / 4
	if s >= 10 {
		// One digit less, if exactly one of the two neighbors is in the interval.
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
	// Both or neither are in the interval: the nearer one, or the even one of two.
	if half := 4*s + 2; middle > half || middle == half && s&1 != 0 {
		s++
	}
	return s, k
}

// times returns g*c without the lowest 128 bits, rounded to odd: the last bit is set if one of those bits is.
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

// seventeenDigits computes what decimal does, with one multiplication instead of three. The result has 17
// digits, including zeros at the end. It is not ok for a subnormal f or a power of two, or if a comparison is
// too close for its precision.
//
// It scales f as decimal does, with 64 bits of the fraction. It then compares the distances to the next
// numbers with one digit less, in units of 2^-60. The idea is Yaoyuan Guo's (yyjson) and Victor Zverovich's
// (zmij).
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

	// In units of 2^-60, s/10*10 is 0 and the next number with one digit less is ten. All values are exact to
	// less than near units.
	const ten, near = 10 << 60, 16
	t := s / 10
	x := (s-10*t)<<60 | fraction>>4
	half := g.hi >> (5 - h) // half of the distance to the next float
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

// putDecimal writes f, which is positive, finite, and not an integer below 2^53.
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
	n := 17 // without zeros at the end
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
	point := 17 + exponent // number of digits before the point
	switch {
	case 0 < point && point < 8:
		// Digits follow the point, because f is not an integer. All digits are written one place to the
		// right, and then the first ones again, with the point.
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
	// At least eight digits precede the point.
	digits(xunsafe.Add(w, 1))
	put8(w, byte(first|'0'))
	put64(xunsafe.Add(w, 1), high)
	for i := 9; i < point; i++ {
		put8(xunsafe.Add(w, uintptr(i)), byte(low>>(8*(i-9))))
	}
	put8(xunsafe.Add(w, uintptr(point)), '.')
	return xunsafe.Add(w, uintptr(n+1))
}

// Powers of ten as binary fractions, for the conversion of decimal numbers to floats and back.

const (
	leastPower = -348
	mostPower  = 347
)

// A power is the first 128 bits of a power of ten. The highest bit is set.
type power struct{ hi, lo uint64 }

// powers has the powers from leastPower to mostPower, rounded down to 128 bits; 10^0 to 10^55 are exact. It
// is computed with 192 bits at start, in about 20 µs, because as source code it would be a fortieth of the
// module. TestPowers computes it in another way.
var powers = func() (all [mostPower - leastPower + 1]power) {
	all[-leastPower] = power{1 << 63, 0}
	hi, mid, lo := uint64(1<<63), uint64(0), uint64(0)
	for e := 1; e <= mostPower; e++ { // times 5/4, and half of that if it overflows
		var carry uint64
		lo, carry = bits.Add64(lo, lo>>2|mid<<62, 0)
		mid, carry = bits.Add64(mid, mid>>2|hi<<62, carry)
		if hi, carry = bits.Add64(hi, hi>>2, carry); carry != 0 {
			hi, mid, lo = 1<<63|hi>>1, hi<<63|mid>>1, mid<<63|lo>>1
		}
		all[e-leastPower] = power{hi, mid}
	}
	hi, mid, lo = 1<<63, 0, 0
	for e := -1; e >= leastPower; e-- { // divided by 5, without leading zero bits
		var rest uint64
		hi, rest = bits.Div64(0, hi, 5)
		mid, rest = bits.Div64(rest, mid, 5)
		lo, _ = bits.Div64(rest, lo, 5)
		n := bits.LeadingZeros64(hi)
		hi, mid, lo = hi<<n|mid>>(64-n), mid<<n|lo>>(64-n), lo<<n
		all[e-leastPower] = power{hi, mid}
	}
	return
}()

// Writing raw text.
//
// SAFETY: callers of these functions have reserved the bytes that they write (see encoder.reserve).

// put64 writes 8 bytes at w, the lowest first.
func put64(w unsafe.Pointer, x uint64) {
	binary.LittleEndian.PutUint64((*[8]byte)(w)[:], x)
}

// put8 writes a byte at w, and returns the address after it.
func put8(w unsafe.Pointer, c byte) unsafe.Pointer {
	*(*byte)(w) = c
	return unsafe.Add(w, 1)
}

// putText writes s at w, and returns the address after it.
func putText(w unsafe.Pointer, s string) unsafe.Pointer {
	copy(unsafe.Slice((*byte)(w), len(s)), s)
	return unsafe.Add(w, len(s))
}

// bytesAt returns the n bytes at w as a slice of length 0.
func bytesAt(w unsafe.Pointer, n int) []byte { return unsafe.Slice((*byte)(w), n)[:0] }

// piece is the number of bytes that putPieces writes at a time.
const piece = 16

func putPiece(w unsafe.Pointer, s *[piece]byte) { *(*[piece]byte)(w) = *s }

// putPieces writes s at w. The length of s must be a multiple of piece.
func putPieces(w unsafe.Pointer, s string) {
	from := unsafe.Pointer(unsafe.StringData(s))
	for i := uintptr(0); i < uintptr(len(s)); i += piece {
		*(*[piece]byte)(unsafe.Add(w, i)) = *(*[piece]byte)(unsafe.Add(from, i))
	}
}
