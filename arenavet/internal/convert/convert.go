package convert

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/rewrite"
)

// Result is a conversion.
type Result struct {
	Root      string
	Files     map[string][]byte // by name, as they are to be written
	Functions int               // that take the arena
	Moved     int
	Sites     int
	Untested  int // sites that no test runs
	Left      []Leftover
	Dropped   []string // edits that did not compile
	Warnings  []Warning
	Verified  Verified
	p         *program
}

// ErrWarnings reports that warnings stop a conversion.
type ErrWarnings struct{ N int }

func (e *ErrWarnings) Error() string {
	return fmt.Sprintf("convert: nothing written: %s to answer with -own or -trust, or -force", Count(e.N, "warning"))
}

// Count returns a number with its noun.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// analyze loads the program and checks it.
func analyze(c Config) (*program, error) {
	p, err := load(c)
	if err != nil {
		return nil, err
	}
	if err := p.findRoot(); err != nil {
		return nil, err
	}
	if err := p.askCompiler(); err != nil {
		return nil, err
	}
	p.findConcrete()
	p.findReach()
	p.findOpen()
	p.slices = &rewrite.Slices{Functions: p.functions, Trusted: func(c *ssa.Call) bool {
		return p.trusted[p.at(c.Pos())] || p.trusted[declaring(c.Parent())]
	}}
	return p, p.study()
}

// study computes everything that depends on the owned types.
func (p *program) study() error {
	p.warnings = nil
	if err := p.tabulate(); err != nil {
		return err
	}
	for _, f := range p.order {
		f.calls, f.sites, f.threaded, f.carrier = nil, nil, false, ""
	}
	p.dropped, p.left = map[token.Pos]string{}, map[string][]token.Pos{}
	p.findFamilies()
	if p.Strings {
		p.findFlow()
	}
	p.thread()
	p.check()
	return nil
}

// Convert converts a program. If there are warnings, and c.Force is not set, it returns them and an *ErrWarnings.
func Convert(c Config) (*Result, error) {
	p, err := analyze(c)
	if err != nil {
		return nil, err
	}
	r := &Result{Root: c.Root, p: p, Warnings: p.warnings}
	if len(p.warnings) > 0 && !c.Force {
		return r, &ErrWarnings{len(p.warnings)}
	}
	for _, f := range p.order {
		if f.threaded {
			r.Sites += len(f.sites)
			r.Functions++
		}
	}
	if r.Sites == 0 {
		return r, fmt.Errorf("convert: nothing written: %s allocates nothing that is owned (-own, -suggest)", c.Root)
	}
	v, err := p.newVerifier()
	if err != nil {
		return r, err
	}
	defer v.close()
	if !c.NoTests {
		if err := v.before(); err != nil {
			return r, err
		}
		if !c.Untested {
			if r.Untested, err = v.dropUntested(); err != nil {
				return r, err
			}
		}
	}
	files, pkgs, err := p.convertedFiles()
	if err != nil {
		return r, err
	}
	for _, f := range p.order {
		for _, s := range f.sites {
			if !f.threaded {
				continue
			}
			if why := p.dropped[s.node.Pos()]; why == "" {
				r.Moved++
			} else if strings.HasPrefix(why, "does not compile") {
				r.Dropped = append(r.Dropped, p.at(s.node.Pos())+": "+s.what+" "+why)
			}
		}
	}
	if r.Moved == 0 {
		return r, fmt.Errorf("convert: nothing written: no allocation can move")
	}
	if err := p.checkInverse(pkgs); err != nil {
		return r, err
	}
	if !c.NoTests {
		if r.Verified, err = v.after(files); err != nil {
			return r, err
		}
	}
	r.Left = v.leftover(r.Verified.Calls)
	r.Files = files
	return r, nil
}

// Write writes the files.
func (r *Result) Write() error {
	for _, name := range r.Names() {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(name, r.Files[name], info.Mode().Perm()); err != nil {
			return err
		}
	}
	return nil
}

// Names returns the names of the changed files.
func (r *Result) Names() []string { return slices.Sorted(maps.Keys(r.Files)) }

// Suggestion is the result of Suggest.
type Suggestion struct {
	Root     string
	Patterns []string // of the packages
	Own      []string // types that the root makes, and that no parameter leads to
	Shared   []string // types that the root also makes, but that a parameter leads to
	Given    bool     // a parameter leads to some of Own
	Cached   []string // types that the root makes, but that variables of packages lead to
	Carry    []string // types of Own whose functions are called as values
	Warnings []Warning
	Places   []Place // the allocations in functions that take the arena
}

// Place is a line with an allocation.
type Place struct {
	File   string // as the compiler names it
	Line   int
	Called string // the function of another package that allocates, as "strings.Builder.String", or empty
	Why    string // it stays, or empty
}

// Suggest finds the types that the root allocates and the holders that lead to them.
func Suggest(c Config) (*Suggestion, error) {
	c.Own, c.NoTests, c.suggest = nil, true, true
	p, err := analyze(c)
	if err != nil {
		return nil, err
	}
	made, given, cached := p.made(), p.given(), p.cached()
	s := &Suggestion{Root: c.Root, Patterns: c.Patterns}
	all := func() []string { return slices.Concat(s.Own, s.Shared) }
	add := func(n string) (owned bool) {
		list := &s.Own
		switch {
		case slices.Contains(all(), n):
			return false
		case cached[n]:
			list = &s.Cached
		case given[n]:
			list = &s.Shared
		}
		if !slices.Contains(*list, n) {
			*list = append(*list, n)
		}
		return list == &s.Own
	}
	for _, n := range made {
		add(n)
	}
	if len(s.Shared) > 0 {
		if err := p.addHolders(all, func(n string) bool {
			if slices.Contains(all(), n) {
				return false
			}
			s.Shared = append(s.Shared, n)
			return true
		}); err != nil {
			return nil, err
		}
	}
	if err := p.addHolders(func() []string { return s.Own }, add); err != nil {
		return nil, err
	}
	if len(s.Shared) > 0 && (c.Shared || len(s.Own) == 0) {
		s.Own, s.Shared, s.Given = all(), nil, true
		p.Own = s.Own
		if err := p.study(); err != nil {
			return nil, err
		}
	}
	if s.Carry = c.Carry; s.Carry == nil {
		if s.Carry, err = p.carriers(); err != nil {
			return nil, err
		}
	}
	slices.Sort(s.Own)
	slices.Sort(s.Shared)
	slices.Sort(s.Cached)
	s.Warnings, s.Places = p.warnings, p.places()
	return s, nil
}

// addHolders studies the program with owned types, and with the types that warnings then ask for.
func (p *program) addHolders(own func() []string, add func(string) bool) error {
	for range 8 { // holders lead to other holders
		p.Own = own()
		if err := p.study(); err != nil {
			return err
		}
		more := false
		for _, w := range p.warnings {
			more = w.own != "" && add(w.own) || more
		}
		if !more {
			break
		}
	}
	return nil
}

// carriers returns the owned types of receivers and parameters of functions that no static call of the root reaches, if
// more sites move when they hold the arena.
func (p *program) carriers() ([]string, error) {
	sites := func() (n int) {
		for _, f := range p.order {
			if f.threaded {
				n += len(f.sites)
			}
		}
		return n
	}
	static := map[*types.Func]bool{}
	for _, f := range p.order {
		for _, c := range f.calls {
			static[c.to] = true
		}
	}
	var list []string
	for _, f := range p.order {
		if static[f.obj] || f == p.root || f.fixed != "" || !p.reach[f.ssa] {
			continue
		}
		for _, v := range f.ssa.Params {
			if q, ok := types.Unalias(v.Type()).(*types.Pointer); ok && p.isOwned(q.Elem()) && !slices.Contains(list, typeName(q)) {
				list = append(list, typeName(q))
			}
		}
	}
	best, warnings := sites(), len(p.warnings)
	try := func(carry ...string) (n int, err error) {
		p.Carry = carry
		if err := p.study(); err != nil || len(p.warnings) > warnings {
			return 0, err
		}
		return sites(), nil
	}
	alone := map[string]int{}
	for _, n := range list {
		var err error
		if alone[n], err = try(n); err != nil {
			return nil, err
		}
	}
	list = slices.DeleteFunc(list, func(n string) bool { return alone[n] <= best })
	slices.SortStableFunc(list, func(a, b string) int { return alone[b] - alone[a] })
	var carry []string
	for _, n := range list {
		more := append(slices.Clone(carry), n)
		moved, err := try(more...)
		if err != nil {
			return nil, err
		}
		if least := best / 100; moved > best+least && (carry == nil || moved > best+10*least+1) { // a field takes memory
			best, carry = moved, more
		}
	}
	p.Carry = carry
	return carry, p.study()
}

// places lists the allocations that move, and those that stay.
func (p *program) places() (all []Place) {
	add := func(at token.Pos, called, why string) {
		q := p.fset.Position(at)
		if filepath.Base(q.Filename) == q.Filename { // of a line directive
			q.Filename = filepath.Join(filepath.Dir(p.position(at).Filename), q.Filename)
		}
		all = append(all, Place{q.Filename, q.Line, called, why})
	}
	for _, f := range p.order {
		if !f.threaded {
			continue
		}
		for _, x := range f.sites {
			called := ""
			if x.kind == siteCall {
				called = catalog.FunctionName(static(f.pkg.TypesInfo, x.node.(*ast.CallExpr)))
			}
			add(x.node.Pos(), called, "")
		}
	}
	for why, places := range p.left {
		for _, at := range places {
			add(at, "", why)
		}
	}
	return all
}

// made returns the struct types of the module that reached functions allocate on the heap.
func (p *program) made() (names []string) {
	all := map[string]bool{}
	for _, x := range p.concrete {
		if _, ok := x.Underlying().(*types.Struct); ok {
			all[typeName(x)] = true
		}
	}
	own := p.Own
	for n := range all {
		p.own[n] = true
	}
	for _, f := range p.order {
		if f.ssa == nil || !p.reach[f.ssa] || f.fixed != "" {
			continue
		}
		sites := f.sites
		f.sites = nil
		p.memo = map[types.Type]bool{}
		p.visit(f, func(n ast.Node, parents []ast.Node) { p.addSite(f, n, parents) })
		for _, s := range f.sites {
			if n := typeName(element(s.typ)); n != "" && all[n] && !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
		f.sites = sites
	}
	p.Own, p.own, p.memo = own, map[string]bool{}, map[types.Type]bool{}
	return names
}

// given returns the names of types that the root's parameters lead to.
func (p *program) given() map[string]bool {
	names, seen := map[string]bool{}, map[types.Type]bool{}
	var walk func(t types.Type)
	walk = func(t types.Type) {
		t = types.Unalias(t)
		if seen[t] {
			return
		}
		seen[t] = true
		if n, ok := t.(*types.Named); ok && p.inModule(n.Obj().Pkg()) && !types.IsInterface(n) {
			names[n.Obj().Name()] = true
		}
		for part := range access.Parts(t) {
			walk(part)
		}
		if i, ok := t.Underlying().(*types.Interface); ok && !i.Empty() {
			for _, x := range p.concrete {
				if implements(x, i) {
					walk(x)
				}
			}
		}
	}
	for _, v := range p.root.ssa.Params {
		walk(v.Type())
	}
	return names
}

// cached returns the names of types that variables of packages lead to.
func (p *program) cached() map[string]bool {
	names := map[string]bool{}
	visit := func(t types.Type) (found, enter bool) {
		if n, ok := t.(*types.Named); ok {
			if !p.inModule(n.Obj().Pkg()) {
				return false, false
			}
			names[n.Obj().Name()] = true
		}
		switch t.Underlying().(type) {
		case *types.Struct, *types.Map, *types.Pointer:
			return false, true
		}
		return false, false
	}
	for _, pkg := range p.pkgs {
		for _, name := range pkg.Types.Scope().Names() {
			if v, ok := pkg.Types.Scope().Lookup(name).(*types.Var); ok && !types.IsInterface(v.Type()) {
				if q, ok := v.Type().Underlying().(*types.Pointer); ok {
					access.Reaches(q, visit)
				}
			}
		}
	}
	return names
}
