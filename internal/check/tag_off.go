//go:build (race || asan) && !arenacheck

package check

import "reflect"

// run is unused.
type run struct{}

// Functions of the tag arenacheck, empty.

func deadFiller(t reflect.Type) func(Pointer, uintptr, uintptr, Pointer) { return nil }
func catchFaults()                                                       {}

func (al *Allocator) fillRedzone(base Pointer, at, n uintptr) {}

func (al *Allocator) makeChecked(n uintptr, make func(uintptr) Pointer) (Pointer, *run) {
	return make(n), nil
}

func (c *Chunk) GiveUnwritten(base Pointer, from, to uintptr)                {}
func (c *Chunk) noteGiven(al *Allocator, r Extent, from, to uintptr) uintptr { return 0 }
func (c *Chunk) noteTail(base Pointer, from, to uintptr)                     {}
func (c *Chunk) recycleLists(al *Allocator)                                  {}
func (c *Chunk) protect(al *Allocator, r Extent)                             {}
func (c *Chunk) Check(al *Allocator, r Extent)                               {}
func FillFree(base Pointer, from, to uintptr)                                {}
func IsFree(base Pointer, from, to uintptr, pointers bool) bool              { return true }
