package swiss

import (
	"hash/maphash"
	"math"
	"math/rand/v2"
)

// hasher hashes the keys of one table.
type hasher[K comparable] struct {
	secret secret
	seed   maphash.Seed // for kind other, which does not use secret
	kind   kind
}

// small is the secret of all tables with one group. Their keys share a group anyway, and a random number
// costs as much as two look-ups.
var (
	small     = secret{0x9e3779b97f4a7c15, 0xd6e8feb86659fd93}
	smallSeed = maphash.MakeSeed()
)

// begin sets h's secret for a table of n groups.
func (h *hasher[K]) begin(n int) {
	if h.kind == unknown {
		h.kind = kindOf[K]()
	}
	if h.kind == few {
		h.kind = word
	}
	switch {
	case n == 1 && h.kind == word:
		h.kind = few
	case n == 1:
		h.secret, h.seed = small, smallSeed
	case h.kind == other:
		h.seed = maphash.MakeSeed()
	default:
		h.secret = secret{rand.Uint64(), rand.Uint64() | 1}
	}
}

// hash returns the hash of k. It panics like a builtin map if k holds an interface whose dynamic type is not
// comparable.
//
// hash is not inlined, so the searches repeat its first lines.
func (h *hasher[K]) hash(k K) uint64 {
	if sizeOf[K]() <= 8 && h.kind == word {
		return h.secret.word(wordAt(&k))
	}
	if sizeOf[K]() <= 8 && h.kind == few {
		return wordAt(&k) * last
	}
	return h.hashLong(k)
}

// hashLong is hash for keys that are not words.
func (h *hasher[K]) hashLong(k K) uint64 {
	switch h.kind {
	case text:
		if sizeOf[K]() == sizeOf[string]() {
			return h.secret.text(as[string](&k))
		}
	case plain:
		if sizeOf[K]() == 16 {
			return h.secret.words(wordsAt(&k))
		}
		return h.secret.text(bytesAt(&k))
	case float32s:
		if sizeOf[K]() == 4 {
			return h.number(float64(as[float32](&k)))
		}
	case float64s:
		if sizeOf[K]() == 8 {
			return h.number(as[float64](&k))
		}
	}
	return maphash.Comparable(h.seed, k)
}

// number returns the hash of a float.
func (h *hasher[K]) number(f float64) uint64 {
	switch {
	case f == 0:
		return h.secret.word(0) // 0 == -0
	case f != f:
		return rand.Uint64()
	}
	return h.secret.word(math.Float64bits(f))
}

// refuse panics if k is not hashable.
func refuse[K comparable](k K) {
	if kindOf[K]() == other {
		maphash.Comparable(smallSeed, k)
	}
}
