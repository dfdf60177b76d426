// Package guard makes the memory of ended cycles inaccessible, and maps an address to its cycle. Checked builds guard
// every cycle. A pool in a plain build can guard a sample of cycles, like GWP-ASan in LLVM and Chromium (Serebryany et
// al., GWP-ASan: Sampling-Based Detection of Memory-Safety Bugs in Production, 2023).
//
//   - Memory without pointers consists of whole pages, which are made inaccessible, so that an access faults (on Linux
//     and macOS, if pages are no larger than the runtime's; see HavePages). The pages belong to runs, which are objects
//     of the Go heap. When nothing points into a run, its finalizer makes the pages accessible again, and the collector
//     frees the run. The collector does not scan such memory.
//   - Memory with pointers must stay readable for the collector. It is filled with dead values: pointers to
//     inaccessible addresses, which identify the cycle (quarantine.go), and DeadLen for integers.
//
// The package works on addresses and sizes. It does not depend on allocators and arenas.
package guard
