package life

import (
	"iter"
	"math/bits"
	"slices"
)

// set are references, by their numbers in a table. Functions go over large ones again and again: one
// word has 64. A set that is nil has none, and gets none.
type set struct{ words []uint64 }

// setOf has one.
func setOf(n int) *set {
	s := &set{}
	s.put(n)
	return s
}

func (s *set) has(n int) bool { return n/64 < len(s.words) && s.words[n/64]>>(n%64)&1 != 0 }

// put reports whether it has put a new one.
func (s *set) put(n int) bool {
	if s.has(n) {
		return false
	}
	s.grow(n/64 + 1)
	s.words[n/64] |= 1 << (n % 64)
	return true
}

func (s *set) grow(words int) {
	if more := words - len(s.words); more > 0 {
		s.words = append(s.words, make([]uint64, more)...)
	}
}

// putAll puts another's.
func (s *set) putAll(t *set) bool { return s.putIn(t, t) }

// putIn puts those of another that are in a third.
func (s *set) putIn(t, only *set) (changed bool) {
	n := min(t.size(), only.size())
	for n > len(s.words) && t.words[n-1]&only.words[n-1] == 0 {
		n--
	}
	if n == 0 {
		return false
	}
	s.grow(n)
	to, with := s.words[:n], only.words[:n]
	for i, w := range t.words[:n] {
		if w = w & with[i] &^ to[i]; w != 0 {
			to[i] |= w
			changed = true
		}
	}
	return changed
}

// without are those that are not in another.
func (s *set) without(t *set) *set {
	all := &set{slices.Clone(s.words)}
	for i := range min(all.size(), t.size()) {
		all.words[i] &^= t.words[i]
	}
	return all
}

// len is how many there are.
func (s *set) len() (n int) {
	for i := range s.size() {
		n += bits.OnesCount64(s.words[i])
	}
	return n
}

// size is how many words there are.
func (s *set) size() int {
	if s == nil {
		return 0
	}
	return len(s.words)
}

func (s *set) empty() bool {
	return s == nil || !slices.ContainsFunc(s.words, func(w uint64) bool { return w != 0 })
}

// meets reports whether one is in another, too.
func (s *set) meets(t *set) bool {
	for i := range min(s.size(), t.size()) {
		if s.words[i]&t.words[i] != 0 {
			return true
		}
	}
	return false
}

// within reports whether all are in another.
func (s *set) within(t *set) bool {
	for i := range s.size() {
		if w := s.words[i]; w != 0 && (i >= t.size() || w&^t.words[i] != 0) {
			return false
		}
	}
	return true
}

func (s *set) equal(t *set) bool { return s.within(t) && t.within(s) }

// all are the numbers, in order. Those that are put meanwhile may be among them.
func (s *set) all() iter.Seq[int] { return s.both(s) }

// both are those that are in another, too.
func (s *set) both(t *set) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; i < min(s.size(), t.size()); i++ {
			for w := s.words[i] & t.words[i]; w != 0; w &= w - 1 {
				if !yield(i*64 + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}
