package arenapgx

import (
	"encoding/binary"
	"math/big"
	"reflect"
	"strconv"

	"github.com/ebbpool/arena"
	"github.com/jackc/pgx/v5/pgtype"
)

// number is a numeric of few digits, coefficient * 10^exp, normalized as in pgx's pgtype.Numeric.
type number struct {
	coefficient int64
	exp         int
}

// mostCoefficient is the largest coefficient to which another digit can be added without overflow.
const mostCoefficient = 1e17

// readNumeric reads the binary format: the number of digits to the base 10,000, the exponent of the first one, the sign,
// the number of decimal digits shown after the point, and the digits. ok is false for NaN, infinities and many digits.
func readNumeric(src []byte) (n number, ok bool) {
	if len(src) < 8 {
		return n, false
	}
	digits, weight := int(binary.BigEndian.Uint16(src)), int(int16(binary.BigEndian.Uint16(src[2:])))
	sign, shown := binary.BigEndian.Uint16(src[4:]), int(binary.BigEndian.Uint16(src[6:]))
	const minus = 0x4000
	if sign != 0 && sign != minus || len(src) != 8+2*digits || digits > 5 {
		return n, false
	}
	if digits == 0 {
		return n, true
	}
	c := int64(0)
	for src = src[8:]; len(src) > 0; src = src[2:] {
		d := int64(binary.BigEndian.Uint16(src))
		if d >= 10000 || c > mostCoefficient/10000 {
			return n, false
		}
		c = c*10000 + d
	}
	exp := (weight - digits + 1) * 4
	if c == 0 {
		return n, false
	}
	if shown > 0 {
		for ; -exp < shown; exp-- {
			if c > mostCoefficient/10 {
				return n, false
			}
			c *= 10
		}
		for ; -exp > shown; exp++ {
			c /= 10
		}
	}
	for exp >= 0 && c != 0 && c%10 == 0 {
		c /= 10
		exp++
	}
	if sign == minus {
		c = -c
	}
	return number{c, exp}, true
}

// decodeNumeric allocates the big.Int and its words from the arena.
func decodeNumeric(d *decoder, src []byte, to pointer) bool {
	n, ok := readNumeric(src)
	if !ok {
		return false
	}
	x := arena.New[big.Int](d.arena)
	if c := n.coefficient; c != 0 {
		negative := c < 0
		if negative {
			c = -c
		}
		words := 1
		if strconv.IntSize == 32 && c>>32 != 0 {
			words = 2
		}
		bits := arena.MakeSlice[big.Word](d.arena, words, words)
		bits[0] = big.Word(c)
		if words == 2 {
			bits[1] = big.Word(c >> 32)
		}
		x.SetBits(bits)
		if negative {
			x.Neg(x)
		}
	}
	*at[pgtype.Numeric](to) = pgtype.Numeric{Int: x, Exp: int32(n.exp), Valid: true}
	return true
}

func decodeNumericToFloat(d *decoder, src []byte, to pointer) bool {
	n, ok := readNumeric(src)
	if !ok {
		return false
	}
	var buffer [32]byte
	text := strconv.AppendInt(buffer[:0], n.coefficient, 10)
	text = append(text, 'e')
	text = strconv.AppendInt(text, int64(n.exp), 10)
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return false
	}
	*at[float64](to) = f
	return true
}

// numericDecoder returns the decodeFunc of whole numbers for variables of a kind.
func numericDecoder(k reflect.Kind) decodeFunc {
	switch k {
	case reflect.Int:
		return decodeNumericToInt[int]
	case reflect.Int16:
		return decodeNumericToInt[int16]
	case reflect.Int32:
		return decodeNumericToInt[int32]
	case reflect.Int64:
		return decodeNumericToInt[int64]
	}
	return nil
}

func decodeNumericToInt[T integer](d *decoder, src []byte, to pointer) bool {
	n, ok := readNumeric(src)
	if !ok || n.exp < 0 || n.exp > 18 {
		return false
	}
	for ; n.exp > 0; n.exp-- {
		if n.coefficient > mostCoefficient/10 || n.coefficient < -mostCoefficient/10 {
			return false
		}
		n.coefficient *= 10
	}
	return storeInt[T](n.coefficient, to)
}
