package flow

import (
	"cmp"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A function that takes an arena back and then uses something that it was
// given is at fault where that lies in this arena, as an object that holds the
// arena it lies in does. Only its caller knows. As with reads, only what
// happens on every path counts.

// LateUse says that the function uses what is at a place after it has taken an
// arena back.
type LateUse struct {
	At     Place
	Arena  Place
	By     Op
	Unlock bool      // by giving back a mutex
	pos    token.Pos // of the use
	ended  token.Pos
}

type lateKey struct{ arena, used *Site }

// lateUse is a LateUse before its places are known.
type lateUse struct {
	by     Op
	unlock bool
	pos    token.Pos
	ended  token.Pos
}

// noteEnd notes that an arena that callers know was taken back; by is nil where
// there is none to take back.
func (f *function) noteEnd(st *state, k *Site, by *Event) {
	if _, ok := f.place(k); ok && k.Kind == SymbolSite && len(st.ended) < maxReads {
		st.ended[k] = by
	}
}

// noteLate notes a use of v, if callers may know that it lies in an arena that
// was taken back before. What lies behind a field is not meant: code that is
// not known may have put something else there.
func (f *function) noteLate(st *state, v value, unlock bool, pos token.Pos) {
	atoms := v.atoms()
	if len(st.ended) == 0 || len(atoms) != 1 || atoms[0].Region != nil || atoms[0].Stale != nil || !isGiven(atoms[0].Site) {
		return
	}
	for arena, by := range st.ended {
		if by != nil {
			f.late(st, lateKey{arena, atoms[0].Site}, lateUse{by.Op, unlock, pos, by.Pos})
		}
	}
}

func (f *function) late(st *state, key lateKey, use lateUse) {
	if had, ok := st.late[key]; ok && (had.unlock || !use.unlock) || !ok && len(st.late) >= maxReads {
		return
	}
	st.late[key] = use
}

// isGiven reports whether k is an argument, or a captured variable's content.
func isGiven(k *Site) bool {
	if k.Kind != SymbolSite {
		return false
	}
	switch k.root.(type) {
	case *ssa.Parameter:
		return !strings.Contains(k.Path, deref)
	case *ssa.FreeVar:
		return k.Path == deref
	}
	return false
}

// joinLate leaves what both paths have done.
func (s *state) joinLate(t *state) bool {
	changed := false
	for k, by := range s.ended {
		other, ok := t.ended[k]
		if !ok {
			delete(s.ended, k)
			changed = true
		} else if by == nil && other != nil {
			s.ended[k] = other
			changed = true
		}
	}
	for k := range s.late {
		if _, ok := t.late[k]; !ok {
			delete(s.late, k)
			changed = true
		}
	}
	return changed
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

// applyLate is what a callee uses after it has taken an arena back.
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
