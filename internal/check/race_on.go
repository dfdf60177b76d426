//go:build race

package check

import "runtime"

// Race says that the program is built with -race.
const Race = true

// RaceWrite has the race detector take [from, to) of a chunk as written now: a
// goroutine that reads it later, without having heard of this, is reported.
func RaceWrite(base Pointer, from, to uintptr) {
	if from < to {
		runtime.RaceWriteRange(addr(base, from), int(to-from))
	}
}

// RaceUse tells the race detector that what t watches is used and changed. It
// stands for all that the call touches: the functions with go:norace are left
// out of the race detector's and of AddressSanitizer's sight, which would take
// most of a call's time. They look only at what is an arena's own,
// and at no value.
func RaceUse(t *Tracker) { runtime.RaceWrite(pointerTo(t)) }

// RaceLook is RaceUse for what changes nothing.
func RaceLook(t *Tracker) { runtime.RaceRead(pointerTo(t)) }

// RaceLeave and RaceTake are the order between who leaves something, at x, and
// who takes it, where nothing that the race detector sees lies between.
func RaceLeave[T any](x *T) { runtime.RaceReleaseMerge(pointerTo(x)) }
func RaceTake[T any](x *T)  { runtime.RaceAcquire(pointerTo(x)) }

// What the arenas of a pool count together would be an order between all
// goroutines that use the pool, and hide from the race detector that one of
// them reads what another took back before. So such counting stands between
// RaceBlind and RaceSee.
func RaceBlind() { runtime.RaceDisable() }
func RaceSee()   { runtime.RaceEnable() }
