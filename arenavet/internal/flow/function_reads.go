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

// usesOf returns the uses of the function in callers' terms.
func (f *function) usesOf(exit *state) []Access {
	var out []Access
	for k, u := range exit.uses {
		at, ok := f.place(k.used)
		arena, known := f.place(k.arena)
		if ok && (known || k.arena == nil) {
			out = append(out, Access{at, arena, u.by, u.unlock, u.pos, u.ended})
		}
	}
	slices.SortFunc(out, func(a, b Access) int {
		return cmp.Or(strings.Compare(a.At.key(), b.At.key()), strings.Compare(a.Arena.key(), b.Arena.key()), int(a.By)-int(b.By))
	})
	return out
}

// applyUses applies a callee's uses, before its other effects: it may reset the arena afterwards.
func (f *function) applyUses(st *state, instr ssa.CallInstruction, s *Summary, args []value, name string) {
	for _, u := range s.Uses {
		used := f.resolve(st, instr, u.At, args).atoms()
		if u.By == 0 {
			var memory value
			for _, a := range used {
				if a.Region != nil || a.Stale == nil {
					memory = memory.add(entry{"", a})
				}
			}
			f.useBy(st, memory, instr, u.Unlock)
			continue
		}
		arena := f.resolve(st, instr, u.Arena, args)
		if !exactly(arena) || len(used) != 1 || used[0].Stale != nil {
			continue
		}
		k, a := arena.atoms()[0].Site, used[0]
		if a.Region == k {
			f.seeLate(a, u, name, f.position(instr))
		} else if _, ok := f.place(k); ok && a.Region == nil && isGiven(a.Site) {
			f.noteUse(st, useKey{k, a.Site}, use{u.By, u.Unlock, u.pos, u.ended})
		}
	}
}

func (f *function) seeLate(a Atom, u Access, name string, pos token.Pos) {
	if f.within(u.pos) {
		// In a literal of this function, the position is that of the use.
		a.Stale = &Event{Op: u.By, Pos: u.ended}
		f.see(Fault{Kind: FaultUse, Of: a, Pos: u.pos, Unlock: u.Unlock})
		return
	}
	f.see(Fault{Kind: FaultLate, Of: a, Op: u.By, Unlock: u.Unlock, Via: name, Pos: pos})
}
