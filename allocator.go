package arena

import (
	"unsafe"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// An Allocator is a handle to the memory that an arena has for one type: what New looks
// up at each call, looked up once by AllocatorFor. It is two words and may be copied;
// all copies take from the same memory, and so does New.
//
// A handle is good for as long as its arena is in use: through Reset, marks and
// rewinds; limits and statistics count what it hands out as they count what New
// does. It belongs to the goroutine that the arena belongs to. After the arena's
// Release, or its Put in a pool, it must not be used any more. Such a use is like
// the same use of New: safe for the process, a logic error, and a panic in builds
// with checks.
//
// The zero Allocator allocates from the heap.
type Allocator[T any] struct {
	watch check.Handle
	chunk *machine.Chunk // machine.NoChunk where each New has to ask
	arena *Arena
}

// AllocatorFor returns a handle to a's memory for Ts, for loops that allocate many of
// them. It takes no memory but the record that the arena has of each type with
// pointers. If a is nil, the handle's New takes from the heap.
//
// It costs about as much as a New: take a handle once for each request, not once
// for each object.
//
//go:nosplit
func AllocatorFor[T any](a *Arena) Allocator[T] {
	if !machine.NoLayout() && !check.Watched && a != nil {
		key := machine.KeyOf((*T)(nil))
		if l := a.region.Types.Lane(key); l.Key == key {
			return Allocator[T]{chunk: l.Current(), arena: a}
		}
	}
	return allocatorForSlow[T](a)
}

// allocatorForSlow is AllocatorFor without an arena, and for a type without pointers or not met
// before.
//
//go:noinline
func allocatorForSlow[T any](a *Arena) Allocator[T] {
	l := Allocator[T]{chunk: &machine.NoChunk, arena: a}
	if a == nil {
		return l
	}
	if check.Watched {
		a.enter("AllocatorFor")
		defer a.leave()
		l.watch = a.region.Watch.Handle()
	}
	if chunk := machine.CurrentOf[T](&a.region); !check.Watched {
		l.chunk = chunk
	}
	return l
}

// New returns a pointer to a zero T: what the function New returns for the
// handle's arena. Where T has pointers it inlines to a compare and a bump; for
// other Ts it is a call of the function New.
func (l Allocator[T]) New() *T {
	if check.Watched {
		l.mustBeCurrent()
	}
	return take(l.chunk, l.arena, New[T])
}

// take hands out the next T of chunk, or what more has where there is none. more is
// a parameter because the compiler counts the call of one for less than another,
// and where it inlines this it calls what was passed.
func take[T any](chunk *machine.Chunk, a *Arena, more func(*Arena) *T) (p *T) {
	// SAFETY: chunk is that of the lane of T: Lo and Hi are multiples of the size of T,
	// and all between them is zero. Or it is machine.NoChunk, whose Lo and Hi are equal
	// for ever.
	if chunk == nil || chunk.Lo == chunk.Hi {
		return more(a)
	}
	p = (*T)(unsafe.Add(chunk.Base, chunk.Lo))
	chunk.Lo += unsafe.Sizeof(*p)
	return
}

// mustBeCurrent panics if the arena was put back or released since AllocatorFor.
func (l Allocator[T]) mustBeCurrent() {
	a := l.arena
	if a == nil {
		return
	}
	a.enter("Allocator.New")
	defer a.leave()
	if l.watch != a.region.Watch.Handle() {
		panic(message[T]("Allocator.New") + "the arena was released since AllocatorFor returned this handle; ask for another one" + a.region.Watch.History())
	}
}
