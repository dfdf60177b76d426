package arenajson

import (
	"math/bits"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// Text, eight bytes in a word. Scanner and encoder look for bytes that end plain text, and validate UTF-8, by
// arithmetic on all bytes of a word. Functions return the top bit of each byte found; because of borrows
// only the lowest one is reliable. vectors_amd64.go does the same for blocks of 32 bytes.

const (
	ones  = 0x0101010101010101
	tops  = 0x80 * ones
	zeros = '0' * ones
)

// powersOfTen are the powers that fit a uint64.
var powersOfTen = func() (table [20]uint64) {
	for i, p := 0, uint64(1); i < len(table); i, p = i+1, p*10 {
		table[i] = p
	}
	return
}()

// special finds quotes, backslashes and control characters.
func special(w uint64) uint64 {
	q, b := w^'"'*ones, w^'\\'*ones
	return ((q-ones)&^q | (b-ones)&^b | (w-' '*ones)&^w) & tops
}

// unusual finds what special finds, and bytes that are not ASCII. With the second lowest bit flipped, quotes
// and control characters are the bytes below '!'.
func unusual(w uint64) uint64 {
	return (w | (w ^ ('"'^' ')*ones - '!'*ones) | (w ^ '\\'*ones - ones)) & tops
}

// zeroBytes finds zeros.
func zeroBytes(w uint64) uint64 { return (w - ones) &^ w & tops }

// shortText returns the bytes of s, from 1 to 7, the first one lowest, and zeros.
func shortText(s string) uint64 {
	n := uint(len(s))
	if n >= 4 {
		return uint64(xunsafe.Text32(s, 0)) | uint64(xunsafe.Text32(s, int(n)-4))<<((n-4)*8&63)
	}
	return uint64(s[0]) | uint64(s[n/2])<<(n/2*8&63) | uint64(s[n-1])<<((n-1)*8&63)
}

// pairsOf repeats two bytes in a word.
const pairsOf = 0x0001000100010001

// areTwos returns the length of the characters of two bytes that w begins with, none of which fits one byte.
func areTwos(w uint64) int {
	long := (w&(0x1e*pairsOf) + 0xfe*pairsOf) & (0x100 * pairsOf) // never carries into the next pair
	other := (w ^ 0x80c0*pairsOf) & (0xc0e0 * pairsOf)
	return bits.TrailingZeros64(other|long^0x100*pairsOf) / 16 * 2
}

// both repeats three bytes in a word. A word is two characters of three bytes, valid or not, if its bits in
// threeLooks are threeValues.
const (
	both        = 1 | 1<<24
	threeLooks  = 0xc0c0f0 * both
	threeValues = 0x8080e0 * both
)

// areMostUsual reports whether all of two such words are valid and need no further look, because no first
// byte is 0xe0, 0xe2, 0xed or 0xef.
func areMostUsual(x, y uint64) bool {
	a, b := x&(0x0d*both), y&(0x0d*both)
	return (a+0x0f*both)&(0x1c*both-a)&(b+0x0f*both)&(0x1c*both-b)&(0x10*both) == 0x10*both
}

// areThrees sets bit 23 of each character of such a word that is valid.
func areThrees(w uint64) uint64 {
	const carry = 0x7fffff * both
	lead := w & (0x200f * both)
	return (lead + carry) & (lead ^ 0x200d*both + carry)
}

// isUsual reports whether the first character of such a word is valid and neither U+2028 nor U+2029, the line
// ends of JavaScript.
func isUsual(w uint64) bool {
	x := w & 0x200f
	return x != 0 && x != 0x200d && w&0xfeffff != 0xa880e2
}

// areUsual is isUsual for both characters, with results as those of areThrees.
func areUsual(w uint64) uint64 {
	const carry = 0x7fffff * both
	end := (w ^ 0xa880e2*both) & (0x3e3f0f * both)
	return areThrees(w) & (end + carry)
}
