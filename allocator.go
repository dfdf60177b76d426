package arena

import (
	"unsafe"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// An Allocator is a handle to an arena's memory for one type. It saves the look-up of the type in New. It may be copied.
// All copies, and New, allocate from the same memory.
//
// A handle is valid as long as its arena is in use, across Reset and Rewind, and
// belongs to the goroutine that owns the arena. It must not be used after the arena's
// Release or Put. As with New, such a use is a logic error that is safe for the
// process, and builds with checks panic. Limits and statistics include the allocations of
// a handle.
//
// The zero Allocator is not usable: New panics.
type Allocator[T any] struct {
	watch check.Handle
	chunk *machine.Chunk // machine.NoChunk if each New takes the slow path
	arena *Arena
}

// AllocatorFor returns a handle to a's memory for values of type T, for loops that
// allocate many of them. If a is nil, the handle allocates from the heap.
//
// AllocatorFor costs about as much as New. Call it once for each request, not once for each object.
//
//go:nosplit
func AllocatorFor[T any](a *Arena) Allocator[T] {
	if !machine.NoLayout() && !check.Watched && a != nil {
		key := machine.KeyOf((*T)(nil))
		if al := a.region.Types.Lookup(key); al.Key == key {
			return Allocator[T]{chunk: al.Current(), arena: a}
		}
	}
	return allocatorForSlow[T](a)
}

// allocatorForSlow is the slow path of AllocatorFor: nil arena, noscan type, or first use of T.
//
//go:noinline
func allocatorForSlow[T any](a *Arena) Allocator[T] {
	al := Allocator[T]{chunk: &machine.NoChunk, arena: a}
	if a == nil {
		return al
	}
	if check.Watched {
		a.region.Enter("AllocatorFor")
		defer a.region.Leave()
		al.watch = a.region.Watch.Handle()
	}
	if chunk := machine.CurrentOf[T](&a.region); !check.Watched {
		al.chunk = chunk
	}
	return al
}

// New returns a pointer to a zero T, like the function New. If T has pointers, it is
// inlined to a bump of an offset. For other types it calls the function New.
func (al Allocator[T]) New() *T {
	if check.Watched {
		al.mustBeCurrent()
	}
	return take(al.chunk, al, newSlowOf[T])
}

// take returns the next T of chunk, or calls slow if the chunk is full. slow is a
// parameter because the inliner charges less for calling one than for calling a
// function by name. The test for nil panics rather than calls slow because a second
// way to that call makes the compiler save registers before both tests.
func take[T any](chunk *machine.Chunk, al Allocator[T], slow func(Allocator[T]) *T) (p *T) {
	if chunk == nil {
		panic(notMade)
	}
	// SAFETY: chunk belongs to the allocator of T: Lo and Hi are multiples of the size of T,
	// and all bytes between them are zero. Or it is machine.NoChunk, whose Lo and Hi are
	// always equal.
	if chunk.Lo == chunk.Hi {
		return slow(al)
	}
	p = (*T)(unsafe.Add(chunk.Base, chunk.Lo))
	chunk.Lo += unsafe.Sizeof(*p)
	return
}

// newSlowOf is the slow path of Allocator.New: full chunk, noscan type, or nil arena.
func newSlowOf[T any](al Allocator[T]) *T { return New[T](al.arena) }

// notMade is a variable because the inliner charges for a conversion at the panic.
var notMade any = "arena: Allocator.New: the Allocator was not made by AllocatorFor"

// mustBeCurrent panics if the arena was put or released since AllocatorFor.
func (al Allocator[T]) mustBeCurrent() {
	a := al.arena
	if a == nil {
		return
	}
	if al.watch != a.region.Watch.Handle() {
		panic(message[T]("Allocator.New") + "arena was released since AllocatorFor" + a.region.Watch.History())
	}
}
