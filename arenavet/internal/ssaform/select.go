package ssaform

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// SelectedCase finds out which case of which select statement a comparison is
// about: its branch tests the number of the case that was taken.
func SelectedCase(c *ssa.BinOp) (*ssa.Select, int64, bool) {
	number, ok := c.X.(*ssa.Extract)
	if !ok || number.Index != 0 || c.Op != token.EQL {
		return nil, 0, false
	}
	v, ok := number.Tuple.(*ssa.Select)
	n, isConst := c.Y.(*ssa.Const)
	if !ok || !isConst || n.Value == nil || n.Value.Kind() != constant.Int {
		return nil, 0, false
	}
	return v, n.Int64(), true
}

// sentBy returns what is sent in the case that a branch leads to, if it is that of
// a select statement: the value is needed there, not only where the statement
// begins.
func sentBy(instr ssa.Instruction) ssa.Value {
	branch, ok := instr.(*ssa.If)
	if !ok {
		return nil
	}
	c, ok := branch.Cond.(*ssa.BinOp)
	if !ok {
		return nil
	}
	if v, n, ok := SelectedCase(c); ok && n >= 0 && n < int64(len(v.States)) {
		return v.States[n].Send
	}
	return nil
}

// Decided reports whether a branch leads to case n alone. None does to the last
// case of those that do nothing more.
func Decided(v *ssa.Select, n int64) bool {
	for _, use := range *v.Referrers() {
		number, ok := use.(*ssa.Extract)
		if !ok || number.Index != 0 {
			continue
		}
		for _, use := range *number.Referrers() {
			c, ok := use.(*ssa.BinOp)
			if !ok {
				continue
			}
			if _, k, ok := SelectedCase(c); !ok || k != n {
				continue
			}
			for _, use := range *c.Referrers() {
				if branch, ok := use.(*ssa.If); ok && branch.Block().Succs[0] != branch.Block().Succs[1] {
					return true
				}
			}
		}
	}
	return false
}

// GivesUp reports whether a select statement has a case that ends the wait: see Expires.
func GivesUp(v *ssa.Select) bool {
	return slices.ContainsFunc(v.States, func(s *ssa.SelectState) bool {
		return s.Dir == types.RecvOnly && Expires(s.Chan)
	})
}

// Expires reports whether what comes from a channel tells that the time is over,
// or that someone has lost patience, rather than that a goroutine is done.
func Expires(ch ssa.Value) bool {
	switch v := ch.(type) {
	case *ssa.ChangeType:
		return Expires(v.X)
	case *ssa.Call:
		if v.Call.IsInvoke() {
			return catalog.FunctionName(v.Call.Method) == "context.Context.Done" && cancelledElsewhere(v.Call.Value)
		}
		fn := v.Call.StaticCallee()
		return fn != nil && (catalog.CalleeName(fn) == "time.After" || catalog.CalleeName(fn) == "time.Tick")
	case *ssa.UnOp: // timer.C
		at, ok := v.X.(*ssa.FieldAddr)
		if !ok || v.Op != token.MUL {
			return false
		}
		p, ok := at.X.Type().Underlying().(*types.Pointer)
		if !ok {
			return false
		}
		n, ok := types.Unalias(p.Elem()).(*types.Named)
		return ok && catalog.PackagePath(n.Obj().Pkg()) == "time"
	}
	return false
}

// cancelledElsewhere reports whether a context is one that the function was
// called with, or has made without giving anyone the function that cancels it.
// Others a goroutine may cancel when it is done.
func cancelledElsewhere(ctx ssa.Value) bool {
	switch v := ctx.(type) {
	case *ssa.Parameter:
		return !slices.ContainsFunc(v.Parent().Params, func(p *ssa.Parameter) bool {
			n, ok := types.Unalias(p.Type()).(*types.Named)
			return ok && catalog.PackagePath(n.Obj().Pkg()) == "context" && n.Obj().Name() != "Context" // a CancelFunc
		})
	case *ssa.UnOp: // a variable that a function literal has captured
		variable, ok := v.X.(*ssa.Alloc)
		if !ok || v.Op != token.MUL {
			return false
		}
		for _, use := range *variable.Referrers() {
			if store, ok := use.(*ssa.Store); ok && store.Addr == variable && !cancelledElsewhere(store.Val) {
				return false
			}
		}
		return true
	case *ssa.Call: // r.Context()
		fn := v.Call.StaticCallee()
		return fn != nil && catalog.CalleeName(fn) == "net/http.Request.Context"
	case *ssa.Extract:
		made, ok := v.Tuple.(*ssa.Call)
		if !ok || made.Call.StaticCallee() == nil || catalog.PackageOf(catalog.CalleeName(made.Call.StaticCallee())) != "context" {
			return false
		}
		for _, use := range *made.Referrers() {
			if cancel, ok := use.(*ssa.Extract); ok && cancel.Index == 1 && !onlyCalled(cancel) {
				return false
			}
		}
		return true
	}
	return false
}

// onlyCalled reports whether a function is called where it was made, and nobody
// else gets it.
func onlyCalled(fn ssa.Value) bool {
	for _, use := range *fn.Referrers() {
		call, ok := use.(ssa.CallInstruction)
		if !ok || call.Common().Value != fn || slices.Contains(call.Common().Args, fn) {
			return false
		}
		if _, ok := use.(*ssa.Go); ok {
			return false
		}
	}
	return true
}
