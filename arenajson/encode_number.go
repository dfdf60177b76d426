package arenajson

import (
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"strconv"

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
		panic(unsupportedFloat(f, 64, prog, p))
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
		panic(unsupportedFloat(float64(f), 32, prog, p))
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

func unsupportedFloat(f float64, size int, prog *encProgram, p xunsafe.Pointer) failure {
	return failure{&json.UnsupportedValueError{Value: prog.at(p), Str: strconv.FormatFloat(f, 'g', -1, size)}}
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
