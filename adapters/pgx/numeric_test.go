package arenapgx

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// Five digits to the base 10,000 may exceed an int64. These are left to pgx.
func TestNumericBeyondInt64(t *testing.T) {
	for first, want := range map[byte]bool{0: true, 0x27: false} { // 1, or 9,985
		src := []byte{0, 5, 0, 4, 0, 0, 0, 0, first, 1, 0x27, 0x0f, 0x27, 0x0f, 0x27, 0x0f, 0x27, 0x0f}
		if n, ok := readNumeric(src); ok != want {
			t.Errorf("%x is %+v, %v", src, n, ok)
		}
	}
}

// Numerics of at most 14 digits are never left to pgx, and so to the heap, wherever the decimal point is.
func TestNumericsOfFewDigits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		shown := r.IntN(15)
		whole := r.IntN(15 - shown)
		var digits []uint16 // to the base 10,000: whole before the point, shown after it
		for i := -(whole + 3) / 4; i < (shown+3)/4; i++ {
			d := uint16(0)
			for at := 4 * i; at < 4*i+4; at++ {
				if d *= 10; at >= -whole && at < shown {
					d += uint16(r.IntN(10))
				}
			}
			digits = append(digits, d)
		}
		weight := (whole+3)/4 - 1
		for len(digits) > 0 && digits[0] == 0 {
			digits, weight = digits[1:], weight-1
		}
		for len(digits) > 0 && digits[len(digits)-1] == 0 {
			digits = digits[:len(digits)-1]
		}
		src := binary.BigEndian.AppendUint16(nil, uint16(len(digits)))
		for _, x := range append([]uint16{uint16(weight), 0, uint16(shown)}, digits...) {
			src = binary.BigEndian.AppendUint16(src, x)
		}
		if _, ok := readNumeric(src); !ok {
			t.Fatalf("%d and %d digits, %v, are left to pgx", whole, shown, digits)
		}
	}
}
