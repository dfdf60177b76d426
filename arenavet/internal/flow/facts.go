package flow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// Export exports the summaries of exported functions as facts.
func (c *Package) Export() {
	for _, fn := range c.Functions {
		obj, ok := fn.Object().(*types.Func)
		c.summaries[fn].Twin = ssaform.Twin(fn)
		if !ok || !obj.Exported() || c.unknown[fn] {
			continue
		}
		s := *c.summaries[fn]
		s.Results = c.withoutBodies(s.Results)
		for i := range fn.Signature.Results().Len() { // an interface whose methods keep their requests
			if names := c.keepersOf(ssaform.ResultType(fn, i), fn.Signature.Results().At(i).Type()); len(names) > 0 {
				s.Results = append(s.Results, Flow{access.Tuple(i), Source{Kind: Tagged, Type: strings.Join(names, ", ")}})
			}
		}
		s.Writes = nil
		for _, w := range c.summaries[fn].Writes {
			had := len(w.From)
			if w.From = c.withoutBodies(w.From); len(w.From) > 0 || had == 0 || w.Strong {
				s.Writes = append(s.Writes, w)
			}
		}
		if !s.empty() || TakesHandle(fn) {
			c.Pass.ExportObjectFact(obj, &s)
		}
	}
}

// withoutBodies returns flows for other packages, which cannot see the bodies of function literals. Literals that keep
// their requests become tags.
func (c *Package) withoutBodies(flows []Flow) (out []Flow) {
	for _, fl := range flows {
		if slices.ContainsFunc(flows, func(body Flow) bool {
			return body.From.Kind == Body && strings.HasPrefix(fl.Path, body.Path+access.Deref)
		}) {
			continue
		}
		if fl.From.Kind == Body {
			if _, keeps := c.keeps(fl.From.fn, false, 0); !keeps {
				continue
			}
			fl.From = Source{Kind: Tagged, Type: c.nameOf(fl.From.fn, nil)}
		}
		out = append(out, fl)
	}
	return out
}

// nameOf names a function for a reader of function in.
func (c *Package) nameOf(fn, in *ssa.Function) string {
	switch {
	case fn.Parent() == nil:
		return fn.Name()
	case fn.Parent() == in:
		return "the function literal"
	}
	return "the result of " + c.nameOf(fn.Parent(), nil)
}

// maxLiterals is the depth of functions that return functions in keeps.
const maxLiterals = 3

// keeps reports whether an interceptor, or a method that receives messages, keeps a part of its request beyond the call,
// or returns a function that does. With handler set, fn may also be the method of a service. pos is the position of the
// store in this package.
func (c *Package) keeps(fn *ssa.Function, handler bool, depth int) (pos token.Pos, keeps bool) {
	s := c.Summary(fn)
	if s == nil || depth > maxLiterals || slices.ContainsFunc(s.Effects, func(e Effect) bool { return e.Op == OpKeep }) {
		return token.NoPos, false
	}
	sig, param := fn.Signature, 0
	if sig.Recv() != nil {
		param = 1
	}
	for v := range sig.Params().Variables() {
		t := v.Type()
		path, ok := "", catalog.IsConnect(t, "AnyRequest") || access.IsAny(t) && (access.IsInterceptor(sig) || fn.Name() == "RecvMsg")
		if !ok && handler {
			path, ok = access.Message(t)
		}
		if ok {
			if pos, ok := s.keeps(param, path, handler); ok {
				return pos, true
			}
		}
		param++
	}
	for _, fl := range s.Results {
		switch {
		case handler || strings.Contains(fl.Path, access.Deref):
		case fl.From.Kind == Body:
			if pos, ok := c.keeps(fl.From.fn, false, depth+1); ok {
				return pos, true
			}
		case fl.From.Kind == Tagged && fl.From.Type != tagAdapter:
			return token.NoPos, true
		}
	}
	return token.NoPos, false
}

// keepersOf returns the methods of a dynamic type that keep requests, if its value is used as an interface: a service or
// an interceptor. If the interface has no methods, all exported ones count.
func (c *Package) keepersOf(t, as types.Type) (names []string) {
	i, ok := as.Underlying().(*types.Interface)
	if !ok || t == nil {
		return nil
	}
	for m := range c.ssa.Prog.MethodSets.MethodSet(t).Methods() {
		own := m.Obj().(*types.Func)
		obj, _, _ := types.LookupFieldOrMethod(i, false, nil, own.Name())
		if i.NumMethods() > 0 && obj == nil || !own.Exported() || types.IsInterface(own.Signature().Recv().Type()) {
			continue
		}
		if fn := c.Function(own); fn != nil {
			if _, keeps := c.keeps(fn, own.Name() != "WrapUnary" && own.Name() != "RecvMsg", 0); keeps {
				names = append(names, own.Name())
			}
		}
	}
	return names
}

// of returns the summary of a function, which is empty if the function is unknown.
func (c *Package) of(fn *types.Func) *Summary {
	if f := c.Function(fn); f != nil {
		if s := c.Summary(f); s != nil {
			return s
		}
	}
	return new(Summary)
}

// Use is a function's use of an argument.
type Use struct {
	Kept     bool // it may be used after the function has returned
	Returned bool // it is a result, or a part of one
}

// UseOf returns the use that fn makes of argument n. A receiver is argument 0.
func (c *Package) UseOf(fn *types.Func, n int) (u Use) {
	name := catalog.FunctionName(fn)
	if catalog.StartsGoroutine[name] || catalog.Keepers[name] || catalog.MayKeep(catalog.PackageOf(name)) {
		return Use{Kept: true}
	}
	if catalog.IsStandard(catalog.PackageOf(name)) {
		return Use{Returned: true}
	}
	s := c.of(fn)
	from := func(src Source) bool { return src.Kind == Same && src.At.Param == n && src.At.Global == "" }
	flows := func(list []Flow) bool {
		return slices.ContainsFunc(list, func(fl Flow) bool { return from(fl.From) })
	}
	return Use{
		Kept: slices.ContainsFunc(s.Writes, func(w Write) bool { return w.To.Global != "" && flows(w.From) }) ||
			slices.ContainsFunc(s.Effects, func(e Effect) bool { return (e.Op == OpSent || e.Op == OpRuns) && from(e.From) }),
		Returned: flows(s.Results),
	}
}

// Twin returns the name of the function that fn only calls, with a nil arena and its own parameters, or "". A call of
// that function with an arena can replace a call of fn.
func (c *Package) Twin(fn *types.Func) string {
	if f := c.Function(fn); f != nil && len(f.Blocks) > 0 {
		return ssaform.Twin(f)
	}
	return c.of(fn).Twin
}

// TakesBack reports whether a function takes back an arena that it is given.
func (c *Package) TakesBack(fn *types.Func) bool {
	return slices.ContainsFunc(c.of(fn).Effects, func(e Effect) bool { return e.Op <= OpDeallocate })
}
