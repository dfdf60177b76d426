package ssaform

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// Operands returns the elements of a slice that the source lists, such as variadic arguments, or nil for other slices.
func Operands(v ssa.Value) []ssa.Value {
	s, ok := v.(*ssa.Slice)
	if !ok || s.Low != nil || s.High != nil {
		return nil
	}
	array, ok := s.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	var list []ssa.Value
	for _, use := range *array.Referrers() {
		at, ok := use.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		i, ok := at.Index.(*ssa.Const)
		if !ok {
			return nil
		}
		for _, use := range *at.Referrers() {
			if store, ok := use.(*ssa.Store); ok && store.Addr == at {
				for int64(len(list)) <= i.Int64() {
					list = append(list, nil)
				}
				list[i.Int64()] = store.Val
			}
		}
	}
	return list
}

// Empty reports whether a string is s[:0].
func Empty(v ssa.Value) bool {
	s, ok := v.(*ssa.Slice)
	if !ok {
		return false
	}
	high, ok := s.High.(*ssa.Const)
	return ok && high.Value != nil && high.Int64() == 0
}

// NotEmpty reports whether a string is certainly not empty.
func NotEmpty(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const:
		return v.Value != nil && v.Value.Kind() == constant.String && constant.StringVal(v.Value) != ""
	case *ssa.BinOp:
		return v.Op == token.ADD && (NotEmpty(v.X) || NotEmpty(v.Y))
	case *ssa.Convert: // string(r) of a rune
		b, ok := v.X.Type().Underlying().(*types.Basic)
		return ok && b.Info()&types.IsInteger != 0
	case *ssa.Call:
		if fn := v.Call.StaticCallee(); fn != nil {
			switch catalog.CalleeName(fn) {
			case "strconv.Itoa", "strconv.FormatInt", "strconv.FormatUint", "strconv.FormatFloat", "strconv.FormatBool", "strconv.Quote":
				return true
			}
		}
	}
	return false
}

// Unchanged returns v before conversions to other interfaces.
func Unchanged(v ssa.Value) ssa.Value {
	for {
		x, ok := v.(*ssa.ChangeInterface)
		if !ok {
			return v
		}
		v = x.X
	}
}

// Unboxed returns the value that was converted to interface v.
func Unboxed(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.ChangeInterface:
			v = x.X
		case *ssa.MakeInterface:
			v = x.X
		default:
			return v
		}
	}
}

// CutToNothing reports whether v is x[:0], the same memory without elements. x[:0:0] is not: an append to it copies,
// and x may be read later.
func CutToNothing(v *ssa.Slice) bool {
	high, ok := v.High.(*ssa.Const)
	return ok && high.Int64() == 0 && v.Max == nil
}
