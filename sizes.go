package arena

import (
	"reflect"
	"strconv"
)

// maxAlloc is the most bytes that one value or slice may have: what the
// address space of the largest machines holds, or a gigabyte on 32 bits.
// Below it, more than the machine has is a fatal error, as with make.
const maxAlloc = 1 << (30 + 17*(^uintptr(0)>>63))

func itoa(n int) string { return strconv.Itoa(n) }

// message begins the text of a panic of a generic function.
func message[T any](function string) string {
	return "arena: " + function + "[" + reflect.TypeFor[T]().String() + "]: "
}

// checkSlice panics unless a slice of T can have this length and capacity.
func checkSlice[T any](function string, n, c int) {
	// As unsigned numbers a negative length is above every good capacity.
	if uint(n) > uint(c) || c < 0 || sizeOf[T]() != 0 && uintptr(c) > maxAlloc/max(sizeOf[T](), 1) {
		panicSlice[T](function, n, c)
	}
}

//go:noinline
func panicSlice[T any](function string, n, c int) {
	text := "arena: " + function + "[" + reflect.TypeFor[T]().String() + "](len " + itoa(n) + ", cap " + itoa(c) + "): "
	switch {
	case n < 0:
		text += "negative length"
	case c < n:
		text += "capacity below length"
	default:
		text += "more than can be allocated at elements of " + itoa(int(sizeOf[T]())) + " bytes"
	}
	panic(text)
}

// checkSizes checks the two sizes that every arena and pool is made with, and
// fills in the default of the second.
func checkSizes(function string, chunkSize, maxRetained int) (size, retained uintptr) {
	if chunkSize <= 0 || uintptr(chunkSize) > maxAlloc {
		panic("arena: " + function + "(chunkSize " + itoa(chunkSize) + ", maxRetained " + itoa(maxRetained) +
			"): chunkSize must be from 1 to " + itoa(maxAlloc) + " bytes; 64 << 10 suits most requests")
	}
	size = uintptr(chunkSize)
	if maxRetained > 0 {
		return size, uintptr(maxRetained)
	}
	return size, min(size, maxAlloc/10) * 10
}
