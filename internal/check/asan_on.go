//go:build asan

package check

// #include <stdint.h>
// #include <sanitizer/asan_interface.h>
//
// // Addresses come as numbers: as pointers, cgo would look at what they point
// // to, and refuse chunks whose values point to the Go heap.
// static void poison(uintptr_t p, uintptr_t n) { __asan_poison_memory_region((void *)p, n); }
// static void unpoison(uintptr_t p, uintptr_t n) { __asan_unpoison_memory_region((void *)p, n); }
import "C"

// ASan says that the program is built with -asan.
const ASan = true

// Poison has AddressSanitizer report every access to [from, to) of a chunk, by
// code that is built with -asan; the runtime is not. Pieces of 8 bytes that
// are accessible at their beginning stay so.
func Poison(base Pointer, from, to uintptr) {
	if from < to {
		C.poison(C.uintptr_t(number(base)+from), C.uintptr_t(to-from))
	}
}

// Unpoison allows access to [from, to) again. From must be a multiple of 8
// bytes from base, or what comes before it in its piece becomes accessible.
func Unpoison(base Pointer, from, to uintptr) {
	if from < to {
		C.unpoison(C.uintptr_t(number(base)+from), C.uintptr_t(to-from))
	}
}
