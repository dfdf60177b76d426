package ssaform

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// maxDispatch is the number of calls and variables that concreteType follows.
const maxDispatch = 4

// Invoked returns the method that a call through an interface reaches, or nil if the dynamic type is unknown.
func Invoked(common *ssa.CallCommon) *ssa.Function {
	t := concreteType(common.Value, 0, 0)
	if t == nil || types.IsInterface(t) {
		return nil
	}
	prog := common.Value.Parent().Prog
	found := prog.MethodSets.MethodSet(t).Lookup(common.Method.Pkg(), common.Method.Name())
	if found == nil || len(found.Index()) != 1 {
		return nil // no method, or a promoted one
	}
	own, ok := found.Obj().(*types.Func)
	if !ok {
		return nil
	}
	fn := prog.FuncValue(own.Origin())
	if fn == nil || !types.Identical(fn.Signature.Recv().Type(), t) {
		return nil // it is called with the target of a pointer
	}
	return fn
}

// concreteType returns the dynamic type of an interface, or of result n of a call, or nil if there may be several.
func concreteType(v ssa.Value, n, depth int) types.Type {
	if depth > maxDispatch {
		return nil
	}
	same := func(list []ssa.Value, n int) (t types.Type) {
		for _, v := range list {
			if k, ok := v.(*ssa.Const); ok && k.IsNil() {
				continue // a nil interface: the call panics
			}
			u := concreteType(v, n, depth+1)
			if u == nil || t != nil && !types.Identical(t, u) {
				return nil
			}
			t = u
		}
		return t
	}
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return v.X.Type()
	case *ssa.ChangeInterface:
		return concreteType(v.X, n, depth)
	case *ssa.Extract:
		return concreteType(v.Tuple, v.Index, depth)
	case *ssa.Phi:
		return same(v.Edges, n)
	case *ssa.Call:
		fn := v.Call.StaticCallee()
		if fn == nil {
			return nil
		}
		var list []ssa.Value
		for _, b := range fn.Blocks {
			if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
				list = append(list, ret.Results[n])
			}
		}
		return same(list, 0)
	}
	return nil
}

// Unlocks reports whether a function unlocks a mutex. In memory that is zeroed or reused, that may end the program.
func Unlocks(name string) bool {
	switch name {
	case "sync.Mutex.Unlock", "sync.RWMutex.Unlock", "sync.RWMutex.RUnlock", "sync.Locker.Unlock":
		return true
	}
	return false
}

// UnlocksBy reports whether an instruction unlocks a mutex.
func UnlocksBy(instr ssa.Instruction) bool {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	if common := call.Common(); common.IsInvoke() {
		return Unlocks(catalog.FunctionName(common.Method))
	} else if fn := common.StaticCallee(); fn != nil {
		return Unlocks(catalog.CalleeName(fn))
	}
	return false
}
