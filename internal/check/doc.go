// Package check is what builds with the tag arenacheck, with -race or with
// -asan add to find misuse: who is in an arena at the moment and where its lives
// began and ended (Witness), what lies between values (Lane, Chunk), and what
// becomes of memory that was taken back.
//
// It works on addresses, offsets and sizes, and knows nothing of lanes, arenas
// and pools: those call it. In plain builds On and Watched are constant false,
// the types are empty, and nothing of this package is in the program.
package check

// Room is what the checks are told of a chunk: its memory, size bytes at Base,
// of which [Lo, Hi) is not handed out.
type Room struct {
	Base         Pointer
	Lo, Hi, Size uintptr
}
