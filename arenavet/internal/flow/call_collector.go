package flow

import "golang.org/x/tools/go/ssa"

// The collector knows an arena's chunks, not the values in them. What Go offers
// for objects that the collector frees is therefore about a chunk, or about
// whoever gets the memory next.

// collectors lists the functions whose first argument is such an object.
var collectors = map[string]Op{
	"runtime.SetFinalizer": OpFinalizer, "runtime.AddCleanup": OpCleanup, "weak.Make": OpWeak, "unique.Make": OpUnique,
}

// collectorCall is what a call of the function that is called name does to its
// arguments, if it is one of them.
func (f *function) collectorCall(st *state, instr ssa.CallInstruction, name string, args []value) {
	o, ok := collectors[name]
	if !ok || len(args) == 0 {
		return
	}
	pos := f.position(instr)
	f.collected(st, o, keptBy(o, args[0], instr.Common().Args[0].Type()), "", pos)
	for _, v := range args[1:] {
		f.lend(st, v, pos, "kept until "+name+" runs its function")
	}
}
