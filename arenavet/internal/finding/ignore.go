package finding

import (
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

type line struct {
	file string
	n    int
}

// IgnoredLines holds the lines of comments that suppress findings. The value is true if the line has no code, so that
// the comment applies to the next line.
type IgnoredLines map[line]bool

// Cover reports whether a finding at p is suppressed.
func (l IgnoredLines) Cover(p token.Position) bool {
	_, here := l[line{p.Filename, p.Line}]
	return here || l[line{p.Filename, p.Line - 1}]
}

// ReadIgnored returns the comments that suppress findings, and reports comments without a reason.
func ReadIgnored(pass *analysis.Pass) IgnoredLines {
	found := IgnoredLines{}
	for _, file := range pass.Files {
		var code map[int]bool // lines with code, computed on demand
		for _, group := range file.Comments {
			for _, comment := range group.List {
				reason, ok := strings.CutPrefix(comment.Text, "//arenavet:ignore")
				if !ok {
					continue
				}
				if strings.TrimSpace(reason) == "" {
					pass.Report(Diagnostic(Ignore, comment.Pos(), "arenavet:ignore without a reason suppresses nothing: add the reason"))
					continue
				}
				p := pass.Fset.Position(comment.Pos())
				if code == nil {
					code = codeLines(pass, file)
				}
				found[line{p.Filename, p.Line}] = !code[p.Line]
			}
		}
	}
	return found
}

// codeLines returns the lines of a file on which code begins or ends.
func codeLines(pass *analysis.Pass, file *ast.File) map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil, *ast.File:
			return true
		case *ast.CommentGroup:
			return false
		default:
			lines[pass.Fset.Position(n.Pos()).Line] = true
			lines[pass.Fset.Position(n.End()-1).Line] = true
			return true
		}
	})
	return lines
}
