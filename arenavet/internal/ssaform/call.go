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
	t := DynamicType(common.Value)
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

// DynamicType returns the dynamic type of an interface, or nil if there may be several.
func DynamicType(v ssa.Value) types.Type { return dynamicType(v, 0, 0) }

// ResultType returns the dynamic type of result n of a function, or nil if there may be several.
func ResultType(fn *ssa.Function, n int) types.Type { return resultType(fn, n, 0) }

func dynamicType(v ssa.Value, n, depth int) types.Type {
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return v.X.Type()
	case *ssa.ChangeInterface:
		return dynamicType(v.X, n, depth)
	case *ssa.Extract:
		return dynamicType(v.Tuple, v.Index, depth)
	case *ssa.Phi:
		return commonType(v.Edges, n, depth)
	case *ssa.Call:
		if fn := v.Call.StaticCallee(); fn != nil {
			return resultType(fn, n, depth)
		}
	}
	return nil
}

func resultType(fn *ssa.Function, n, depth int) types.Type {
	var list []ssa.Value
	for _, b := range fn.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			list = append(list, ret.Results[n])
		}
	}
	return commonType(list, 0, depth)
}

// commonType returns the dynamic type that all of list have, except nil interfaces, whose calls panic.
func commonType(list []ssa.Value, n, depth int) (t types.Type) {
	if depth >= maxDispatch {
		return nil
	}
	for _, v := range list {
		if k, ok := v.(*ssa.Const); ok && k.IsNil() {
			continue
		}
		u := dynamicType(v, n, depth+1)
		if u == nil || t != nil && !types.Identical(t, u) {
			return nil
		}
		t = u
	}
	return t
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
