//go:build !arenacheck

package check

// Tag says that the program is built with the tag arenacheck.
const Tag = false
