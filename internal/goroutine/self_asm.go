//go:build gc && (386 || amd64 || arm || arm64 || loong64 || mips || mipsle || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x || wasm)

package goroutine

// Traced reports whether Self parses a stack trace, which takes microseconds and allocates.
const Traced = false

// Self returns the number of the calling goroutine.
func Self() uint64 { return uint64(self()) }

// self returns the address of the runtime's g, from the register or thread-local variable that holds it.
//
//go:noescape
func self() uintptr
