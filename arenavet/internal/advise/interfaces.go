package advise

import (
	"fmt"
	"go/token"
	"maps"
	"slices"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/ebbpool/arena/arenavet/internal/profile"
)

// leastBoxes is the part of the time from which a function's boxes alone are worth an arena.
const leastBoxes = 0.05

// boxes leaves on the heap what is boxed in functions that no arena gets to for anything else,
// unless it takes much of the time: a parameter of all that leads there would be for that alone.
func (a *adviser) boxes() {
	taken, nanos := map[string]bool{}, map[string]float64{}
	collector := a.cpu.Classes[profile.Collector] / max(a.bytes(), 1)
	for _, s := range a.sites {
		if s.Kind == kindBox {
			nanos[s.within()] += s.Nanos + s.Bytes*collector
		} else if s.outcome != Stays {
			taken[s.within()] = true
		}
	}
	for _, s := range a.sites {
		if s.Kind == kindBox && s.outcome != Stays && !taken[s.within()] && nanos[s.within()] < leastBoxes*a.cpu.Total {
			s.outcome, s.Use = Stays, "a box of an interface: arena.BoxOf, if an arena were here for anything else"
		}
	}
}

// mapsInInterfaces are the lines that make or fill a map which gets into an interface: who
// takes it out expects a builtin map, and has no use for an arena's.
func (a *adviser) mapsInInterfaces() (map[LineKey]bool, error) {
	paths := map[string]bool{}
	for _, s := range a.sites {
		if s.Kind == kindMap {
			paths[s.path] = true
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	loaded, err := loadTypes(a.Dir, slices.Sorted(maps.Keys(paths)))
	if err != nil {
		return nil, err
	}
	program, built := ssautil.Packages(loaded, 0)
	for _, p := range built {
		if p != nil {
			p.Build()
		}
	}
	lines := map[LineKey]bool{}
	for fn := range ssautil.AllFunctions(program) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				m, ok := i.(*ssa.MakeMap)
				if !ok {
					continue
				}
				at, boxed := []token.Pos{m.Pos()}, false
				follow(m, map[ssa.Value]bool{}, func(user ssa.Instruction) {
					switch user := user.(type) {
					case *ssa.MakeInterface:
						boxed = true
					case *ssa.MapUpdate:
						at = append(at, user.Pos())
					}
				})
				for _, pos := range at {
					if p := program.Fset.Position(pos); boxed && p.IsValid() {
						lines[LineKey{p.Filename, p.Line}] = true
					}
				}
			}
		}
	}
	return lines, nil
}

// loadTypes reads packages with what the compiler knows of those that they import, or with these
// packages' source: a newer Go may tell it in a form that golang.org/x/tools does not know yet.
func loadTypes(dir string, paths []string) (loaded []*packages.Package, err error) {
	for _, mode := range []packages.LoadMode{packages.LoadSyntax, packages.LoadAllSyntax} {
		if loaded, err = packages.Load(&packages.Config{Mode: mode, Dir: dir}, paths...); err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(loaded, func(p *packages.Package) bool { return p.IllTyped }); i < 0 {
			return loaded, nil
		} else if len(loaded[i].Errors) > 0 {
			err = loaded[i].Errors[0]
		} else {
			err = fmt.Errorf("%s has no types", loaded[i].PkgPath)
		}
	}
	return nil, err
}

// follow reports what a value gets into within its function, by way of variables, too.
func follow(v ssa.Value, seen map[ssa.Value]bool, report func(ssa.Instruction)) {
	if seen[v] || v.Referrers() == nil {
		return
	}
	seen[v] = true
	for _, user := range *v.Referrers() {
		report(user)
		switch user := user.(type) {
		case *ssa.Phi:
			follow(user, seen, report)
		case *ssa.ChangeType:
			follow(user, seen, report)
		case *ssa.UnOp: // what a variable holds
			follow(user, seen, report)
		case *ssa.Store:
			if variable, ok := user.Addr.(*ssa.Alloc); ok && user.Val == v {
				follow(variable, seen, report)
			}
		}
	}
}
