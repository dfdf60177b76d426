//go:build arenaportable || !gc || go1.29

package machine

// Portable says that nothing in this build may rely on how the runtime lays
// out type descriptors: types are looked up through package reflect. It is on
// for toolchains two releases after the last one that the whole suite ran on
// (in between the check at start-up has to do), for compilers other than gc,
// and can be asked for with the build tag arenaportable.
const Portable = true
