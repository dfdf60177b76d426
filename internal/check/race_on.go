//go:build race

package check

import "runtime"

// Race reports whether the program is built with -race.
const Race = true

// RaceWrite makes the race detector treat [from, to) of a chunk as written now, so it reports a goroutine
// that reads it later without an order.
func RaceWrite(base Pointer, from, to uintptr) {
	if from < to {
		runtime.RaceWriteRange(addr(base, from), int(to-from))
	}
}

// RaceUse tells the race detector that the arena of t is used and changed. It represents everything that the
// call accesses: functions marked norace are not instrumented, because that would take most of a call's time.
// They access only the arena's own data, not values.
func RaceUse(t *Tracker) { runtime.RaceWrite(pointerTo(t)) }

// RaceLook is RaceUse for calls that change nothing.
func RaceLook(t *Tracker) { runtime.RaceRead(pointerTo(t)) }

// RaceLeave and RaceTake order a goroutine that leaves something at x and one that takes it, if nothing else
// that the race detector sees does.
func RaceLeave[T any](x *T) { runtime.RaceReleaseMerge(pointerTo(x)) }
func RaceTake[T any](x *T)  { runtime.RaceAcquire(pointerTo(x)) }

// Shared counters of a pool would order all goroutines that use the pool, and hide from the race detector
// that one of them reads memory taken back by another. So such counting is between RaceBlind and RaceSee.
func RaceBlind() { runtime.RaceDisable() }
func RaceSee()   { runtime.RaceEnable() }
