// Package arena is region memory for Go: arenas that are emptied at once,
// pools of arenas, slabs of one type and pools of fixed capacity, close to a bump
// pointer in speed and safe for every Go value.
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
// # What is promised
//
//  1. Any Go value may be stored in an arena object: strings, slices, maps,
//     interfaces, pointers to the heap or to any arena. The collector sees it.
//  2. A pointer into an arena keeps the memory it points to alive, even when
//     the arena is gone.
//  3. Use after Reset is a logic error that reads or writes memory others
//     have got; it never forges a pointer, corrupts the heap or crashes the
//     collector. Memory is type-stable: what held pointers of type T only
//     ever holds Ts again, and what held no pointers never holds one. What
//     crashes is a lock in such memory: to unlock a sync.Mutex or RWMutex
//     after the Reset is a fatal error of the runtime.
//  4. Everything handed out is zero, up to its capacity, unless the function's
//     name says Uninit. One misuse breaks this: a write through a stale
//     pointer, after a Reset, to memory of a type with pointers or of a Slab
//     shows up, as a T, in a later New of that same T.
//  5. Sizes that overflow, negative lengths and capacities below the length
//     panic with the function and the values, and change nothing.
//
// This holds for an arena that one goroutine at a time uses. Handing an arena,
// or a pointer into one, to another goroutine needs the same care as any
// other value.
//
// # How it works
//
// An arena takes chunks from the Go heap and bumps an offset through them.
// There are two kinds. Values without pointers, strings and bytes share one
// lane of chunks that the collector doesn't scan:
//
//	            lo                       hi        cap
//	+-----------+------------------------+---------+
//	|  objects  |          room          | strings |
//	+-----------+------------------------+---------+
//
// Each type with pointers has a lane of its own, whose chunks are slices of
// that type, made with make([]T, n): the collector knows every pointer in
// them. Nothing is hidden from it, so nothing can be freed under the program.
// Whether a T has pointers is read from its type descriptor; the lane of a T
// is found by the descriptor's address in a small direct-mapped table in
// which, up to about a hundred types, no two share a slot.
//
// Memory with pointers is cleared when it comes back, in one go and with the
// write barriers, so an idle arena pins nothing and New only has to bump.
// Memory without is cleared by New, with a few vector stores; memory that was
// never handed out since it was made is known to be clean and isn't cleared
// again, which makes a large MakeSlice in room that is still fresh O(1).
//
// When a life ends, the lane keeps the chunks that it came to, so the next life
// takes nothing from the heap; what none of about the last 128 lives needed is
// given back. After a Reset an arena's chunks are never more than its
// maxRetained: a life that needs more finds that much, and takes only the rest
// from the heap.
//
// # Maps
//
// A builtin map can lie in an arena object, but its table is on the heap. Map is
// a hash table, of the kind that the builtin map is, all of which lies in the
// arena; its groups of eight keys and values are one more type to it.
//
// # Values that are freed one by one
//
// A region frees all at once. For values of one type that come and go in any
// order, up to a number that is known, FixedPool has the same safety: it hands
// out slots of a []T, clears them, and panics with a *MisuseError when
// something is given back that is not out.
//
// # In production
//
// ArenaPool.Limit bounds the bytes of one request's chunks, and those of all
// requests that are under way: what goes over that panics with a *LimitError,
// which middleware can turn into an answer, and touches no other arena.
// ArenaPool.SampleStacks and Leaks say which function lacks a Put; package
// arenapprof makes a profile of the arenas that are out. ArenaPool.Stats is safe
// at any time; package arenavar publishes it as an expvar variable.
//
// # When it is used wrongly
//
// In programs that are built with -race, with -asan or with the tag arenacheck
// no memory of an arena is handed out twice, so that its use after its end can
// be noticed however late it comes: by the sanitizers, or by a fault that
// ExplainFaults explains. docs/safety.md has what is found in which build, and
// what is not. Other builds have none of that code.
//
// # When not to use it
//
// When objects outlive the request that made them, when there are few of
// them, or when the collector's share of the time is small to begin with: an
// arena then is one more thing to get wrong. A value that leaves the request
// must be copied out (strings.Clone, slices.Clone) before the arena goes back.
package arena
