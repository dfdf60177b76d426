package convert

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// inRoom reports whether an append may find room in an array of the function's own: where the compiler has that on the
// stack, arena.Append would only take longer. One without room goes to the heap as soon as it grows, whatever
// the compiler tells of it.
func inRoom(i ssa.Instruction) bool {
	return appends(i) && inArray(i.(ssa.Value), map[ssa.Value]bool{})
}

func appends(i ssa.Instruction) bool {
	call, ok := i.(*ssa.Call)
	if !ok {
		return false
	}
	b, ok := call.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == "append"
}

// inArray reports whether a list may begin in an array of its function, as that of make with a constant does.
func inArray(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return false
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Alloc:
		return v.Comment != "slicelit" // which is full
	case *ssa.Slice:
		return inArray(v.X, seen)
	case *ssa.Phi:
		return slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return inArray(e, seen) })
	case *ssa.Call:
		return appends(v) && inArray(v.Call.Args[0], seen)
	}
	return false
}
