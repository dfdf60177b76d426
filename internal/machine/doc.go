// Package machine implements the memory of arenas. It knows nothing of what
// programs call, and its functions check no arguments.
//
// A Region is the memory of one arena: a lane for all values without pointers, and one
// for each type with pointers, which a TypeTable finds by the type's descriptor. A lane bumps an offset through its current chunk:
//
//	            Lo                           Hi       cap
//	+-----------+----------------------------+---------+
//	|  values   |  free                      | strings |   the lane without pointers
//	+-----------+----------------------------+---------+
//	|  Ts       |  free, all zero                      |   the lane of a type T
//	+-----------+--------------------------------------+
//	            Lo                              Hi = cap
//
//	older: full chunks of this epoch      free list: empty chunks
//	+---------+ +---------+               +-----+ +---------+
//	| full    | | full    |               |     | |         |
//	+---------+ +---------+               +-----+ +---------+
//
// # Glossary
//
//	lane                the memory of one type with pointers, or of all values without
//	chunk               one allocation of the Go heap, part of one lane for ever
//	free list           a lane's empty chunks, the smallest first
//	slow path           what an allocation calls that finds no memory inline
//	epoch               the time from one Reset, Release or Put of an arena to the next
//	outstanding         handed out in this epoch; for a pool: its arenas that are out
//	remaining capacity  what a limit leaves for new chunks
//	quota               counts an arena's chunks, and keeps them within the limits
//	fork                an arena for another goroutine, with its parent's epoch and quota
//	retention           which chunk a lane keeps from epoch to epoch
//	cache               the empty chunks of a pool, or of an arena, that no lane has
//	inactive            a lane that the last epochs did not use: Reset leaves it out
//	idle                in nobody's use: a chunk without values, an arena in its pool
//	high-water mark     the most bytes that were outstanding at one time
//	size class          a range of sizes that a histogram counts as one
//	size hint           the first chunk size that a pool has learned from its requests
//	tracker             records who uses an arena, and where its epochs began and ended
//	redzone             bytes between two values that nobody may access
//	poison              to mark memory so that an access is reported
//	quarantine          memory that checked builds never hand out again
//	hooks               what the packages of this module share and programs do not see
//
// Checked builds (the tag arenacheck, -race, -asan) have the tracker, redzones, poison
// and quarantine, by package check.
//
// # Compiled types
//
// Three packages compile each type once, and run what comes of it for each value:
// arenajson (to read, dec..., and to write, enc...), internal/escape, adapters/protobuf.
//
//	compile    to make a program of a type
//	program    what a type is compiled to: published whole, and never changed then
//	op         what a program does with one value
//	field      a struct's field in a program: where it lies, its op, its program
//	slot       a place in a value, a field's or an element's, that may lead elsewhere
//	recent     programs by a hash of their types, the first place to look
package machine
