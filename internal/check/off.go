//go:build !arenacheck && !race && !asan

package check

import (
	"reflect"
	"runtime"
)

// On is false: the checks are not compiled.
const On = false

// Watched is On. With the race detector it is true even if On is off.
const Watched = false

// The state of the checks for an arena, an allocator and a chunk: empty.
type (
	Tracker   struct{}
	Handle    struct{}
	Allocator struct{}
	Chunk     struct{}
)

func (t *Tracker) Begin()                  {}
func (t *Tracker) Enter(does string)       {}
func (t *Tracker) Occupy(does string)      {}
func (t *Tracker) Leave()                  {}
func (t *Tracker) Name(does string) string { return does }
func (t *Tracker) Ended(how string)        {}
func (t *Tracker) History() string         { return "" }
func (t *Tracker) Guard(c runtime.Cleanup) {}
func (t *Tracker) Unguard()                {}
func (t *Tracker) Released()               {}
func (t *Tracker) Handle() Handle          { return Handle{} }

func NewAllocator(t reflect.Type, size uintptr) Allocator { return Allocator{} }
func NewNoscanAllocator(align uintptr) Allocator          { return Allocator{} }

func (al *Allocator) WatchedBy(t *Tracker)             {}
func (al *Allocator) Tracker() *Tracker                { return nil }
func (al *Allocator) Redzone() uintptr                 { return 0 }
func (al *Allocator) TextRedzone(size uintptr) uintptr { return 0 }

func (c *Chunk) RedzoneBytes() uintptr { return 0 }

func (c *Chunk) Make(al *Allocator, size uintptr, make func(uintptr) Pointer) Pointer      { return nil }
func (c *Chunk) AddRedzone(al *Allocator, base Pointer, at, n uintptr)                     {}
func (c *Chunk) Give(al *Allocator, r Extent, from, to uintptr) (clean uintptr)            { return 0 }
func (c *Chunk) GiveUnwritten(base Pointer, from, to uintptr)                              {}
func (c *Chunk) TakeTail(base Pointer, from, to uintptr)                                   {}
func (c *Chunk) Check(al *Allocator, r Extent)                                             {}
func (c *Chunk) Quarantine(al *Allocator, r Extent, clear func(Pointer, uintptr, uintptr)) {}

func FillFree(base Pointer, from, to uintptr)                   {}
func IsFree(base Pointer, from, to uintptr, pointers bool) bool { return true }
