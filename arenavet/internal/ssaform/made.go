package ssaform

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// MakesResult reports whether fn returns, on some path, a string or slice that it or a callee allocates on the heap.
func MakesResult(fn *ssa.Function, makes func(callee *ssa.Function) bool) bool {
	seen := map[ssa.Value]bool{}
	for _, b := range fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		for _, v := range ret.Results {
			if _, isSlice := v.Type().Underlying().(*types.Slice); (isSlice || catalog.IsText(v.Type())) && made(v, makes, seen) {
				return true
			}
		}
	}
	return false
}

// made reports whether v may be such a result.
func made(v ssa.Value, makes func(callee *ssa.Function) bool, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return false
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Convert:
		return catalog.IsText(v.Type()) != catalog.IsText(v.X.Type()) && !isConstant(v.X)
	case *ssa.BinOp:
		return v.Op == token.ADD
	case *ssa.MakeSlice:
		return true
	case *ssa.ChangeType:
		return made(v.X, makes, seen)
	case *ssa.Slice:
		return made(v.X, makes, seen)
	case *ssa.Extract:
		return made(v.Tuple, makes, seen)
	case *ssa.Phi:
		for _, e := range v.Edges {
			if made(e, makes, seen) {
				return true
			}
		}
	case *ssa.UnOp: // of a variable
		if at, ok := v.X.(*ssa.Alloc); ok && v.Op == token.MUL {
			for _, use := range *at.Referrers() {
				if s, ok := use.(*ssa.Store); ok && s.Addr == at && made(s.Val, makes, seen) {
					return true
				}
			}
		}
	case *ssa.Call:
		fn := v.Call.StaticCallee()
		return fn != nil && makes(fn)
	}
	return false
}

// isConstant reports whether v is a constant other than nil.
func isConstant(v ssa.Value) bool {
	k, ok := v.(*ssa.Const)
	return ok && k.Value != nil && k.Value.Kind() != constant.Unknown
}
