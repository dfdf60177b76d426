// Package guard makes the memory of a cycle that has ended unusable, and knows which
// cycle an address is of: for checked builds, where it does so with every cycle, and for
// a pool in plain builds, where it does so with one in many (the idea of GWP-ASan, in
// LLVM and Chromium: see Serebryany et al., GWP-ASan: Sampling-Based Detection of
// Memory-Safety Bugs in Production, 2023).
//
//   - Memory without pointers lies in whole pages. Access to them is forbidden, so that it
//     faults (on Linux and macOS with pages no larger than the runtime's, see HavePages).
//     They are pages of runs, which are objects of the Go heap: once nothing points
//     into a run any more, a finalizer allows access again, and the collector gets it. (The
//     collector doesn't look into such memory.)
//   - Memory with pointers must stay readable for the collector. It is filled with dead
//     values: pointers to memory that nobody can access, which tell the cycle (see
//     quarantine.go), and DeadLen for numbers.
//
// It works on addresses and sizes, and knows nothing of allocators and arenas.
package guard
