package arenavet

import (
	"strings"

	"golang.org/x/tools/go/analysis"
)

// line is a line of a file.
type line struct {
	file string
	n    int
}

// ignoreComments finds the comments that suppress findings, and reports those
// that don't say why.
func (c *checker) ignoreComments() map[line]bool {
	found := map[line]bool{}
	for _, file := range c.pass.Files {
		for _, group := range file.Comments {
			for _, comment := range group.List {
				reason, ok := strings.CutPrefix(comment.Text, "//arenavet:ignore")
				if !ok {
					continue
				}
				if strings.TrimSpace(reason) == "" {
					c.pass.Report(analysis.Diagnostic{
						Pos: comment.Pos(), Category: string(ruleIgnore), URL: page + "#" + string(ruleIgnore),
						Message: "arenavet:ignore without a reason suppresses nothing: say after it why the finding is none (docs/arenavet.md#" + string(ruleIgnore) + ")",
					})
					continue
				}
				p := c.pass.Fset.Position(comment.Pos())
				found[line{p.Filename, p.Line}] = true
			}
		}
	}
	return found
}
