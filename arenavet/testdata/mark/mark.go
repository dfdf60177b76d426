package mark

import "github.com/ebbpool/arena"

func innerAfterOuter(a *arena.Arena) {
	outer := a.Mark()
	a.AllocString("x")
	inner := a.Mark()
	a.AllocString("y")
	a.Rewind(outer)
	a.Rewind(inner) // want `Rewind to a mark of arena a, which Rewind on line 10 has taken back, so it panics: rewind inner marks before outer ones`
}

func afterReset(a *arena.Arena) {
	m := a.Mark()
	a.Reset()
	a.Rewind(m) // want `Rewind to a mark of arena a, which Reset`
}

func afterRelease(a *arena.Arena) {
	m := a.Mark()
	a.Release()
	a.Rewind(m) // want `Rewind to a mark of arena a, which Release`
}

func onOnePath(a *arena.Arena, full bool) {
	m := a.Mark()
	if full {
		a.Reset()
	}
	a.Rewind(m) // want `Rewind to a mark of arena a, which Reset`
}

func deferred(a *arena.Arena) {
	m := a.Mark()
	defer a.Rewind(m) // want `Rewind to a mark of arena a, which Reset`
	a.AllocString("x")
	a.Reset()
}

func fineNested(a *arena.Arena) {
	outer := a.Mark()
	a.AllocString("x")
	inner := a.Mark()
	a.AllocString("y")
	a.Rewind(inner)
	a.Rewind(outer)
}

func fineAgain(a *arena.Arena) {
	m := a.Mark()
	for range 10 {
		a.AllocString("x")
		a.Rewind(m)
	}
}

func fineLoop(a *arena.Arena, n int) {
	outer := a.Mark()
	for range n {
		inner := a.Mark()
		a.AllocString("x")
		a.Rewind(inner)
	}
	a.Rewind(outer)
}

// Two marks of one place are the same mark.
func fineSamePlace(a *arena.Arena) {
	m := a.Mark()
	n := a.Mark()
	a.AllocString("x")
	a.Rewind(m)
	a.Rewind(n)
}

func fineDeferred(a *arena.Arena) {
	defer a.Rewind(a.Mark())
	a.AllocString("x")
}

func fineNewMark(a *arena.Arena) {
	m := a.Mark()
	a.AllocString("x")
	a.Rewind(m)
	a.Reset()
	m = a.Mark()
	a.Rewind(m)
}
