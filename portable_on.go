//go:build arenaportable || !gc || go1.28

package arena

// portable says that nothing in this build may rely on how the runtime lays
// out type descriptors: types are looked up through package reflect. It is on
// for toolchains that the assumptions in unsafe.go were never checked on, and
// can be asked for with the build tag arenaportable.
const portable = true
