package rules

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/finding"
	"github.com/ebbpool/arena/arenavet/internal/flow"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// A *gin.Context is a context.Context, but unless its engine has ContextWithFallback set, its Value method does not ask
// the request's context.

// Asks is the fact that a function calls FromContext with some of its parameters, by number. A receiver is number 0.
type Asks struct{ Params []int }

func (*Asks) AFact()         {}
func (*Asks) String() string { return "asks" }

// CheckContexts reports calls of FromContext with a *gin.Context, directly or through functions with the fact Asks.
func CheckContexts(c *flow.Package, ignored finding.IgnoredLines) {
	if fallsBack(c) {
		return
	}
	asked := map[*ssa.Function][]int{}
	asks := func(fn *ssa.Function) []int {
		if fn == nil {
			return nil
		}
		fn = catalog.Origin(fn)
		if params, ok := asked[fn]; ok {
			return params
		}
		obj, ok := fn.Object().(*types.Func)
		if !ok {
			return nil
		}
		if catalog.FunctionName(obj) == catalog.ArenaPath+".FromContext" {
			return []int{0}
		}
		var fact Asks
		if obj.Pkg() != c.Pass.Pkg && c.Pass.ImportObjectFact(obj.Origin(), &fact) {
			return fact.Params
		}
		return nil
	}
	for changed := true; changed; {
		changed = false
		for _, fn := range c.Functions {
			eachContext(fn, asks, func(_ ssa.CallInstruction, ctx ssa.Value) {
				for _, v := range origins(ctx) {
					if p, ok := v.(*ssa.Parameter); ok && !slices.Contains(asked[fn], slices.Index(fn.Params, p)) {
						asked[fn] = append(asked[fn], slices.Index(fn.Params, p))
						changed = true
					}
				}
			})
		}
	}
	for _, fn := range c.Functions {
		r := &reporter{pkg: c, fn: fn}
		eachContext(fn, asks, func(call ssa.CallInstruction, ctx ssa.Value) {
			if !slices.ContainsFunc(origins(ctx), isGin) {
				return
			}
			callee := call.Common().StaticCallee()
			what := "FromContext of a *gin.Context is nil"
			if catalog.CalleeName(catalog.Origin(callee)) != catalog.ArenaPath+".FromContext" {
				what = callee.Name() + " looks for the arena in a *gin.Context, which does not lead to it"
			}
			r.find(finding.Context, call.Pos(), nil, what+", so everything goes to the heap: pass c.Request.Context(), or set ContextWithFallback of the engine")
		})
		r.report(ignored)
		if obj, ok := fn.Object().(*types.Func); ok && asked[fn] != nil && obj.Exported() {
			c.Pass.ExportObjectFact(obj, &Asks{asked[fn]})
		}
	}
}

// eachContext calls f for each context that fn passes to FromContext, directly or not.
func eachContext(fn *ssa.Function, asks func(*ssa.Function) []int, f func(call ssa.CallInstruction, ctx ssa.Value)) {
	for instr := range ssaform.Instructions(fn) {
		call, ok := instr.(ssa.CallInstruction)
		if !ok || call.Common().StaticCallee() == nil {
			continue
		}
		for _, i := range asks(call.Common().StaticCallee()) {
			if i < len(call.Common().Args) {
				f(call, call.Common().Args[i])
			}
		}
	}
}

// origins returns the contexts that ctx may be derived from.
func origins(ctx ssa.Value) (list []ssa.Value) {
	seen := map[ssa.Value]bool{}
	var visit func(v ssa.Value)
	visit = func(v ssa.Value) {
		if seen[v] {
			return
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.MakeInterface:
			visit(v.X)
		case *ssa.ChangeInterface:
			visit(v.X)
		case *ssa.Extract:
			visit(v.Tuple)
		case *ssa.Phi:
			for _, e := range v.Edges {
				visit(e)
			}
		case *ssa.Call:
			if fn := v.Call.StaticCallee(); fn != nil && strings.HasPrefix(catalog.CalleeName(fn), "context.With") {
				visit(v.Call.Args[0])
				return
			}
			list = append(list, v)
		default:
			list = append(list, v)
		}
	}
	visit(ctx)
	return list
}

// isGin reports whether v is a *gin.Context.
func isGin(v ssa.Value) bool {
	pkg, name := catalog.NameOf(v.Type())
	return pkg == ginPath && name == "Context"
}

const ginPath = "github.com/gin-gonic/gin"

// fallsBack reports whether the package sets ContextWithFallback of an engine.
func fallsBack(c *flow.Package) bool {
	for _, o := range c.Pass.TypesInfo.Uses {
		if v, ok := o.(*types.Var); ok && v.IsField() && v.Name() == "ContextWithFallback" && catalog.PackagePath(v.Pkg()) == ginPath {
			return true
		}
	}
	return false
}
