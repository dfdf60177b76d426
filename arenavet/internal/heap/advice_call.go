package heap

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/rewrite"
)

func (h *advisor) call(e *ast.CallExpr) {
	if tv := h.pkg.Pass.TypesInfo.Types[e.Fun]; tv.IsType() {
		from, ok := h.typeOf(e.Args[0]).Underlying().(*types.Slice)
		if !ok || !catalog.IsText(tv.Type) || h.copied(e) || h.of(e) != goesOut {
			return
		}
		if b, ok := from.Elem().Underlying().(*types.Basic); ok && b.Kind() == types.Byte {
			h.useMethod(e.Pos(), "string of bytes", "AllocBytesToString", isString(tv.Type), func(a string) []analysis.TextEdit {
				return []analysis.TextEdit{replace(e.Pos(), e.Lparen+1, a+".AllocBytesToString(")}
			})
		}
		return
	}
	switch h.builtin(e) {
	case "":
	case "new":
		t := e.Args[0]
		isType := h.pkg.Pass.TypesInfo.Types[t].IsType()
		if isType && isBuilder(h.typeOf(t)) {
			h.builderAt(e)
		} else if h.of(e) == goesOut && !isType { // new(expr)
			h.useFunction(e.Pos(), "new", "NewOf", rewrite.Sized(h.typeOf(t)), func(c rewrite.Call) []analysis.TextEdit {
				return []analysis.TextEdit{replace(e.Pos(), e.Lparen+1, c.Func("NewOf")+c.First())}
			})
		} else if h.of(e) == goesOut {
			h.useFunction(e.Pos(), "new", "New", rewrite.Sized(h.typeOf(t)), func(c rewrite.Call) []analysis.TextEdit {
				return []analysis.TextEdit{replace(e.Pos(), e.Lparen+1, c.Func("New")+"["), replace(t.End(), e.Rparen+1, "]"+c.Only())}
			})
		}
		return
	case "make":
		h.makes(e)
		return
	case "append":
		h.appends(e)
		return
	default:
		return
	}
	if h.of(e) == outlives {
		return
	}
	name := h.called(e)
	switch {
	case inArena[name] != "" && h.of(e) == goesOut && !h.copied(e):
		method := inArena[name]
		h.useMethod(e.Pos(), name, method, true, func(a string) []analysis.TextEdit {
			return []analysis.TextEdit{replace(e.Fun.Pos(), e.Fun.End(), a+"."+method)}
		})
	case ofArena[name] != "" && h.of(e) == goesOut:
		function := ofArena[name]
		_, plain := e.Fun.(*ast.SelectorExpr)
		h.useFunction(e.Pos(), name, function, plain && isPlainSlice(h.typeOf(e)) && h.growable(e), func(c rewrite.Call) []analysis.TextEdit {
			return []analysis.TextEdit{replace(e.Fun.Pos(), e.Lparen+1, c.Func(function)+c.First())}
		})
	case printed[name] != "" && h.of(e) == goesOut:
		h.useMethod(e.Pos(), name, "Sprintf", len(e.Args) == 1 && !e.Ellipsis.IsValid(), func(a string) []analysis.TextEdit {
			return []analysis.TextEdit{replace(e.Fun.Pos(), e.Lparen+1, a+".Sprintf("+printed[name]+", ")}
		})
	case name == "bytes.NewBuffer" && h.pkg.Pass.TypesInfo.Types[e.Args[0]].IsNil(), name == "bytes.NewBufferString":
		h.builderAt(e)
	case h.counterpart(e):
	default:
		h.noCounterpart(e, name)
	}
}

// isPlainSlice reports whether t, or the first of several results, is an unnamed slice type.
func isPlainSlice(t types.Type) bool {
	if list, ok := t.(*types.Tuple); ok && list.Len() > 0 {
		t = list.At(0).Type()
	}
	_, ok := types.Unalias(t).(*types.Slice)
	return ok
}
