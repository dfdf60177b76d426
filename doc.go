// Package arena provides region memory: arenas that allocate values and free them all at once, and pools of arenas. An
// arena is about as fast as a bump pointer, and safe for every Go value.
//
// A program that creates many short-lived objects, such as a request handler or a decoder, pays the collector for each
// of them. With an arena it pays a few instructions for each object. Freeing all of them costs at most one pass that
// clears memory with pointers:
//
//	var pool = arena.NewArenaPool(64<<10, 0)
//
//	func handle(line string) {
//		a := pool.Get()
//		defer pool.Put(a) // frees everything below at once
//
//		e := arena.New[Entry](a)
//		e.Path = a.AllocString(line)
//		e.Tags = arena.Append(a, e.Tags, "GET", "200")
//	}
//
// A nil arena means the heap, in every function.
//
// # Promises
//
//  1. Any Go value may be stored in an arena object: strings, slices, maps, interfaces, and pointers to the heap or to
//     any arena. The collector sees it.
//  2. A pointer into an arena keeps the memory it points to alive, even after the arena is gone.
//  3. Use after Reset or Put is a logic error. It reads or writes memory that may be in use again. It never forges a
//     pointer, corrupts the heap or crashes the collector, because memory for values of a type T with pointers is
//     reused only for Ts. Some types of the standard library end the program if they are used then, such as a
//     sync.Mutex that is unlocked; see docs/safety.md.
//  4. All allocated memory is zero, up to its capacity, unless the name of the function contains Uninit. A write
//     through a stale pointer breaks this for a later value of the same type.
//  5. Sizes that overflow, negative lengths and capacities below the length panic with the function and the values,
//     and change nothing.
//
// These hold if one goroutine at a time uses the arena. Fork returns an arena for another goroutine.
//
// # Usage
//
// With Go 1.27, the generic functions that take an arena are also methods: a.New[Entry]() is arena.New[Entry](a).
//
// Copy values that outlive the request before the arena is put back, with Escape or strings.Clone. Builtin maps,
// closures and memory that other packages allocate stay on the heap. Map, Buffer and package arenajson use the arena.
//
// ArenaPool.SetLimit limits the memory of one request and of all requests. An allocation that exceeds a limit panics
// with a *LimitError. ArenaPool.SetLeakSampling and Leaks find functions that lack a Put.
//
// Programs built with -race, -asan or the tag arenacheck never reuse memory of an arena, so that uses after Put are
// detected. Other builds contain none of these checks. Command arenavet finds many mistakes without running the program.
//
// The pages in docs describe the design (design.md), the detection of mistakes (safety.md), and the conversion of
// programs (guide.md).
package arena
