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

// ASan reports whether the program is built with -asan.
const ASan = true

// Poison makes AddressSanitizer report every access to [from, to) of a chunk by code built with -asan, which
// excludes the runtime. A unit of 8 bytes whose beginning is accessible stays accessible there.
func Poison(base Pointer, from, to uintptr) {
	if from < to {
		C.poison(C.uintptr_t(number(base)+from), C.uintptr_t(to-from))
	}
}

// Unpoison allows access to [from, to) again. from must be a multiple of 8 bytes from base, or earlier bytes
// of its unit become accessible.
func Unpoison(base Pointer, from, to uintptr) {
	if from < to {
		C.unpoison(C.uintptr_t(number(base)+from), C.uintptr_t(to-from))
	}
}
