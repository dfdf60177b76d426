package ssaform

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// SelectedCase returns the select statement, and the number of its case, that a comparison tests.
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

// sentBy returns the value that is sent in the case of a select statement that a branch tests. It is read there, not
// only at the statement.
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

// Decided reports whether a branch leads to case n alone. The last of several empty cases has no branch of its own.
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

// GivesUp reports whether a select statement has a case whose channel expires; see Expires.
func GivesUp(v *ssa.Select) bool {
	return slices.ContainsFunc(v.States, func(s *ssa.SelectState) bool {
		return s.Dir == types.RecvOnly && Expires(s.Chan)
	})
}

// Expires reports whether a value from a channel means a timeout or a cancellation, and not that a goroutine is done.
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
	case *ssa.UnOp: // such as timer.C
		at, ok := v.X.(*ssa.FieldAddr)
		if !ok || v.Op != token.MUL {
			return false
		}
		pkg, _ := catalog.NameOf(at.X.Type())
		return pkg == "time"
	}
	return false
}

// cancelledElsewhere reports whether a context is an argument of the function, or one whose cancel function stays in
// the function. A goroutine may cancel other contexts when it is done.
func cancelledElsewhere(ctx ssa.Value) bool {
	switch v := ctx.(type) {
	case *ssa.Parameter:
		return !slices.ContainsFunc(v.Parent().Params, func(p *ssa.Parameter) bool {
			pkg, name := catalog.NameOf(p.Type())
			return pkg == "context" && name != "Context" // a CancelFunc
		})
	case *ssa.UnOp: // a captured variable
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
	case *ssa.Call: // such as r.Context()
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

// onlyCalled reports whether the function value fn is called and not passed on.
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
