package ssaform

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// Twin returns the name of the function that f only calls, with a nil arena and its own parameters, or "".
func Twin(f *ssa.Function) string {
	if len(f.Blocks) != 1 {
		return ""
	}
	var call *ssa.Call
	for _, i := range f.Blocks[0].Instrs {
		switch i := i.(type) {
		case *ssa.Call:
			if call != nil {
				return ""
			}
			call = i
		case *ssa.Extract, *ssa.Return:
		default:
			return ""
		}
	}
	if call == nil || call.Call.StaticCallee() == nil || len(call.Call.Args) != len(f.Params)+1 {
		return ""
	}
	ret, ok := f.Blocks[0].Instrs[len(f.Blocks[0].Instrs)-1].(*ssa.Return)
	if !ok {
		return ""
	}
	for i, r := range ret.Results {
		if e, ok := r.(*ssa.Extract); r != call && (!ok || e.Tuple != call || e.Index != i) {
			return ""
		}
	}
	args := slices.Clone(call.Call.Args)
	at := slices.IndexFunc(args, func(v ssa.Value) bool {
		c, ok := v.(*ssa.Const)
		return ok && c.IsNil() && catalog.IsHandle(c.Type())
	})
	if at < 0 {
		return ""
	}
	if !slices.EqualFunc(slices.Delete(args, at, at+1), f.Params, func(v ssa.Value, p *ssa.Parameter) bool { return v == p }) {
		return ""
	}
	return call.Call.StaticCallee().Name()
}
