package flow

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
)

// arenaCall models a call of package arena. It reports whether the function is known.
func (f *function) arenaCall(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, name string, args []value, deferred bool) (value, bool) {
	pos := f.position(instr)
	arg := func(i int) value { return nth(args, i) }
	short := name[strings.LastIndex(name, ".")+1:]
	switch name {
	case "NewArena":
		k := f.site(instr, "", HandleSite, pos)
		st.remake(k)
		return one(Atom{Site: k}), true
	case "ArenaPool.Get":
		k := f.site(instr, "", HandleSite, pos)
		k.gotten = true
		f.lostInLoop(st, k)
		st.remake(k)
		happen(st, st.open, k, pos, "")
		return one(Atom{Site: k}), true
	case "NewArenaPool", "NewAutoPool", "NewKeyedPool":
		return f.unknownInstr(st, instr), true

	case "New", "MakeSlice", "MakeSliceUninit", "Arena.AllocString", "Arena.AllocBytes", "Arena.AllocBytesToString",
		"NewBuffer", "Allocator.New", "arenareflect.New", "arenareflect.MakeSlice":
		for i, a := range args[1:] {
			if len(common.Args) > i+1 {
				f.read(st, a, instr)
			}
		}
		return f.allocate(st, instr, name, arg(0)), true
	case "Append":
		return f.arenaAppend(st, instr, common, args), true

	case "Arena.Reset":
		f.useHandle(st, arg(0), pos)
		f.takeBack(st, arg(0), OpReset, pos, true, deferred, short)
	case "Arena.Release":
		f.useHandle(st, arg(0), pos)
		f.takeBack(st, arg(0), OpRelease, pos, true, deferred, short)
	case "Arena.Mark":
		f.useHandle(st, arg(0), pos)
		return f.mark(st, f.site(instr, "", MarkSite, pos), arg(0)), true
	case "Arena.Rewind":
		f.useHandle(st, arg(0), pos)
		f.rewind(st, arg(0), arg(1), pos, true, deferred, short)
	case "Arena.Stats":
		f.useHandle(st, arg(0), pos)

	case "Arena.Fork":
		return f.fork(st, instr, arg(0), pos), true

	case "ArenaPool.Put":
		f.putFork(arg(1), pos)
		f.takeBack(st, arg(1), OpPut, pos, true, deferred, short)
	case "ArenaPool.Do":
		f.do(st, instr, arg(len(args)-1), pos, deferred)
	default:
		return f.madeCall(st, instr, common, name, args)
	}
	return nil, true
}

// arenaAppend models arena.Append(a, s, items...), which returns s or a copy of s in a.
func (f *function) arenaAppend(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, args []value) value {
	args = append(args, nil, nil, nil)[:3:3]
	f.use(st, args[1], instr)
	f.use(st, args[2], instr)
	items := value(nil)
	if len(common.Args) == 3 {
		items = f.contents(st, args[2], common.Args[2].Type())
	}
	grown := f.allocate(st, instr, "Append", args[0])
	out := args[1].union(grown)
	old := value(nil)
	if len(common.Args) > 1 {
		old = f.contents(st, args[1], common.Args[1].Type())
	}
	f.touch(st, args[1])
	f.putIn(st, out, access.Element, items, f.position(instr))
	f.put(st, grown[0].a.Site, access.Element, nil, old, false, f.position(instr))
	return out
}

// do models ArenaPool.Do, which calls a function with an arena and then puts the arena back.
func (f *function) do(st *state, instr ssa.CallInstruction, fn value, pos token.Pos, deferred bool) {
	k := f.site(instr, "do", HandleSite, pos)
	st.remake(k)
	arena := one(Atom{Site: k})
	called := f.closures(st, fn, []value{arena})
	for _, t := range called {
		args := t.args
		s := f.c.Summary(t.fn)
		if s == nil {
			continue
		}
		f.apply(st, instr, s, args, len(called) == 1, deferred)
		for _, e := range s.Effects {
			if e.Op == OpPut && e.At == (Place{}) {
				f.see(Fault{Kind: FaultTwice, Of: Atom{Site: k, Stale: &Event{Op: OpPut, Pos: e.pos, Name: "Put"}}, Op: OpPut, Pos: pos})
			}
		}
	}
	if len(called) == 0 {
		f.yields(st, fn, []value{arena})
		f.letGo(st, fn)
	}
	f.takeBack(st, arena, OpPut, pos, true, deferred, "Do")
}

// fixedpoolCall models a call of package fixedpool. A slot is a region of its own, from Allocate to Deallocate.
func (f *function) fixedpoolCall(st *state, instr ssa.CallInstruction, name string, args []value, deferred bool) (value, bool) {
	pos := f.position(instr)
	switch name {
	case "New", "NewSync":
		return f.unknownInstr(st, instr), true
	case "Pool.Allocate", "SyncPool.Allocate":
		k := f.site(instr, "", MemorySite, pos)
		k.Slot = true
		st.remake(k)
		return one(Atom{Site: k, Region: k}), true
	case "Pool.Deallocate", "SyncPool.Deallocate":
		f.takeBack(st, args[1], OpDeallocate, pos, true, deferred, "Deallocate")
		return nil, true
	}
	return nil, false
}
