// Package check implements the misuse checks of builds with the tag arenacheck, -race or -asan. A Tracker
// records which goroutine uses an arena and where its cycles began and ended. Allocator and Chunk add
// redzones between values and quarantine freed memory.
//
// It works on addresses, offsets and sizes, and is called by allocators, arenas and pools. In plain builds On
// and Watched are constant false, the types are empty, and no function of this package is linked.
package check

// Extent describes a chunk: Size bytes at Base, of which [Lo, Hi) is free.
type Extent struct {
	Base         Pointer
	Lo, Hi, Size uintptr
}
