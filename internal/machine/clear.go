package machine

import (
	"unsafe"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// ClearObject zeroes the n <= InlineZero bytes at p, of a chunk without
// pointers. Where n is a constant it compiles to a few vector stores, without
// the check that unsafe.Slice would make.
//
// SAFETY: the caller has reserved these n bytes. The array type is only there
// to be sliced: it may reach beyond the chunk, which checkptr would refuse.
// No write barrier is needed where no pointer can be.
//
//go:nocheckptr
func ClearObject(p xunsafe.Pointer, n uintptr) {
	clear((*[InlineZero]byte)(p)[:n])
}

// blockBytes is how many bytes ClearBlocks clears at a time.
const blockBytes = 64

// Blocks is how many bytes ClearBlocks clears for n.
func Blocks(n uintptr) uintptr { return (n + blockBytes - 1) &^ (blockBytes - 1) }

// ClearBlocks zeroes the Blocks(n) bytes at p, of a chunk without pointers, for n
// above 0: few stores, and no call, which takes longer than some blocks do.
//
// SAFETY: all of these bytes are free in the chunk, of which the caller has
// reserved the first n. p moves on only where more follows.
func ClearBlocks(p xunsafe.Pointer, n uintptr) {
	for {
		clear((*[blockBytes]byte)(p)[:])
		if n <= blockBytes {
			return
		}
		n -= blockBytes
		p = unsafe.Add(p, blockBytes)
	}
}

// BytesAt returns the n <= SmallBytes bytes at p as a slice, without the check that
// unsafe.Slice would make.
//
// SAFETY: as At. The array type is only there to be sliced: it may reach beyond
// the chunk, which checkptr would refuse.
//
//go:nocheckptr
func BytesAt(p xunsafe.Pointer, n uintptr) []byte { return (*[SmallBytes]byte)(p)[:n:n] }

// clearFlat zeroes [from, to) of a chunk without pointers.
//
// SAFETY: the range lies in the chunk.
func clearFlat(base xunsafe.Pointer, from, to uintptr) {
	clear(unsafe.Slice((*byte)(unsafe.Add(base, from)), to-from))
}

// Memory with pointers that is taken back is cleared from its end, clearPiece bytes at
// a time, half of the smallest first-level caches: what was written last is still in the
// cache, and what is cleared last is what the next epoch begins with. What is further
// than clearNear from the beginning is in no cache by then, and goes in large pieces, in
// which processors need not read a line before they clear it.
const (
	clearPiece = 16 << 10
	clearNear  = 2 << 20
)

// clearStep is how many of the last of left bytes, more than clearPiece, are cleared
// next.
func clearStep(left, size uintptr) uintptr {
	piece := uintptr(clearPiece)
	if left > 2*clearNear {
		piece = clearNear
	}
	return max(piece/size, 1) * size
}

// clearPointers zeroes [from, to), whole values of any type with pointers, with the write
// barriers that they need. A function of each type would be in no cache where an epoch
// ends that used many.
//
// SAFETY: assumption A8.
func clearPointers(base xunsafe.Pointer, from, to uintptr) {
	clear(unsafe.Slice((*xunsafe.Pointer)(unsafe.Add(base, from)), (to-from)/slotSize))
}

// clearsPointers says that assumption A8 holds: [clearPointers] clears memory of every type.
// No check at start-up can tell, so it is off on toolchains that the suite has not run on: each
// type's own function clears its memory there.
const clearsPointers = Tested
