package swiss

import "math/bits"

// How keys are hashed.
//
// A hostile client that knows which keys share a group can make a table as slow
// as a list. So each table has a secret of its own, 128 bits from the runtime's
// ChaCha8 generator, and a key is only ever mixed together with it:
//
//	fold(x, y) = high word of x*y XOR low word of x*y       (128-bit product)
//
//	a word w         fold(w ^ secret[0], secret[1])
//	two words v, w   fold(v ^ secret[0], w ^ secret[1])
//	a string         16 bytes at a time, what comes out in place of secret[0]
//	                 for the next; secret[0] is turned by the length first
//
// and multiplied by an odd number at last. Without that, keys in equal steps (1, 2,
// 3, or addresses) come to lie in clusters under one secret of thirty, because
// both words of the product are straight lines then, and lines of an unlucky slope
// meet; with it they lie as random numbers do. The upper half of the hash is what
// that made of all bits below, so the place of a key is taken from there.
//
// This is the multiplication of wyhash (Wang Yi) and, with nothing but secrets
// and keys as its factors, that of foldhash (Orson Peters). Keys that collide
// under every secret are not known; two keys collide for about one secret in
// 2^63, most of those secrets being the ones that make a factor 0 or -1.
// Which keys share a group under one secret can only be learned by watching
// that table (its order, its timing), and a table in an arena is gone, with its
// secret, before the answer to a request is read. What this is not is a
// cryptographic hash: a table that lives for long and answers an attacker's
// every question is safer with the builtin map, whose hash is AES.
//
// The length turns the secret instead of being added or XORed, since two keys
// of different lengths could be chosen that make up for a number that is known.
//
// What equals must hash alike. Types whose values are equal when their bytes
// are go this way: integers, booleans, pointers, channels, and arrays and
// structs of them without padding or blank fields. Floats do after 0 was told
// from -0, and NaNs, which equal nothing, get a random hash each, so that they
// spread. All the rest (interfaces, and what holds strings or floats or
// padding) is hash/maphash's: the runtime's own hash of a map's key.

// secret is the secret that a table's hashes depend on.
type secret [2]uint64

func fold(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	return hi ^ lo
}

// last is the factor at last: 2^64 over the golden section.
const last = 0x9e3779b97f4a7c15

func (s *secret) word(w uint64) uint64 { return fold(w^s[0], s[1]) * last }

func (s *secret) words(v, w uint64) uint64 { return fold(v^s[0], w^s[1]) * last }

// text hashes a string.
func (s *secret) text(t string) uint64 {
	n := len(t)
	acc, key := bits.RotateLeft64(s[0], n), s[1]
	switch {
	case n >= 8:
		for n > 16 {
			acc = fold(load64(t)^acc, load64(t[8:])^key)
			if n -= 16; n < 16 {
				// The last 16 bytes, some of which may have been had before.
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

// load64 returns the first 8 bytes of t. The compiler makes one load of it.
func load64(t string) uint64 {
	_ = t[7]
	return uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 |
		uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
}

func load32(t string) uint32 {
	_ = t[3]
	return uint32(t[0]) | uint32(t[1])<<8 | uint32(t[2])<<16 | uint32(t[3])<<24
}

// placeOf is where a search for a key with hash h begins, to be cut down to the
// number of groups.
func placeOf(h uint64) uint { return uint(h >> 32) }
