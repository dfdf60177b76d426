package swiss

import "math/bits"

// slots is the number of entries in a group: one for each byte of a word.
const slots = 8

// Group is a part of a table: a control word and eight entries. The zero Group is empty.
//
// Keys and values are in separate arrays, so that large values do not move keys away from their control word,
// and small ones need no padding.
type Group[K comparable, V any] struct {
	ctrl ctrl
	keys [slots]K
	vals [slots]V
}

// ctrl is a control word. Its lowest byte belongs to slot 0. It is only used as a number, so byte order does
// not matter.
type ctrl uint64

// The states of a control byte. All other values are full.
const (
	empty   = 0x00 // not used since the group was last empty; ends a search
	deleted = 0x01 // used before; a search continues
	full    = 0x80 // plus the tag: seven bits of the key's hash
)

const (
	ones = 0x0101010101010101 // the lowest bit of each byte
	tops = 0x8080808080808080 // the highest bit of each byte
)

// tagOf returns the control byte of an entry with hash h.
func tagOf(h uint64) ctrl { return ctrl(h>>57 | full) }

// The methods below return sets of slots. A set has the highest bit of the byte of each of its slots, and no
// other bits.

// match returns the slots that hold tag. It may also return a full slot after a match whose tag differs in
// the lowest bit only; the caller compares keys anyway.
func (c ctrl) match(tag ctrl) ctrl {
	x := c ^ ones*tag
	return (x - ones) &^ x & tops
}

// hasEmpty reports whether there is an empty slot. The expression is not exact as a set: it may also contain
// a deleted slot after an empty one.
func (c ctrl) hasEmpty() bool { return (c-ones)&^c&tops != 0 }

// free returns the empty and deleted slots.
func (c ctrl) free() ctrl { return ^c & tops }

// taken returns the full slots.
func (c ctrl) taken() ctrl { return c & tops }

// first returns the first slot of a non-empty set.
func (c ctrl) first() uint { return uint(bits.TrailingZeros64(uint64(c))) / 8 % slots }

// rest returns the set without its first slot.
func (c ctrl) rest() ctrl { return c & (c - 1) }

// at returns the control byte of slot i. It requires i < slots.
func (c ctrl) at(i uint) ctrl { return c >> (i % slots * 8) & 0xff }

// with returns c with b as the control byte of slot i. It requires i < slots.
func (c ctrl) with(i uint, b ctrl) ctrl {
	shift := i % slots * 8
	return c&^(0xff<<shift) | b<<shift
}
