//go:build !race

package check

const Race = false

func RaceWrite(base Pointer, from, to uintptr) {}

func RaceUse(t *Tracker)  {}
func RaceLook(t *Tracker) {}

func RaceLeave[T any](x *T) {}
func RaceTake[T any](x *T)  {}

func RaceBlind() {}
func RaceSee()   {}
