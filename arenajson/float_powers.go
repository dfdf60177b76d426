package arenajson

import "math/bits"

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
