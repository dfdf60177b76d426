package flow

import (
	"cmp"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A function that reads memory of its caller's through the object that holds
// it, as a method does with a field, is at fault where the caller has reset the
// arena before: the caller reports it. Only what is read on every path counts,
// so that a function that looks first whether there is anything is not meant.
//
// A function that takes an arena back and then uses something that it was
// given is at fault where that lies in this arena, as an object that holds the
// arena it lies in does. Only its caller knows.

// readsOf are the places that a function has read when it returns.
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

// applyReads does a callee's reads here, before anything else that it
// does: it may reset the arena afterwards.
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

// lateOf are the late uses of a function when it returns.
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

// applyLate does a callee's uses after it has taken an arena back.
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
		// A literal of this function, which shows the place where it is.
		a.Stale = &Event{Op: l.By, Pos: l.ended}
		f.see(Fault{Kind: FaultUse, Of: a, Pos: l.pos, Unlock: l.Unlock})
		return
	}
	f.see(Fault{Kind: FaultLate, Of: a, Op: l.By, Unlock: l.Unlock, Via: name, Pos: pos})
}
