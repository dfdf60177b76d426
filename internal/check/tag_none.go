//go:build !arenacheck

package check

// Tag reports whether the program is built with the tag arenacheck.
const Tag = false
