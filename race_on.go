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
