// Package heap advises what goes to Go's heap although an arena is at hand, and writes it: the
// flag -heap. It works on the source, not on SSA form, and asks package flow what the functions
// do that a value is given to.
package heap

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/finding"
	"github.com/ebbpool/arena/arenavet/internal/flow"
	"github.com/ebbpool/arena/arenavet/internal/rewrite"
)

// advisor looks at one function for what goes to the heap.
type advisor struct {
	pkg       *flow.Package
	header    *ast.FuncType
	body      *ast.BlockStmt
	signature *types.Signature
	index
	arenas   []ast.Expr // those in scope, the one to take first
	request  string     // the parameter whose context has the arena, where there are none
	params   map[types.Object]bool
	vertices map[place]*vertex
	circle   []*vertex         // those that are not closed yet, in their order
	steps    int               // of the search
	at       ast.Node          // what is looked at
	done     map[ast.Node]bool // parts of what was reported
	ignored  finding.IgnoredLines
}

// Advise looks through the package's functions.
func Advise(c *flow.Package, ignored finding.IgnoredLines) {
	if catalog.PackagePath(c.Pass.Pkg) == catalog.ArenaPath {
		return
	}
	for _, file := range c.Pass.Files {
		if c.InTest(file.Pos()) {
			continue // what a test costs is not the program's
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Body != nil {
					adviseFunction(c, n.Recv, n.Type, n.Body, c.Pass.TypesInfo.Defs[n.Name].Type(), ignored)
				}
			case *ast.FuncLit:
				if hasArena(c, n.Type) { // as that of Do
					adviseFunction(c, nil, n.Type, n.Body, c.Pass.TypesInfo.TypeOf(n), ignored)
				}
			}
			return true
		})
	}
}

func hasArena(c *flow.Package, t *ast.FuncType) bool {
	for _, p := range t.Params.List {
		if isArena(c.Pass.TypesInfo.TypeOf(p.Type)) {
			return true
		}
	}
	return false
}

func isArena(t types.Type) bool { return catalog.IsHandle(t) && catalog.ArenaType(t) == "Arena" }

func newAdvisor(c *flow.Package, t *ast.FuncType, body *ast.BlockStmt, typ types.Type, ignored finding.IgnoredLines) *advisor {
	h := &advisor{pkg: c, header: t, body: body, params: map[types.Object]bool{}, vertices: map[place]*vertex{}, done: map[ast.Node]bool{}, ignored: ignored}
	h.signature, _ = typ.(*types.Signature)
	h.readIndex()
	return h
}

func adviseFunction(c *flow.Package, recv *ast.FieldList, t *ast.FuncType, body *ast.BlockStmt, typ types.Type, ignored finding.IgnoredLines) {
	h := newAdvisor(c, t, body, typ, ignored)
	h.findArenas(recv, t)
	if len(h.arenas) == 0 {
		if h.request = h.requestOf(); h.request == "" {
			return
		}
	}
	h.movedParameters(recv, t.Params)
	ast.Inspect(body, func(n ast.Node) bool {
		h.at = n
		switch n := n.(type) {
		case *ast.FuncLit:
			return !hasArena(h.pkg, n.Type) && !h.runsLater(n)
		case *ast.GoStmt:
			return false
		case ast.Expr:
			if !h.done[n] {
				h.expression(n)
			}
		case *ast.AssignStmt:
			h.addAssign(n)
			h.movedDefinition(n)
		case *ast.ValueSpec:
			h.builder(n)
			h.moved(n)
		case *ast.RangeStmt:
			h.movedParts(n.Key, n.Value)
		}
		return true
	})
}

// findArenas finds the arenas that the function can name, and reports a
// parameter that is never used.
func (h *advisor) findArenas(recv *ast.FieldList, t *ast.FuncType) {
	var fields []ast.Expr
	add := func(list *ast.FieldList) {
		if list == nil {
			return
		}
		for _, p := range list.List {
			for _, name := range p.Names {
				obj := h.pkg.Pass.TypesInfo.Defs[name]
				if obj == nil || name.Name == "_" {
					continue
				}
				h.params[obj] = true
				if isArena(obj.Type()) {
					h.arenas = append(h.arenas, name)
					if len(h.uses[obj]) == 0 {
						h.say(name.Pos(), "arena "+name.Name+" is never used: what this function allocates goes to the heap, or it needs no arena")
					}
					continue
				}
				elem := obj.Type()
				if p, ok := elem.Underlying().(*types.Pointer); ok {
					elem = p.Elem()
				}
				if s, ok := elem.Underlying().(*types.Struct); ok && catalog.ArenaType(elem) == "" {
					for i := range s.NumFields() {
						f := s.Field(i)
						if isArena(f.Type()) && (f.Exported() || f.Pkg() == h.pkg.Pass.Pkg) {
							fields = append(fields, &ast.SelectorExpr{X: name, Sel: ast.NewIdent(f.Name())})
						}
					}
				}
			}
		}
	}
	add(t.Params)
	ast.Inspect(h.body, func(n ast.Node) bool {
		s, ok := n.(*ast.AssignStmt)
		if ok && s.Tok == token.DEFINE && len(s.Lhs) == 1 && len(s.Rhs) == 1 {
			if call, ok := s.Rhs[0].(*ast.CallExpr); ok && h.called(call) == catalog.ArenaPath+".FromContext" {
				h.arenas = append(h.arenas, s.Lhs[0])
			}
		}
		return true
	})
	add(recv)
	h.arenas = append(h.arenas, fields...)
}

// arena is how the arena is called at pos, or empty where none can be named.
func (h *advisor) arena(pos token.Pos) string {
	if h.request != "" {
		return requestArena
	}
	for _, e := range h.arenas {
		id := e
		if s, ok := e.(*ast.SelectorExpr); ok {
			id = s.X
		}
		if id.Pos() < pos && rewrite.VisibleIn(h.pkg.Pass, h.scope(h.at), id, pos) {
			return types.ExprString(e)
		}
	}
	return ""
}

// runsLater reports whether a function literal may run when the arena is over: it
// is stored, returned, or given to a goroutine.
func (h *advisor) runsLater(lit *ast.FuncLit) bool {
	switch p := h.parents[lit].(type) {
	case *ast.CallExpr:
		return catalog.StartsGoroutine[h.called(p)]
	case *ast.AssignStmt:
		for _, l := range p.Lhs {
			if _, ok := l.(*ast.Ident); !ok {
				return true
			}
		}
		return false
	}
	return true
}

// called is the name of the function that a call is of.
func (h *advisor) called(call *ast.CallExpr) string {
	if fn := h.function(call); fn != nil {
		return catalog.FunctionName(fn)
	}
	return ""
}

func (h *advisor) function(call *ast.CallExpr) *types.Func {
	f := ast.Unparen(call.Fun)
	switch x := f.(type) {
	case *ast.IndexExpr:
		f = x.X
	case *ast.IndexListExpr:
		f = x.X
	}
	var id *ast.Ident
	switch x := f.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return nil
	}
	fn, _ := h.pkg.Pass.TypesInfo.Uses[id].(*types.Func)
	return fn
}

func (h *advisor) builtin(call *ast.CallExpr) string {
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
		if b, ok := h.pkg.Pass.TypesInfo.Uses[id].(*types.Builtin); ok {
			return b.Name()
		}
	}
	return ""
}

// say reports an advice, with what to write where that is known.
func (h *advisor) say(pos token.Pos, text string, edits ...analysis.TextEdit) {
	if h.ignored.Cover(h.pkg.Pass.Fset.Position(pos)) {
		return
	}
	d := finding.Diagnostic(finding.Heap, pos, text)
	if len(edits) > 0 {
		d.SuggestedFixes = []analysis.SuggestedFix{{Message: "allocate it in the arena", TextEdits: edits}}
	}
	h.pkg.Pass.Report(d)
}

// offers reports whether the package arena that the program uses has a function:
// "NewOf", "Arena.Sprintf".
func (h *advisor) offers(name string) bool {
	for _, p := range h.pkg.Pass.Pkg.Imports() {
		if catalog.PackagePath(p) != catalog.ArenaPath {
			continue
		}
		if method, ok := strings.CutPrefix(name, "Arena."); ok {
			t := p.Scope().Lookup("Arena")
			if t == nil {
				return false
			}
			obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(t.Type()), false, p, method)
			return obj != nil
		}
		return p.Scope().Lookup(name) != nil
	}
	return true // not imported yet, by any file
}

// packageAt returns what the file at pos calls package arena, and what it takes to
// import it where it does not yet. The name is empty where it means something else.
func (h *advisor) packageAt(pos token.Pos) (string, []analysis.TextEdit) {
	if name := rewrite.ArenaNameIn(h.pkg.Pass, h.scope(h.at), pos); name != "" {
		return name, nil
	}
	for _, file := range h.pkg.Pass.Files {
		if pos < file.FileStart || pos > file.FileEnd {
			continue
		}
		for _, spec := range file.Imports {
			if strings.Trim(spec.Path.Value, "`\"") == catalog.ArenaPath {
				return "", nil // hidden here
			}
		}
		if _, obj := h.scope(h.at).LookupParent("arena", pos); obj != nil {
			return "", nil
		}
		at, text := file.Name.End(), "\n\nimport \""+catalog.ArenaPath+"\"\n"
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT && g.Rparen.IsValid() {
				at, text = g.Rparen, "\n\t\""+catalog.ArenaPath+"\"\n"
				break
			}
		}
		return "arena", []analysis.TextEdit{{Pos: at, End: at, NewText: []byte(text)}}
	}
	return "", nil
}
