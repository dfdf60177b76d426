package stale

import "github.com/ebbpool/arena"

// Loops that leave some of what they range over.

func deletedSome(a *arena.Arena, rows [][]string) (n int) {
	index := map[string]*Entry{}
	for _, row := range rows {
		for _, w := range row {
			index[w] = arena.New[Entry](a)
		}
		for k, e := range index {
			n += e.N // want `use of memory of arena a, which Reset`
			if n > 3 {
				delete(index, k)
			}
		}
		a.Reset()
	}
	return n
}

func droppedOther(a *arena.Arena, turns int) (n int) {
	slots, others := make([]*Entry, 8), make([]*Entry, 8)
	for range turns {
		for i := range slots {
			if slots[i] == nil {
				slots[i] = arena.New[Entry](a)
			}
			n += slots[i].N // want `use of memory of arena a, which Reset`
		}
		for i := range others {
			others[i] = nil
		}
		a.Reset()
	}
	return n
}

func droppedAllButOne(a *arena.Arena, turns int) (n int) {
	slots := make([]*Entry, 8)
	for range turns {
		for i := range slots {
			if slots[i] == nil {
				slots[i] = arena.New[Entry](a)
			}
			n += slots[i].N // want `use of memory of arena a, which Reset`
		}
		for i := 1; i < len(slots); i++ {
			slots[i] = nil
		}
		a.Reset()
	}
	return n
}

// Loops that leave nothing.

// A map that a loop empties before its memory goes.
func fineDeleted(a *arena.Arena, rows [][]string) (n int) {
	index := map[string]*Entry{}
	for _, row := range rows {
		for _, w := range row {
			index[w] = arena.New[Entry](a)
		}
		for k, e := range index {
			n += e.N
			delete(index, k)
		}
		a.Reset()
	}
	return n
}

// The same in a field.
func (g *group) fineDeletedField(lines []string) (n int) {
	for _, l := range lines {
		n += g.add(l).N
		if len(g.index) > 10 {
			for k := range g.index {
				delete(g.index, k)
			}
			g.a.Reset()
		}
	}
	return n
}

// A slice whose elements a loop drops before their memory goes.
func fineDropped(a *arena.Arena, turns int) (n int) {
	slots := make([]*Entry, 8)
	for t := range turns {
		for i := range slots {
			if slots[i] == nil {
				slots[i] = arena.New[Entry](a)
			}
			n += slots[i].N
		}
		if t%100 == 99 {
			for i := range slots {
				slots[i] = nil
			}
			a.Reset()
		}
	}
	return n
}

// The same in a field, with structs, counted by hand.
func fineDroppedField(f *frames, turns int) (n int) {
	for t := range turns {
		for i := range f.list {
			if f.list[i].e == nil {
				f.list[i] = cell{e: arena.New[Entry](f.a)}
			}
			n += f.list[i].e.N
		}
		if t%100 == 99 {
			for i := 0; i < len(f.list); i++ {
				f.list[i] = cell{}
			}
			f.a.Reset()
		}
	}
	return n
}

type frames struct {
	a    *arena.Arena
	list []cell
}

type cell struct {
	e    *Entry
	path string
}
