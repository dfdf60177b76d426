package arenajson

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// Members of a map are sorted by numbers: the first bytes of a name, the first one
// highest, and in the lowest bits which member it is. Comparing and moving those is
// much less than comparing names and moving members. Where several names begin alike,
// they are sorted by what follows.

// fewMembers are sorted by their names alone.
const fewMembers = 8

// sortNames puts the numbers from 0 to len(order)-1 into order, as the names that they
// are the numbers of come. name is what the i-th is called.
func sortNames(order []uint64, name func(i int) string) {
	for i := range order {
		order[i] = uint64(i)
	}
	width := bits.Len(uint(len(order)))
	sortFrom(order, 0, width, name)
	for i := range order {
		order[i] &= 1<<width - 1
	}
}

// sortFrom sorts names that are alike up to byte from. The members are numbers of so
// many bits.
func sortFrom(order []uint64, from, width int, name func(i int) string) {
	const deep = 64
	which := uint64(1)<<width - 1
	if len(order) <= fewMembers || from >= deep {
		slices.SortFunc(order, func(x, y uint64) int { return strings.Compare(name(int(x&which)), name(int(y&which))) })
		return
	}
	step := (64 - width) / 8 // bytes that there is room for
	for i, x := range order {
		x &= which
		order[i] = x | wordAt(name(int(x)), from)&^(1<<(64-8*step)-1)
	}
	slices.Sort(order)
	for len(order) > 0 {
		n := 1
		for n < len(order) && (order[n]^order[0])>>(64-8*step) == 0 {
			n++
		}
		if n > 1 {
			sortFrom(order[:n], from+step, width, name)
		}
		order = order[n:]
	}
}

// wordAt is the 8 bytes of s from i on, the first one highest, with zeros behind the
// end.
func wordAt(s string, i int) uint64 {
	switch left := len(s) - i; {
	case left >= 8:
		return bits.ReverseBytes64(xunsafe.Text64(s, i))
	case left > 0:
		return bits.ReverseBytes64(shortText(s[i:]))
	}
	return 0
}
