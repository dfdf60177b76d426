package convert

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// Functions of the standard library that copy their argument, and that package arena has no function for, get a helper
// in each package that calls them. A helper returns a slice without spare capacity.
var helpers = map[string]struct{ name, text string }{
	"bytes.ReplaceAll": {"bytesReplaceAllIn", `
// bytesReplaceAllIn is bytes.ReplaceAll with memory from a, which may be nil.
func bytesReplaceAllIn(a *ARENA.Arena, s, old, new []byte) []byte {
	size := len(s) + PKG.Count(s, old)*(len(new)-len(old))
	if len(old) == 0 || size == 0 {
		return PKG.ReplaceAll(s, old, new)
	}
	out := a.AllocBytes(size)
	rest := out
	for {
		i := PKG.Index(s, old)
		if i < 0 {
			copy(rest, s)
			return out
		}
		rest = rest[copy(rest, s[:i]):]
		rest, s = rest[copy(rest, new):], s[i+len(old):]
	}
}
`},
	"bytes.ToLower": {"bytesToLowerIn", `
// bytesToLowerIn is bytes.ToLower with memory from a, which may be nil.
func bytesToLowerIn(a *ARENA.Arena, s []byte) []byte {
	for _, c := range s {
		if c >= 0x80 {
			return PKG.ToLower(s)
		}
	}
	if len(s) == 0 {
		return PKG.ToLower(s)
	}
	out := a.AllocBytes(len(s))
	for i, c := range s {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		out[i] = c
	}
	return out
}
`},
}

// helped reports whether a call of a function becomes a call of its helper: the package declares none of the
// names in it, and the file names the function's package as usual.
func (p *program) helped(f *function, n *ast.CallExpr, o *types.Func) bool {
	h, ok := helpers[catalog.FunctionName(o)]
	if !ok || usesName(f.file, h.name) {
		return false
	}
	for _, n := range []string{h.name, "byte", "copy", "len"} { // what the helper's text means
		if f.pkg.Types.Scope().Lookup(n) != nil {
			return false
		}
	}
	_, isSelector := ast.Unparen(n.Fun).(*ast.SelectorExpr)
	return isSelector
}

// helperText returns a helper as a file with these imports has it.
func helperText(full string, file *ast.File, arena string) string {
	path := catalog.PackageOf(full)
	pkg := path[strings.LastIndexByte(path, '/')+1:]
	for _, im := range file.Imports {
		if was, _ := strconv.Unquote(im.Path.Value); was == path && im.Name != nil {
			pkg = im.Name.Name
		}
	}
	return strings.NewReplacer("ARENA", arena, "PKG", pkg).Replace(helpers[full].text)
}

func usesName(file *ast.File, name string) bool {
	used := false
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			used = true
		}
		return true
	})
	return used
}

// arenaName returns the name of package arena in a file.
func (p *program) arenaName(file *ast.File) string {
	for _, im := range file.Imports {
		if path, _ := strconv.Unquote(im.Path.Value); path == catalog.ArenaPath {
			if im.Name != nil {
				return im.Name.Name
			}
			return "arena"
		}
	}
	name := "arena"
	for _, pkg := range p.pkgs {
		if slices.Contains(pkg.Syntax, file) && (pkg.Types.Scope().Lookup("arena") != nil || usesName(file, "arena")) {
			name = "ebbarena"
		}
	}
	return name
}
