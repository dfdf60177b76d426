package arenajson

import (
	"math/bits"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// A byte of each of a word's eight: what both directions look at eight bytes at a time with.
const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

const zeros = '0' * ones

// powersOfTen are those that fit a uint64.
var powersOfTen = func() (table [20]uint64) {
	for i, p := 0, uint64(1); i < len(table); i, p = i+1, p*10 {
		table[i] = p
	}
	return
}()

// special has the top bit of each byte of w set that is a quote, a backslash or a
// control character. Only the lowest one set can be relied on: a borrow goes upwards.
func special(w uint64) uint64 {
	q, b := w^'"'*ones, w^'\\'*ones
	return ((q-ones)&^q | (b-ones)&^b | (w-' '*ones)&^w) & tops
}

// unusual is special, and finds what is not ASCII, too: with the second lowest bit turned, a quote
// and control characters are what is less than '!'.
func unusual(w uint64) uint64 {
	return (w | (w ^ ('"'^' ')*ones - '!'*ones) | (w ^ '\\'*ones - ones)) & tops
}

// zeroBytes has the top bit of each byte of w set that is zero. Only the lowest one
// can be relied on.
func zeroBytes(w uint64) uint64 { return (w - ones) &^ w & tops }

// pairsOf times a number below 1<<16 is that number in all four pairs of bytes.
const pairsOf = 0x0001000100010001

// both times three bytes is two characters of three bytes in a word. They look like
// characters by the bits in threeLooks.
const (
	both        = 1 | 1<<24
	threeLooks  = 0xc0c0f0 * both
	threeValues = 0x8080e0 * both
)

// areTwos returns how many bytes of w are characters of two bytes, none of which fits one.
func areTwos(w uint64) int {
	long := (w&(0x1e*pairsOf) + 0xfe*pairsOf) & (0x100 * pairsOf) // never carries into the next pair
	other := (w ^ 0x80c0*pairsOf) & (0xc0e0 * pairsOf)
	return bits.TrailingZeros64(other|long^0x100*pairsOf) / 16 * 2
}

// shortText is the bytes of s, from 1 to 7, the first one lowest, and zeros.
func shortText(s string) uint64 {
	n := uint(len(s))
	if n >= 4 {
		return uint64(xunsafe.Text32(s, 0)) | uint64(xunsafe.Text32(s, int(n)-4))<<((n-4)*8&63)
	}
	return uint64(s[0]) | uint64(s[n/2])<<(n/2*8&63) | uint64(s[n-1])<<((n-1)*8&63)
}

// areMostUsual reports whether x and y, which look like two characters of three bytes each,
// are of those that need no second look: their first bytes are none of 0xe0, 0xe2 and 0xed,
// nor 0xef.
func areMostUsual(x, y uint64) bool {
	a, b := x&(0x0d*both), y&(0x0d*both)
	return (a+0x0f*both)&(0x1c*both-a)&(b+0x0f*both)&(0x1c*both-b)&(0x10*both) == 0x10*both
}
