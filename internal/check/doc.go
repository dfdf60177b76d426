// Package check has what builds with the tag arenacheck, with -race or with
// -asan add to find misuse: a Tracker records who uses an arena at the moment and
// where its cycles began and ended; Allocator and Chunk add redzones between values and
// put freed memory in quarantine.
//
// It works on addresses, offsets and sizes, and knows nothing of allocators, arenas
// and pools: those call it. In plain builds On and Watched are constant false,
// the types are empty, and nothing of this package is in the program.
package check

// Extent describes a chunk: Size bytes at Base, of which [Lo, Hi) is not handed out.
type Extent struct {
	Base         Pointer
	Lo, Hi, Size uintptr
}
