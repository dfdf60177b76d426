//go:build arenacheck

package check

// Tag says that the program is built with the tag arenacheck. The allocators then
// also check themselves, after everything that moves chunks.
const Tag = true
