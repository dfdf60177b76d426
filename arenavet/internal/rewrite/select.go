package rewrite

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// Fix is a rewrite of an expression or a statement.
type Fix struct {
	Edits  []analysis.TextEdit
	Shared []analysis.TextEdit // edits that several fixes may need, such as an import
	Typed  []types.Object      // variables whose type changes
}

func (f *Fix) all() []analysis.TextEdit { return slices.Concat(f.Shared, f.Edits) }

// Select reports which fixes of a package can be applied together: no two edits share a position, the package compiles,
// and every identifier keeps its type, except the variables in Typed.
func Select(pass *analysis.Pass, fixes []*Fix) []bool {
	c := &selection{pass: pass, fixes: fixes, taken: make([]bool, len(fixes)), sources: map[*ast.File][]byte{}}
	var edits []owned
	for i, f := range fixes {
		if more, ok := c.join(edits, i, f); ok {
			edits, c.taken[i] = more, true
		}
	}
	for rounds := 0; ; rounds++ {
		wrong := c.check()
		if len(wrong) == 0 {
			return c.taken
		}
		if rounds == 20 {
			return make([]bool, len(fixes))
		}
		for i := range wrong {
			c.taken[i] = false
		}
	}
}

type selection struct {
	pass    *analysis.Pass
	fixes   []*Fix
	taken   []bool
	sources map[*ast.File][]byte
}

// owned is an edit and the number of its fix.
type owned struct {
	analysis.TextEdit
	fix    int
	shared bool
}

// join adds the edits of fix i to list. It returns false if two edits overlap.
func (c *selection) join(list []owned, i int, f *Fix) ([]owned, bool) {
	list = slices.Clone(list)
	for n, e := range f.all() {
		if c.file(e.Pos) == nil {
			return nil, false
		}
		x := owned{e, i, n < len(f.Shared)}
		at, _ := slices.BinarySearchFunc(list, e.Pos, func(o owned, pos token.Pos) int { return int(o.Pos - pos) })
		if at < len(list) && list[at].Pos == e.Pos {
			if o := list[at]; x.shared && o.shared && o.End == e.End && string(o.NewText) == string(e.NewText) {
				continue
			}
			return nil, false
		}
		if at > 0 && list[at-1].End > e.Pos || at < len(list) && list[at].Pos < e.End {
			return nil, false
		}
		list = slices.Insert(list, at, x)
	}
	return list, true
}

func (c *selection) file(pos token.Pos) *ast.File {
	for _, f := range c.pass.Files {
		if pos >= f.FileStart && pos <= f.FileEnd {
			return f
		}
	}
	return nil
}

// source returns the text of a file, or nil if the text that was parsed is another, as with cgo.
func (c *selection) source(f *ast.File) []byte {
	if text, ok := c.sources[f]; ok {
		return text
	}
	tf := c.pass.Fset.File(f.FileStart)
	text, err := c.pass.ReadFile(tf.Name())
	if err != nil || len(text) != tf.Size() {
		text = nil
	}
	c.sources[f] = text
	return text
}

// changed is a file with the edits of the taken fixes.
type changed struct {
	old, new *ast.File
	edits    []owned
	marks    []Marked
}

// shifted returns the offset in the new text of the byte at position at of the old text. ok is false if it was replaced.
func (f *changed) shifted(base token.Pos, at token.Pos) (offset int, ok bool) {
	offset = int(at - base)
	for _, e := range f.edits {
		if e.Pos <= at && at < e.End {
			return 0, false
		}
		if e.End > at {
			break
		}
		offset += len(e.NewText) - int(e.End-e.Pos)
	}
	return offset, true
}

// check returns the fixes that do not compile, or that change the type of an identifier.
func (c *selection) check() map[int]bool {
	wrong := map[int]bool{}
	byFile := map[*ast.File]*changed{}
	var edits []owned
	for i, f := range c.fixes {
		if c.taken[i] {
			edits, _ = c.join(edits, i, f)
		}
	}
	for _, e := range edits {
		f := c.file(e.Pos)
		if c.source(f) == nil {
			wrong[e.fix] = true
			continue
		}
		if byFile[f] == nil {
			byFile[f] = &changed{old: f}
		}
		byFile[f].edits = append(byFile[f].edits, e)
	}
	if len(wrong) > 0 || len(edits) == 0 {
		return wrong
	}
	files, byName := []*ast.File(nil), map[string]*changed{}
	for _, f := range c.pass.Files {
		ch := byFile[f]
		if ch == nil {
			files = append(files, f)
			continue
		}
		p := &Printer{Src: c.source(f), Offset: func(pos token.Pos) int { return int(pos - f.FileStart) }}
		for _, e := range ch.edits {
			p.Put(e.Pos, e.End, token.Pos(e.fix+1), string(e.NewText))
		}
		text, marks := p.Print()
		ch.marks = marks
		name := c.pass.Fset.File(f.FileStart).Name()
		parsed, err := parser.ParseFile(c.pass.Fset, name, text, parser.SkipObjectResolution)
		if err != nil { // the error does not tell which edit is wrong
			for _, e := range ch.edits {
				wrong[e.fix] = true
			}
			return wrong
		}
		ch.new, byName[name] = parsed, ch
		files = append(files, parsed)
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Instances: map[*ast.Ident]types.Instance{}}
	imports := importer{}
	imports.add(c.pass.Pkg)
	conf := types.Config{GoVersion: c.pass.Pkg.GoVersion(), Sizes: c.pass.TypesSizes, Importer: imports, Error: func(err error) {
		e, ok := err.(types.Error)
		if !ok || e.Soft && strings.HasSuffix(e.Msg, " and not used") && strings.Contains(e.Msg, " imported ") { // imports are removed when a fix is applied
			return
		}
		at := c.pass.Fset.PositionFor(e.Pos, false)
		if ch := byName[at.Filename]; ch != nil {
			wrong[ch.blame(at.Offset)] = true
		}
	}}
	conf.Check(c.pass.Pkg.Path(), c.pass.Fset, files, info)
	if len(wrong) == 0 {
		for _, ch := range byName {
			c.compare(ch, info, wrong)
		}
	}
	return wrong
}

// blame returns the fix around an offset of the new text, or the nearest one.
func (f *changed) blame(at int) int {
	if m := Innermost(f.marks, at); m != nil {
		return int(m.ID) - 1
	}
	near := slices.MinFunc(f.marks, func(a, b Marked) int { return a.distance(at) - b.distance(at) })
	return int(near.ID) - 1
}

func (m Marked) distance(at int) int { return max(m.From-at, at-m.To, 0) }

// compare adds the fixes that change the type of an identifier to wrong.
func (c *selection) compare(f *changed, info *types.Info, wrong map[int]bool) {
	typed := map[types.Object]bool{}
	for i, fix := range c.fixes {
		for _, obj := range fix.Typed {
			typed[obj] = typed[obj] || c.taken[i]
		}
	}
	at := map[int]*ast.Ident{}
	ast.Inspect(f.new, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			at[int(id.Pos()-f.new.FileStart)] = id
		}
		return true
	})
	ast.Inspect(f.old, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok { // of a method, which the new type has as well
			if x, ok := s.X.(*ast.Ident); ok && typed[c.pass.TypesInfo.ObjectOf(x)] {
				return false
			}
		}
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		was := c.pass.TypesInfo.ObjectOf(id)
		offset, kept := f.shifted(f.old.FileStart, id.Pos())
		if !kept || was == nil || typed[was] {
			return true
		}
		is := at[offset]
		if is == nil || describe(c.pass.TypesInfo, id) != describe(info, is) {
			wrong[f.blame(offset)] = true
		}
		return true
	})
}

// describe returns a string that is equal for identifiers with the same meaning.
func describe(info *types.Info, id *ast.Ident) string {
	obj := info.ObjectOf(id)
	if obj == nil {
		return ""
	}
	if p, ok := obj.(*types.PkgName); ok {
		return p.Imported().Path()
	}
	of := ""
	if obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope() {
		of = obj.Pkg().Path()
	}
	text := fmt.Sprintf("%T %s.%s %s", obj, of, obj.Name(), types.TypeString(obj.Type(), nil))
	if f, ok := obj.(*types.Func); ok { // its type is the declared one
		text = f.FullName()
	}
	if i, ok := info.Instances[id]; ok {
		text += " " + types.TypeString(i.Type, nil)
	}
	return text
}

// importer has the packages that a pass imports, directly or not, by path.
type importer map[string]*types.Package

func (im importer) add(p *types.Package) {
	if path := catalog.PackagePath(p); im[path] == nil {
		im[path] = p
		for _, q := range p.Imports() {
			im.add(q)
		}
	}
}

func (im importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := im[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("could not import %s", path)
}
