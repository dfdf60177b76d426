//go:build race

package arena

import "runtime"

// raceEnabled says that the program is built with -race.
const raceEnabled = true

// raceWrite has the race detector take [from, to) of a chunk as written now: a
// goroutine that reads it later, without having heard of this, is reported.
func raceWrite(base pointer, from, to uintptr) {
	if from < to {
		runtime.RaceWriteRange(addr(base, from), int(to-from))
	}
}

// What the arenas of a pool count together would be an order between all
// goroutines that use the pool, and hide from the race detector that one of
// them reads what another took back before. So such counting stands between
// raceBlind and raceSee.
func raceBlind() { runtime.RaceDisable() }
func raceSee()   { runtime.RaceEnable() }

// raceApart calls f in a goroutine of its own and waits for it, unknown to the
// race detector: f sees what was done before, but nothing that comes after is
// ordered by the locks that f takes.
func raceApart(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	raceBlind()
	<-done
	raceSee()
}
