package swiss

import "math/bits"

// slots is how many entries a group has: as many as a word has bytes.
const slots = 8

// Group is a part of a table: a control word and eight entries. A zero
// group is an empty one, so memory that an arena hands out needs no more work.
//
// Keys and values stand apart, so that a large value doesn't move keys away
// from their control word, and a small one costs no padding.
type Group[K comparable, V any] struct {
	ctrl ctrl
	keys [slots]K
	vals [slots]V
}

// ctrl is a control word: a byte for each slot, the lowest for slot 0. It is
// only ever looked at as a number, so the order of its bytes in memory is none
// of our business.
type ctrl uint64

// What a control byte says. All others are full.
const (
	empty   = 0x00 // never filled since the group was last empty: a search ends here
	deleted = 0x01 // filled once: a search goes on
	full    = 0x80 // and seven bits of the key's hash, the tag
)

const (
	ones = 0x0101010101010101 // the lowest bit of each byte
	tops = 0x8080808080808080 // the highest
)

// tagOf is the control byte of an entry with hash h.
func tagOf(h uint64) ctrl { return ctrl(h>>57 | full) }

// The methods below return sets of slots: a set has the highest bit of the byte
// of each slot in it, and no other bit.

// match returns the slots that hold tag, and seldom a slot too many: one that
// follows a match and holds a tag that differs in the lowest bit. Such a slot
// is full, too, so comparing its key is all that it costs.
func (c ctrl) match(tag ctrl) ctrl {
	x := c ^ ones*tag
	return (x - ones) &^ x & tops
}

// hasEmpty reports whether there is an empty slot. (The set itself would not be
// exact: a deleted slot after an empty one would be in it.)
func (c ctrl) hasEmpty() bool { return (c-ones)&^c&tops != 0 }

// free returns the slots that are empty or deleted.
func (c ctrl) free() ctrl { return ^c & tops }

// taken returns the slots that are full.
func (c ctrl) taken() ctrl { return c & tops }

// first returns the first slot of a set, which is not empty.
func (c ctrl) first() uint { return uint(bits.TrailingZeros64(uint64(c))) / 8 % slots }

// rest returns a set without its first slot.
func (c ctrl) rest() ctrl { return c & (c - 1) }

// at returns the control byte of slot i < slots.
func (c ctrl) at(i uint) ctrl { return c >> (i % slots * 8) & 0xff }

// with returns c with b as the control byte of slot i < slots.
func (c ctrl) with(i uint, b ctrl) ctrl {
	shift := i % slots * 8
	return c&^(0xff<<shift) | b<<shift
}
