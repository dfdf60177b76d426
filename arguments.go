package arena

import (
	"reflect"
	"strconv"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

func itoa(n int) string { return strconv.Itoa(n) }

// message returns the beginning of the text of a generic function's panic.
func message[T any](function string) string {
	return "arena: " + function + "[" + reflect.TypeFor[T]().String() + "]: "
}

// checkSlice panics unless a slice of T can have this length and capacity.
func checkSlice[T any](function string, n, c int) {
	// As unsigned numbers a negative length is above every good capacity.
	if uint(n) > uint(c) || c < 0 || xunsafe.SizeOf[T]() != 0 && uintptr(c) > machine.MaxAlloc/max(xunsafe.SizeOf[T](), 1) {
		panicSlice[T](function, n, c)
	}
}

//go:noinline
func panicSlice[T any](function string, n, c int) {
	panicSizes(function+"["+reflect.TypeFor[T]().String()+"]", xunsafe.SizeOf[T](), n, c)
}

// panicSizes panics for the length and capacity of a slice of elements of size bytes.
func panicSizes(function string, size uintptr, n, c int) {
	text := "arena: " + function + "(len " + itoa(n) + ", cap " + itoa(c) + "): "
	switch {
	case n < 0:
		text += "negative length"
	case c < n:
		text += "capacity below length"
	default:
		text += "more than can be allocated at elements of " + itoa(int(size)) + " bytes"
	}
	panic(text)
}

// checkSizes checks the sizes of a new arena or pool, and returns the second with its default.
func checkSizes(function string, chunkSize, maxRetained int) (size, retained uintptr) {
	if chunkSize <= 0 || uintptr(chunkSize) > machine.MaxAlloc {
		panic("arena: " + function + "(chunkSize " + itoa(chunkSize) + ", maxRetained " + itoa(maxRetained) +
			"): chunkSize not in [1, " + itoa(machine.MaxAlloc) + "]")
	}
	size = uintptr(chunkSize)
	if maxRetained > 0 {
		return size, uintptr(maxRetained)
	}
	return size, min(size, machine.MaxAlloc/10) * 10
}

// checkLimit checks a limit.
func checkLimit(function string, bytes int) uintptr {
	if bytes < 0 {
		panic("arena: " + function + ": negative limit " + itoa(bytes))
	}
	return uintptr(bytes)
}
