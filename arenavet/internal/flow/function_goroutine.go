package flow

import (
	"go/token"
	"maps"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// goroutine models a go statement.
func (f *function) goroutine(st *state, instr *ssa.Go, common *ssa.CallCommon) {
	all := f.evalAll(st, common.Args)
	if _, ok := common.Value.(*ssa.Builtin); !ok {
		all = append(all[:len(all):len(all)], f.eval(st, common.Value))
	}
	f.starts(st, f.targets(st, common), all, f.position(instr))
}

// starts models the start of a goroutine that calls one of called. all is everything it is given.
func (f *function) starts(st *state, called []target, all []value, pos token.Pos) {
	for _, v := range all {
		f.touch(st, v)
	}
	known := len(called) > 0
	for _, t := range called {
		name := catalog.CalleeName(catalog.Origin(t.fn))
		if usesReceiver(name) && len(t.args) > 0 {
			f.hand(st, t.args[0], pos, false)
			continue
		}
		s := f.c.Summary(t.fn)
		if s == nil {
			known = false
			if name != "" && catalog.IsStandard(catalog.PackageOf(name)) {
				known = true
			}
			continue
		}
		used := map[*Site]bool{}
		puts := map[*Site]bool{}
		for _, e := range s.Effects {
			if e.Op == OpPut {
				for _, a := range f.resolve(st, nil, e.At, t.args).atoms() {
					puts[a.Site] = true
				}
			}
		}
		for _, e := range s.Effects {
			if e.Locked || strings.HasSuffix(e.At.Path, access.Deref+access.Source) {
				continue // a mutex orders the uses, and FromContext returns an arena to one goroutine only
			}
			switch e.Op {
			case OpUse, OpPut, OpReset, OpRelease, OpRewind, OpGoroutine:
			case OpUnknown:
				// An object that holds an arena is not an arena.
				if !handlePlace(t.fn, e.At) {
					continue
				}
			default:
				continue
			}
			all := f.resolve(st, nil, e.At, t.args).atoms()
			for _, a := range all {
				if !used[a.Site] {
					used[a.Site] = true
					if _, twice := st.handed[a.Site]; twice && oneOfSeveral(all, a) {
						continue // this iteration's may be another one
					}
					f.hand(st, one(a), pos, puts[a.Site])
				}
			}
		}
	}
	for _, v := range all {
		if !known {
			for _, a := range v.atoms() {
				if a.Site.Kind == HandleSite {
					f.hand(st, one(a), pos, false)
				}
			}
		}
		f.lend(st, v, pos, byGoroutine)
		f.letGo(st, v)
	}
}

// parallel models a call that runs functions in several goroutines and waits for them. They share captured variables
// with each other only.
func (f *function) parallel(st *state, called []target, all []value, pos token.Pos) {
	handed, lent := maps.Clone(st.handed), maps.Clone(st.lent)
	f.starts(st, called, all, pos)
	f.starts(st, called, all, pos)
	st.handed, st.lent = handed, lent
}

// handlePlace reports whether a place of fn is an arena by its type.
func handlePlace(fn *ssa.Function, p Place) bool {
	captured := p.Param - len(fn.Params)
	switch {
	case p.Param < 0 || captured >= len(fn.FreeVars):
		return false
	case captured < 0:
		return p.Path == "" && catalog.IsHandle(fn.Params[p.Param].Type())
	}
	return (p.Path == "" || p.Path == access.Deref) && catalog.IsHandle(access.TypeAlong(fn.FreeVars[captured].Type(), p.Path))
}

// usesReceiver reports whether a function is a method of Arena or Allocator.
func usesReceiver(name string) bool {
	return strings.HasPrefix(name, catalog.ArenaPath+".Arena.") || strings.HasPrefix(name, catalog.ArenaPath+".Allocator.")
}
