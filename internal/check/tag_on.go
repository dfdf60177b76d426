//go:build arenacheck

package check

// Tag reports whether the program is built with the tag arenacheck. Allocators then also verify their own
// state after each operation that moves chunks.
const Tag = true
