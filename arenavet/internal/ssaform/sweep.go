package ssaform

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Sweep is a loop that empties its operand: each iteration deletes the key of the map, or overwrites the element.
type Sweep struct {
	Of  ssa.Value  // the map's iterator, or the slice
	In  types.Type // of the map or slice
	Set *ssa.Store // the store to the element
}

// SweepsOf returns the sweeps of fn by their header, whose second edge leaves the loop.
func SweepsOf(fn *ssa.Function) map[*ssa.BasicBlock]Sweep {
	found := map[*ssa.BasicBlock]Sweep{}
	for instr := range Instructions(fn) {
		var head *ssa.BasicBlock
		var s Sweep
		ok := false
		switch instr := instr.(type) {
		case *ssa.Call:
			head, s, ok = deletes(instr)
		case *ssa.Store:
			head, s, ok = replaces(instr)
		}
		if ok && everyTurn(instr.Block(), head) {
			found[head] = s
		}
	}
	return found
}

// everyTurn reports whether each iteration of the loop goes through b.
func everyTurn(b, head *ssa.BasicBlock) bool {
	for _, p := range head.Preds {
		if head.Dominates(p) && !b.Dominates(p) {
			return false
		}
	}
	return head.Dominates(b)
}

// deletes reports whether a call deletes the current key of a loop over the same map, and returns the loop's header.
func deletes(call *ssa.Call) (*ssa.BasicBlock, Sweep, bool) {
	if b, ok := call.Call.Value.(*ssa.Builtin); !ok || b.Name() != "delete" {
		return nil, Sweep{}, false
	}
	key, ok := call.Call.Args[1].(*ssa.Extract)
	if !ok || key.Index != 1 {
		return nil, Sweep{}, false
	}
	next, ok := key.Tuple.(*ssa.Next)
	if !ok {
		return nil, Sweep{}, false
	}
	r, ok := next.Iter.(*ssa.Range)
	if !ok || !sameValue(r.X, call.Call.Args[0]) {
		return nil, Sweep{}, false
	}
	return next.Block(), Sweep{Of: next.Iter, In: r.X.Type()}, true
}

// replaces reports whether a store overwrites the current element of a loop over the whole slice, and returns the
// loop's header.
func replaces(store *ssa.Store) (*ssa.BasicBlock, Sweep, bool) {
	at, ok := store.Addr.(*ssa.IndexAddr)
	if !ok {
		return nil, Sweep{}, false
	}
	// The index counts from 0, or from -1 if 1 is added before its use.
	first := int64(0)
	count := at.Index
	if sum, ok := count.(*ssa.BinOp); ok && sum.Op == token.ADD {
		count, first = sum.X, -1
	}
	phi, ok := count.(*ssa.Phi)
	if !ok {
		return nil, Sweep{}, false
	}
	head := phi.Block()
	branch, ok := head.Instrs[len(head.Instrs)-1].(*ssa.If)
	if !ok || !startsAt(phi, first) {
		return nil, Sweep{}, false
	}
	cond, ok := branch.Cond.(*ssa.BinOp)
	if !ok || cond.Op != token.LSS || cond.X != at.Index || !lengthOf(cond.Y, at.X) {
		return nil, Sweep{}, false
	}
	return head, Sweep{at.X, at.X.Type(), store}, true
}

// startsAt reports whether phi is first at the loop's entry.
func startsAt(phi *ssa.Phi, first int64) bool {
	for i, p := range phi.Block().Preds {
		if phi.Block().Dominates(p) {
			continue
		}
		c, ok := phi.Edges[i].(*ssa.Const)
		if !ok || c.Value == nil || c.Value.Kind() != constant.Int || c.Int64() != first {
			return false
		}
	}
	return true
}

// lengthOf reports whether n is len(s).
func lengthOf(n, s ssa.Value) bool {
	call, ok := n.(*ssa.Call)
	if !ok {
		return false
	}
	b, ok := call.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == "len" && sameValue(call.Call.Args[0], s)
}

// sameValue reports whether x and y are one value, or loads from one place.
func sameValue(x, y ssa.Value) bool {
	if x == y {
		return true
	}
	switch x := x.(type) {
	case *ssa.UnOp:
		y, ok := y.(*ssa.UnOp)
		return ok && x.Op == token.MUL && y.Op == token.MUL && sameValue(x.X, y.X)
	case *ssa.FieldAddr:
		y, ok := y.(*ssa.FieldAddr)
		return ok && x.Field == y.Field && sameValue(x.X, y.X)
	}
	return false
}
