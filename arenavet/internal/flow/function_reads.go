package flow

import (
	"cmp"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A function that reads memory of its caller through an object, as a method reads a field, is at fault if the caller
// has reset the arena before. The caller reports it. Only reads on every path count, so a function that checks first is
// fine.
//
// A function that takes an arena back and then uses an argument is at fault if the argument is memory of that arena,
// such as an object that holds its own arena. Only the caller knows.

// readsOf returns the places that the function reads on every path.
func (f *function) readsOf(exit *state) []Read {
	var out []Read
	for k, unlock := range exit.reads {
		if p, ok := f.place(k); ok {
			out = append(out, Read{p, unlock})
		}
	}
	slices.SortFunc(out, func(a, b Read) int { return strings.Compare(a.At.key(), b.At.key()) })
	return out
}

// applyReads applies a callee's reads, before its other effects: it may reset the arena afterwards.
func (f *function) applyReads(st *state, instr ssa.CallInstruction, s *Summary, args []value) {
	for _, r := range s.Reads {
		var memory value
		for _, a := range f.resolve(st, instr, r.At, args).atoms() {
			if a.Region != nil || a.Stale == nil {
				memory = memory.add(entry{"", a})
			}
		}
		f.useBy(st, memory, instr, r.Unlock)
	}
}

// lateOf returns the uses of the function after it has taken an arena back.
func (f *function) lateOf(exit *state) []LateUse {
	var out []LateUse
	for k, use := range exit.late {
		arena, ok1 := f.place(k.arena)
		at, ok2 := f.place(k.used)
		if ok1 && ok2 {
			out = append(out, LateUse{at, arena, use.by, use.unlock, use.pos, use.ended})
		}
	}
	slices.SortFunc(out, func(a, b LateUse) int {
		return cmp.Or(strings.Compare(a.At.key(), b.At.key()), strings.Compare(a.Arena.key(), b.Arena.key()))
	})
	return out
}

// applyLate applies a callee's uses after it has taken an arena back.
func (f *function) applyLate(st *state, instr ssa.CallInstruction, s *Summary, args []value, name string) {
	for _, l := range s.Late {
		arena, used := f.resolve(st, instr, l.Arena, args), f.resolve(st, instr, l.At, args).atoms()
		if !exactly(arena) || len(used) != 1 || used[0].Stale != nil {
			continue
		}
		k, u := arena.atoms()[0].Site, used[0]
		if u.Region == k {
			f.seeLate(u, l, name, f.position(instr))
		} else if _, ok := f.place(k); ok && u.Region == nil && isGiven(u.Site) {
			f.late(st, lateKey{k, u.Site}, lateUse{l.By, l.Unlock, l.pos, l.ended})
		}
	}
}

func (f *function) seeLate(a Atom, l LateUse, name string, pos token.Pos) {
	if f.within(l.pos) {
		// In a literal of this function, the position is that of the use.
		a.Stale = &Event{Op: l.By, Pos: l.ended}
		f.see(Fault{Kind: FaultUse, Of: a, Pos: l.pos, Unlock: l.Unlock})
		return
	}
	f.see(Fault{Kind: FaultLate, Of: a, Op: l.By, Unlock: l.Unlock, Via: name, Pos: pos})
}
