//go:build gc

package arenajson

import (
	"unicode/utf8"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// blocks writes s from i on up to what must not stand as it is, and returns how many bytes that
// are: none where it would be at once, less where they are not UTF-8.
func (e *encoder) blocks(w xunsafe.Pointer, s string, i int) int {
	n, bad := putBlocks(&markVectors[e.html], xunsafe.Cast[byte](w), xunsafe.Cast[byte](xunsafe.Add(xunsafe.TextOf(s), uintptr(i))), len(s)-i)
	switch {
	case bad:
		return -1
	case i+n < len(s) && s[i+n] >= utf8.RuneSelf:
		n -= 2 // the other bytes of a line end
	}
	return n
}
