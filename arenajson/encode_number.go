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

// The functions below write where numberBytes are reserved, and return where the next
// byte goes.

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

// digitsOf is how many decimal digits u has, 1 for 0.
func digitsOf(u uint64) int {
	n := bits.Len64(u) * 1233 >> 12 // log10(2) = 0.30103
	if n < len(powersOfTen) && u >= powersOfTen[n] {
		n++
	}
	return max(n, 1)
}

// eightDigits is u < 1e8 as eight digits from 0 to 9, a byte each, the last one
// lowest: the halves, quarters and eighths of the number side by side in a word.
func eightDigits(u uint64) uint64 {
	w := u + (1<<32-10000)*(u*109951163>>40)
	w += (1<<16 - 100) * (w * 10486 >> 20 & 0x7f_0000007f)
	return w + (1<<8-10)*(w*103>>10&0xf_000f_000f_000f)
}

// lengths has for each number of bits what to add to a number below 1e8 so that its
// count of digits is in the upper half (Kendall Willets): from the power of ten among
// the numbers of so many bits on, there is one digit more.
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

// lengthOf is how many digits u < 1e8 has.
func lengthOf(u uint64) uint { return uint((u + lengths[bits.Len32(uint32(u))&31]) >> 32) }

// digitsText is the text of u < 1e8 with all eight digits.
func digitsText(u uint64) uint64 { return bits.ReverseBytes64(eightDigits(u) | zeros) }

// putUint writes u, and up to 7 bytes behind it. How long it is does not wait for
// its digits, so that what follows need not either.
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

// What follows writes floats as encoding/json does: the fewest digits that are read
// as f again, with an exponent where it is below 1e-6 or from 1e21 on.

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
		b[n-2] = b[n-1] // e-9 for e-09
		b = b[:n-1]
	}
	return xunsafe.Add(w, uintptr(len(b)))
}

// putNonFinite writes NaN or an infinity with the option NonFiniteAsNull. Without, it is an error.
func (prog *encProgram) putNonFinite(w xunsafe.Pointer, f float64, size int, p xunsafe.Pointer) xunsafe.Pointer {
	if prog.mode.flags&nonFiniteAsNull == 0 {
		panic(failure{&json.UnsupportedValueError{Value: prog.at(p), Str: strconv.FormatFloat(f, 'g', -1, size)}})
	}
	return putText(w, "null")
}

// isNonFinite reports whether the value at p, which would be in quotes, is a float that is written as null.
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

// mustBeNumber returns what json.Number s is written as: 0 if it is empty.
func mustBeNumber(s string) string {
	if s == "" {
		return "0"
	}
	if !isNumber(s) {
		panic(failure{fmt.Errorf("json: invalid number literal %q", s)})
	}
	return s
}

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

// The powers of ten as binary fractions: what converts decimal numbers to floats
// and back multiplies with them.

const (
	leastPower = -348
	mostPower  = 347
)

// power is the first 128 bits of a power of ten, the highest of which is set.
type power struct{ hi, lo uint64 }

// powers are those of 10 from leastPower to mostPower, what is beyond 128 bits cut off. From 10^0
// to 10^55 nothing is. They are made by 192 bits, one from the other, which takes some 20 µs at start:
// source that has them is a fortieth of what go get brings. A test computes all in another way.
var powers = func() (all [mostPower - leastPower + 1]power) {
	all[-leastPower] = power{1 << 63, 0}
	hi, mid, lo := uint64(1<<63), uint64(0), uint64(0)
	for e := 1; e <= mostPower; e++ { // a quarter more of it, and half of that if it gets too long
		var carry uint64
		lo, carry = bits.Add64(lo, lo>>2|mid<<62, 0)
		mid, carry = bits.Add64(mid, mid>>2|hi<<62, carry)
		if hi, carry = bits.Add64(hi, hi>>2, carry); carry != 0 {
			hi, mid, lo = 1<<63|hi>>1, hi<<63|mid>>1, mid<<63|lo>>1
		}
		all[e-leastPower] = power{hi, mid}
	}
	hi, mid, lo = 1<<63, 0, 0
	for e := -1; e >= leastPower; e-- { // a fifth of it, and all bits that are zero in front cut off
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

// How text is written.
//
// SAFETY: whoever calls one of these has asked encoder.reserve for as many bytes, and some
// more beyond them.

// put64 writes 8 bytes at w, the lowest one first.
//
// SAFETY: see above.
func put64(w unsafe.Pointer, x uint64) {
	binary.LittleEndian.PutUint64((*[8]byte)(w)[:], x)
}

// put8 writes a byte at w, and returns where the next one goes.
//
// SAFETY: see above.
func put8(w unsafe.Pointer, c byte) unsafe.Pointer {
	*(*byte)(w) = c
	return unsafe.Add(w, 1)
}

// putText writes s at w, and returns where the next byte goes.
//
// SAFETY: see above.
func putText(w unsafe.Pointer, s string) unsafe.Pointer {
	copy(unsafe.Slice((*byte)(w), len(s)), s)
	return unsafe.Add(w, len(s))
}

// bytesAt is n bytes at w, with nothing in them.
//
// SAFETY: see above.
func bytesAt(w unsafe.Pointer, n int) []byte { return unsafe.Slice((*byte)(w), n)[:0] }

// piece is how many bytes putPieces writes at a time.
const piece = 16

// putPiece writes s at w.
//
// SAFETY: see above.
func putPiece(w unsafe.Pointer, s *[piece]byte) { *(*[piece]byte)(w) = *s }

// putPieces writes s at w; the length of s is a multiple of piece.
//
// SAFETY: see above.
func putPieces(w unsafe.Pointer, s string) {
	from := unsafe.Pointer(unsafe.StringData(s))
	for i := uintptr(0); i < uintptr(len(s)); i += piece {
		*(*[piece]byte)(unsafe.Add(w, i)) = *(*[piece]byte)(unsafe.Add(from, i))
	}
}
