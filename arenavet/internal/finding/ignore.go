package finding

import (
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// line is a line of a file.
type line struct {
	file string
	n    int
}

// IgnoredLines are the lines with a comment that suppresses findings; true if
// there is nothing else on it, so that the next line is meant.
type IgnoredLines map[line]bool

// Cover reports whether a finding at p is suppressed.
func (l IgnoredLines) Cover(p token.Position) bool {
	_, here := l[line{p.Filename, p.Line}]
	return here || l[line{p.Filename, p.Line - 1}]
}

// ReadIgnored finds the comments that suppress findings, and reports those
// that don't say why.
func ReadIgnored(pass *analysis.Pass) IgnoredLines {
	found := IgnoredLines{}
	for _, file := range pass.Files {
		var code map[int]bool // lines with code; most files need not know
		for _, group := range file.Comments {
			for _, comment := range group.List {
				reason, ok := strings.CutPrefix(comment.Text, "//arenavet:ignore")
				if !ok {
					continue
				}
				if strings.TrimSpace(reason) == "" {
					pass.Report(Diagnostic(Ignore, comment.Pos(), "arenavet:ignore without a reason suppresses nothing: say after it why the finding is none"))
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

// codeLines are the lines of a file on which something other than a comment
// begins or ends.
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
