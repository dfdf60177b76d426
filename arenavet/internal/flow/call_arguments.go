package flow

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

func (f *function) touchArgs(st *state, args []value) {
	for _, a := range args {
		f.touch(st, a)
	}
}

// useArgs reports stale memory that is passed to a call.
func (f *function) useArgs(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, args []value, reached []target) {
	name := ""
	if len(reached) == 1 {
		name = catalog.CalleeName(catalog.Origin(reached[0].fn))
	}
	for i, a := range args {
		if catalog.IsHandle(common.Args[i].Type()) && len(reached) > 0 && f.c.Summary(reached[0].fn) != nil {
			continue // its summary reports whether it uses it
		}
		f.use(st, a, instr)
		if catalog.ReadsDeep(name) {
			st.reach(a, func(b Atom, depth int) {
				if depth > 0 && b.Region != nil {
					f.use(st, one(b), instr)
				} else if depth > 0 {
					st.noteRead(one(b), false) // a captured variable's, which a deferred literal reads late
				}
			})
		}
	}
	if common.IsInvoke() {
		f.use(st, f.eval(st, common.Value), instr)
	}
	if len(reached) == 1 && len(reached[0].args) > len(args) && reached[0].fn.Signature.Recv() != nil {
		f.useBy(st, reached[0].args[0], instr, ssaform.Unlocks(name)) // the receiver of a method value
	}
}

// callArguments applies the functions that are passed to a call, because the callee may call them. It may also not call
// them, so they take nothing back. If a summary tells which values the callee passes to them, apply has applied them.
func (f *function) callArguments(st *state, instr ssa.CallInstruction, args []value, reached ...target) {
	for i, a := range args {
		if slices.ContainsFunc(reached, func(t target) bool {
			s := f.c.Summary(t.fn)
			return s != nil && slices.ContainsFunc(s.Effects, func(e Effect) bool { return e.Op == OpYields && e.At == Place{Param: i} })
		}) {
			continue
		}
		for _, t := range f.passed(st, a) {
			s := f.c.Summary(t.fn)
			if s == nil {
				continue
			}
			weak := &Summary{Writes: weakWrites(s)}
			for _, e := range s.Effects {
				if e.Op == OpSent || e.Op == OpUnknown || e.Op == OpKeep || e.Op == OpUse && ssaform.IsLoopBody(t.fn) {
					e.Must = false
					weak.Effects = append(weak.Effects, e)
				}
			}
			f.apply(st, instr, weak, t.args, false, false)
		}
	}
}
