package swiss

import "math/bits"

// Hashing of keys.
//
// A client that knows which keys share a group can make a table as slow as a list. So each table has its own
// secret, 128 bits from the runtime's ChaCha8 generator, and keys are mixed with it by
//
//	fold(x, y) = high word of x*y XOR low word of x*y       (128-bit product)
//
//	a word w         fold(w ^ secret[0], secret[1])
//	two words v, w   fold(v ^ secret[0], w ^ secret[1])
//	a string         16 bytes at a time; each result replaces secret[0] for
//	                 the next; secret[0] is first rotated by the length
//
// The result is multiplied by an odd number. Without this, keys in equal steps (1, 2, 3, or addresses) form
// clusters under 1 of 30 secrets, because both words of the product are then linear in the key. The place of
// a key comes from the upper half of the hash, which depends on all lower bits.
//
// The multiplication is that of wyhash (Wang Yi); using only secrets and keys as factors is due to foldhash
// (Orson Peters). No keys are known that collide under every secret. Two given keys collide for about 1
// secret in 2^63, mostly secrets that make a factor 0 or -1. An attacker could learn which keys share a group
// only by observing one table (its order or its timing), and a table in an arena is gone before the response
// is read. This is not a cryptographic hash: for a long-lived table that answers an attacker's queries, the
// builtin map, which hashes with AES, is safer.
//
// The length rotates the secret and is not added or XORed, because keys of two lengths could be chosen to
// cancel a known number.
//
// Equal keys must have equal hashes. Types whose values are equal exactly if their bytes are equal use this
// hash: integers, booleans, pointers, channels, and arrays and structs of these without padding or blank
// fields. So do floats, with 0 and -0 unified; each NaN, which equals nothing, gets a random hash. All other
// types (interfaces, and types that contain strings, floats or padding) use hash/maphash, which is the
// runtime's hash of map keys.

// secret is the secret of a table's hash function.
type secret [2]uint64

func fold(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	return hi ^ lo
}

// last is the final factor: 2^64 divided by the golden ratio.
const last = 0x9e3779b97f4a7c15

func (s *secret) word(w uint64) uint64 { return fold(w^s[0], s[1]) * last }

func (s *secret) words(v, w uint64) uint64 { return fold(v^s[0], w^s[1]) * last }

// text returns the hash of a string.
func (s *secret) text(t string) uint64 {
	n := len(t)
	acc, key := bits.RotateLeft64(s[0], n), s[1]
	switch {
	case n >= 8:
		for n > 16 {
			acc = fold(load64(t)^acc, load64(t[8:])^key)
			if n -= 16; n < 16 {
				// The last 16 bytes may overlap the previous ones.
				t = t[n:]
				break
			}
			t = t[16:]
		}
		return fold(load64(t)^acc, load64(t[len(t)-8:])^key) * last
	case n >= 4:
		return fold(uint64(load32(t))^acc, uint64(load32(t[n-4:]))^key) * last
	case n > 0:
		return fold((uint64(t[0])|uint64(t[n/2])<<8|uint64(t[n-1])<<16)^acc, key) * last
	}
	return fold(acc, key) * last
}

// load64 returns the first 8 bytes of t. The compiler turns it into one load.
func load64(t string) uint64 {
	_ = t[7]
	return uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 |
		uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
}

func load32(t string) uint32 {
	_ = t[3]
	return uint32(t[0]) | uint32(t[1])<<8 | uint32(t[2])<<16 | uint32(t[3])<<24
}

// placeOf returns the start of the search for a key with hash h, to be reduced to the number of groups.
func placeOf(h uint64) uint { return uint(h >> 32) }
