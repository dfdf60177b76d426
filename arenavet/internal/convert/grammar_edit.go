package convert

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// own is an edit of the parser as one of the grammar.
func (g *grammar) own(e edit) (edit, error) {
	if e.from == g.head[0] && e.to == e.from {
		e.from, e.to = g.head[1], g.head[1]
		return e, nil
	}
	a := g.actionAt(e.from)
	if a == nil {
		return e, fmt.Errorf("an edit of %s is in no action", filepath.Base(g.parser))
	}
	from, to := -1, -1
	for i, t := range a.tokens {
		first := i == 0 || a.own[i-1] != a.own[i]
		last := i+1 == len(a.own) || a.own[i+1] != a.own[i]
		if e.from == e.to && e.from == t.to && last {
			from, to = a.own[i].to, a.own[i].to
			break
		}
		if e.from == t.from && first {
			if from = a.own[i].from; e.from == e.to {
				to = from
				break
			}
		}
		if e.to == t.to && last {
			to = a.own[i].to
		}
	}
	if from < 0 || to < from {
		return e, fmt.Errorf("an edit of %s is within a symbol", filepath.Base(g.parser))
	}
	e.from, e.to = from, to
	for i := 0; i < len(a.tokens); { // symbols in what is written
		n := i + 1
		for n < len(a.own) && a.own[n] == a.own[i] {
			n++
		}
		if a.own[i].text[0] == '$' {
			symbol := regexp.QuoteMeta(string(g.made[a.tokens[i].from:a.tokens[n-1].to]))
			if !strings.HasSuffix(symbol, "]") {
				symbol += `\b`
			}
			e.text = regexp.MustCompile(symbol).ReplaceAllLiteralString(e.text, a.own[i].text)
		}
		i = n
	}
	if strings.Contains(e.text, g.prefix+"VAL") || strings.Contains(e.text, g.prefix+"Dollar") {
		return e, fmt.Errorf("an edit of %s names a symbol that its action does not: %s", filepath.Base(g.parser), e.text)
	}
	return e, nil
}

// shifted are the parser's line directives as they are after edits of the grammar.
func (g *grammar) shifted(made []byte, done []edit) []byte {
	return lineDirective.ReplaceAllFunc(made, func(directive []byte) []byte {
		m := lineDirective.FindSubmatchIndex(directive)
		line, _ := strconv.Atoi(string(directive[m[4]:m[5]]))
		more := 0
		for _, e := range done {
			if at := strings.Count(string(g.text[:e.from]), "\n") + 1; at < line || at == line && e.from == g.head[1] {
				more += strings.Count(e.text, "\n") - strings.Count(string(g.text[e.from:e.to]), "\n")
			}
		}
		return fmt.Appendf(nil, "%s%d%s", directive[:m[4]], line+more, directive[m[5]:])
	})
}
