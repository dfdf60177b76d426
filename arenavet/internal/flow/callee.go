package flow

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// unlocks reports whether a call of the function that is called name gives back a
// mutex. In memory that was cleared, or that others have got, it ends the
// program.
func unlocks(name string) bool {
	switch name {
	case "sync.Mutex.Unlock", "sync.RWMutex.Unlock", "sync.RWMutex.RUnlock", "sync.Locker.Unlock":
		return true
	}
	return false
}

// unlocksBy reports whether an instruction is a call that gives back a mutex.
func unlocksBy(instr ssa.Instruction) bool {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	if common := call.Common(); common.IsInvoke() {
		return unlocks(catalog.FunctionName(common.Method))
	} else if fn := common.StaticCallee(); fn != nil {
		return unlocks(catalog.CalleeName(fn))
	}
	return false
}

// callsParallel reports whether a test's function calls t.Parallel: it then runs
// when the function that has called t.Run has returned.
func callsParallel(v ssa.Value) bool {
	if c, ok := v.(*ssa.MakeClosure); ok {
		v = c.Fn
	}
	fn, ok := v.(*ssa.Function)
	if !ok {
		return false
	}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if c, ok := instr.(*ssa.Call); ok && c.Call.StaticCallee() != nil && catalog.CalleeName(c.Call.StaticCallee()) == "testing.T.Parallel" {
				return true
			}
		}
	}
	return false
}

// isLoopBody reports whether fn is the body of a range over a function. The
// function that it is given to calls it, if at all, before it returns.
func isLoopBody(fn *ssa.Function) bool {
	return fn != nil && fn.Synthetic == "range-over-func yield"
}
