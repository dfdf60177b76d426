package ignore

import "github.com/ebbpool/arena"

func sameLine(a *arena.Arena) {
	b := a.AllocBytes(10)
	a.Reset()
	b[0] = 1 //arenavet:ignore a test of what a stale write does
}

func lineAbove(a *arena.Arena) {
	b := a.AllocBytes(10)
	a.Reset()
	//arenavet:ignore a test of what a stale write does
	b[0] = 1
}

func withoutReason(a *arena.Arena) {
	b := a.AllocBytes(10)
	a.Reset()
	/* want `arenavet:ignore without a reason suppresses nothing` */ //arenavet:ignore
	b[0] = 1                                                         // want `use of b`
}

func otherLine(a *arena.Arena) {
	//arenavet:ignore this is not the line
	b := a.AllocBytes(10)
	a.Reset()
	b[0] = 1 // want `use of b`
}

// What is ignored on one line does not speak for later ones.
func laterLine(a *arena.Arena) {
	b := a.AllocBytes(10)
	a.Reset()
	b[0] = 1 //arenavet:ignore a test of what a stale write does
	a.AllocBytes(10)
	b[1] = 2 // want `use of b, memory of arena a`
}

// A comment after code is about that line alone.
func nextLine(a *arena.Arena) {
	b := a.AllocBytes(10)
	a.Reset()
	b[0] = 1 //arenavet:ignore a test of what a stale write does
	b[1] = 2 // want `use of b, memory of arena a`
}
