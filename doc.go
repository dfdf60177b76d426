// Package arena is region memory: arenas that are emptied at once and pools of arenas,
// close to a bump pointer in speed and safe for every Go value.
//
// A program that makes many short-lived objects, such as a request handler, a
// decoder or a game tick, pays the collector for each of them. With an arena
// it pays a few instructions for each and, for the end of all of them, at most
// one pass that clears the memory that had pointers:
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
// A nil arena stands for the heap, in every function.
//
// # What is promised
//
//  1. Any Go value may be stored in an arena object: strings, slices, maps,
//     interfaces, pointers to the heap or to any arena. The collector sees it.
//  2. A pointer into an arena keeps the memory it points to alive, even when
//     the arena is gone.
//  3. Use after Reset or Put is a logic error that reads or writes memory others
//     have got; it never forges a pointer, corrupts the heap or crashes the
//     collector: what held pointers of type T only ever holds Ts again. Some uses
//     of types of the standard library end the program, such as to unlock a
//     sync.Mutex there; docs/safety.md lists them.
//  4. Everything handed out is zero, up to its capacity, unless the function's
//     name says Uninit. A write through a stale pointer breaks this: it shows up, as
//     a T, in a later New of that same T.
//  5. Sizes that overflow, negative lengths and capacities below the length
//     panic with the function and the values, and change nothing.
//
// This holds for an arena that one goroutine at a time uses; Fork makes one for another
// goroutine.
//
// # What to know
//
// What leaves the request must be copied out before the arena goes back: Escape,
// strings.Clone. Builtin maps, closures and what other packages make stay on the heap;
// Map, Buffer and package arenajson are in the arena.
//
// ArenaPool.SetLimit bounds the bytes of one request, and of all: what goes over panics
// with a *LimitError. ArenaPool.SetLeakSampling and Leaks say which function lacks a Put.
//
// Programs that are built with -race, -asan or the tag arenacheck hand no memory of an
// arena out twice, so that a use after its end is noticed. Other builds have none of that
// code. Command arenavet finds much of it without running anything.
//
// The pages in docs say how it works (design.md), what finds which mistake (safety.md)
// and how to convert a program and when not to (guide.md).
package arena
