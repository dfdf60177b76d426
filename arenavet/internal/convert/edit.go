package convert

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
)

// edit replaces a part of a file.
type edit struct {
	from, to int
	text     string
	order    int // among those at one place
}

// edits are those of files, by name.
type edits map[string][]edit

// overlaps reports whether an edit of one list and one of the other change the same text.
func overlaps(done, list []edit) bool {
	for _, e := range list {
		for _, d := range done {
			if e.from < d.to && d.from < e.to || e.from == e.to && d.from < e.from && e.from < d.to || d.from == d.to && e.from < d.from && d.from < e.to {
				return true
			}
		}
	}
	return false
}

func (p *program) add(all edits, from, to token.Pos, text string) {
	f := p.fset.File(from)
	all[f.Name()] = append(all[f.Name()], edit{from: f.Offset(from), to: f.Offset(to), text: text, order: len(all[f.Name()])})
}

func (p *program) insert(all edits, at token.Pos, text string) { p.add(all, at, at, text) }

// bodyStart is where a function's first statements are inserted: behind the brace, and the comment that stands there.
func (p *program) bodyStart(d *declared) token.Pos {
	at := d.decl.Body.Lbrace + 1
	for _, c := range d.file.Comments {
		if list := d.decl.Body.List; c.Pos() >= at && p.fset.Position(c.Pos()).Line == p.fset.Position(at).Line && (len(list) == 0 || c.Pos() < list[0].Pos()) {
			return c.List[0].End()
		}
	}
	return at
}

// apply changes a text: at one place what is inserted comes before what is replaced. Edits that overlap an
// earlier one are left out.
func apply(text []byte, list []edit) (out []byte, done []edit) {
	slices.SortStableFunc(list, func(a, b edit) int {
		return cmp.Or(a.from-b.from, min(a.to-a.from, 1)-min(b.to-b.from, 1), a.order-b.order)
	})
	last := 0
	for _, e := range list {
		if e.from < last {
			continue
		}
		out = append(append(out, text[last:e.from]...), e.text...)
		last = e.to
		done = append(done, e)
	}
	return append(out, text[last:]...), done
}

// original is where an offset of the changed text was before, and whether that is behind an
// insertion there.
func original(done []edit, at int) (offset int, behind bool) {
	moved := 0
	for _, e := range done {
		start := e.from + moved
		if at < start || at == start && (len(e.text) > 0 || e.from < e.to) {
			return at - moved, behind
		}
		end := start + len(e.text)
		if at < end {
			return e.from, false // within what was written
		}
		moved += len(e.text) - (e.to - e.from)
		behind = at == end
	}
	return at - moved, behind
}

// texts are the files that edits change, as they are then.
func texts(all edits) (map[string][]byte, edits, error) {
	out, done := map[string][]byte{}, edits{}
	for name, list := range all {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, nil, err
		}
		out[name], done[name] = apply(text, list)
	}
	return out, done, nil
}

// formatted is a file's text as gofmt has it, without the imports that it needs no longer.
func (p *program) formatted(name string, text []byte) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
		return true
	})
	names := map[string]string{}
	for _, pkg := range p.pkgs {
		for path, imported := range pkg.Imports {
			names[path] = imported.Name
		}
	}
	var unused []edit
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		name := names[path]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if name != "" && name != "_" && name != "." && path != "C" && !used[name] {
			var alone ast.Node = spec
			for _, d := range file.Decls {
				if g, ok := d.(*ast.GenDecl); ok && g.Pos() < spec.Pos() && spec.End() == g.End() {
					alone = g
				}
			}
			from, to := fset.PositionFor(alone.Pos(), false).Offset, fset.PositionFor(spec.End(), false).Offset
			if rest := bytes.TrimLeft(text[to:], " \t"); bytes.HasPrefix(rest, []byte(";")) { // another stands behind it
				to = len(text) - len(rest) + 1
			}
			if from > 0 && text[from-1] == '\t' && to < len(text) && text[to] == '\n' { // all of its line
				from, to = from-1, to+1
			}
			unused = append(unused, edit{from: from, to: to})
		}
	}
	text, _ = apply(text, unused)
	return format.Source(text)
}
