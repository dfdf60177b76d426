package advice

import (
	"strings"

	"github.com/ebbpool/arena"
)

// scopeIn is scope with an arena.Map.
type scopeIn struct {
	values *arena.Map[string, string]
	outer  *scopeIn
}

func (s *scopeIn) find(name string) string {
	for ; s != nil; s = s.outer {
		if v, ok := s.values.Get(name); ok {
			return v
		}
	}
	return ""
}

func templateIn(a *arena.Arena, b []byte) uint64 {
	pieces, _ := parsePiecesIn(a, a.AllocBytesToString(b))
	top := arena.NewOf(a, scopeIn{values: arena.NewMap[string, string](a, 2)})
	top.values.Set("title", "Orders")
	top.values.Set("user", "jo")
	return sumOf(fillIn(a, pieces, top))
}

func parsePiecesIn(a *arena.Arena, text string) (pieces []*piece, rest string) {
	for len(text) > 0 {
		before, after, ok := strings.Cut(text, "{{")
		if before != "" {
			pieces = arena.Append(a, pieces, arena.NewOf(a, piece{text: before}))
		}
		if !ok {
			return pieces, ""
		}
		tag, after, _ := strings.Cut(after, "}}")
		text = after
		switch {
		case tag == "/":
			return pieces, text
		case tag[0] == '#':
			p := arena.NewOf(a, piece{name: tag[1:]})
			p.pieces, text = parsePiecesIn(a, text)
			pieces = arena.Append(a, pieces, p)
		default:
			pieces = arena.Append(a, pieces, arena.NewOf(a, piece{name: tag}))
		}
	}
	return pieces, ""
}

func fillIn(a *arena.Arena, pieces []*piece, s *scopeIn) string {
	out := arena.NewBuffer(a, 0)
	for _, p := range pieces {
		switch {
		case p.pieces != nil:
			for i := range len(p.name) {
				row := arena.NewOf(a, scopeIn{values: arena.NewMap[string, string](a, 2), outer: s})
				row.values.Set("row", rowNames[i%len(rowNames)])
				row.values.Set("list", p.name)
				out.WriteString(fillIn(a, p.pieces, row))
			}
		case p.name != "":
			out.WriteString(a.Concat("<b>", s.find(p.name), "</b>"))
		default:
			out.WriteString(p.text)
		}
	}
	return out.String()
}
