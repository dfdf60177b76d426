package programs

import (
	"strings"

	"github.com/ebbpool/arena"
)

// RenderMarkdownIn is RenderMarkdown in an arena.
func RenderMarkdownIn(a *arena.Arena, source string) uint64 {
	m := arena.NewOf(a, arenaMarkdown{arena: a, refs: arena.NewMap[string, string](a, 0), ids: arena.NewMap[string, int](a, 0)})
	doc := arena.NewOf(a, Node{Kind: document, Kids: m.blocks(m.split(source))})
	out := arena.NewBuffer(a, len(source))
	m.render(out, doc)
	for i, h := range m.headings {
		out.WriteString(a.Sprintf("<a href=\"#%s\">%d. %s</a>\n", h.Dest, i+1, h.Text))
	}
	var d digest
	d.text(out.String())
	return uint64(d)
}

type arenaMarkdown struct {
	arena    *arena.Arena
	refs     *arena.Map[string, string] // addresses by label
	ids      *arena.Map[string, int]    // how many headings have it
	headings []*Node
}

// split is strings.Split(source, "\n").
func (m *arenaMarkdown) split(source string) []string {
	lines := arena.MakeSlice[string](m.arena, 0, strings.Count(source, "\n")+1)
	for line := range strings.SplitSeq(source, "\n") {
		lines = append(lines, line)
	}
	return lines
}

func (m *arenaMarkdown) blocks(lines []string) []*Node {
	var all []*Node
	for i := 0; i < len(lines); {
		line := lines[i]
		i++
		switch {
		case line == "":
		case headingLevel(line) > 0:
			n := headingLevel(line)
			title := strings.TrimSpace(line[n:])
			h := arena.NewOf(m.arena, Node{Kind: heading, Level: n, Text: title, Dest: m.id(title), Kids: m.inline(title)})
			m.headings = arena.Append(m.arena, m.headings, h)
			all = arena.Append(m.arena, all, h)
		case strings.HasPrefix(line, "```"):
			from := i
			for i < len(lines) && lines[i] != "```" {
				i++
			}
			all = arena.Append(m.arena, all, arena.NewOf(m.arena, Node{Kind: fenced, Dest: line[3:], Text: m.arena.Join(lines[from:i], "\n")}))
			i++
		case strings.HasPrefix(line, "> "):
			var inner []string
			for i--; i < len(lines) && strings.HasPrefix(lines[i], "> "); i++ {
				inner = arena.Append(m.arena, inner, lines[i][2:])
			}
			all = arena.Append(m.arena, all, arena.NewOf(m.arena, Node{Kind: quote, Kids: m.blocks(inner)}))
		case strings.HasPrefix(line, "- "):
			l := arena.NewOf(m.arena, Node{Kind: list})
			for i--; i < len(lines) && strings.HasPrefix(lines[i], "- "); {
				inner := arena.SliceOf(m.arena, lines[i][2:])
				for i++; i < len(lines) && strings.HasPrefix(lines[i], "  "); i++ {
					inner = arena.Append(m.arena, inner, lines[i][2:])
				}
				l.Kids = arena.Append(m.arena, l.Kids, arena.NewOf(m.arena, Node{Kind: item, Kids: m.blocks(inner)}))
			}
			all = arena.Append(m.arena, all, l)
		default:
			if label, dest, ok := definition(line); ok {
				m.refs.Set(m.arena.ToLower(label), dest)
				continue
			}
			from := i - 1
			for i < len(lines) && plainParagraph(lines[i]) {
				i++
			}
			all = arena.Append(m.arena, all, arena.NewOf(m.arena, Node{Kind: paragraph, Kids: m.inline(m.arena.Join(lines[from:i], " "))}))
		}
	}
	return all
}

// id is a heading's anchor; the second of a title has a number.
func (m *arenaMarkdown) id(title string) string {
	lower := arena.NewBuffer(m.arena, len(title))
	lower.WriteString(m.arena.ToLower(title))
	for i, c := range lower.Bytes() {
		if c == ' ' {
			lower.Bytes()[i] = '-'
		}
	}
	slug := lower.String()
	n, _ := m.ids.Get(slug)
	n++
	m.ids.Set(slug, n)
	if n > 1 {
		return m.arena.Sprintf("%s-%d", slug, n)
	}
	return slug
}

func (m *arenaMarkdown) inline(s string) []*Node {
	var all []*Node
	for s != "" {
		if kind, inner, dest, labelled, n := mark(s); kind != text {
			node := arena.NewOf(m.arena, Node{Kind: kind, Dest: dest})
			if kind == code {
				node.Text = inner
			} else {
				node.Kids = m.inline(inner)
			}
			if labelled {
				node.Dest, node.Text = "", m.arena.ToLower(dest)
			}
			all = arena.Append(m.arena, all, node)
			s = s[n:]
			continue
		}
		end := strings.IndexAny(s[1:], special) + 1
		if end == 0 {
			end = len(s)
		}
		all = arena.Append(m.arena, all, arena.NewOf(m.arena, Node{Kind: text, Text: s[:end]}))
		s = s[end:]
	}
	return all
}

func (m *arenaMarkdown) render(out *arena.Buffer, n *Node) {
	tag := ""
	switch n.Kind {
	case text:
		escapedIn(out, n.Text)
		return
	case heading:
		out.WriteString(m.arena.Sprintf("<h%d id=\"%s\">", n.Level, n.Dest))
	case fenced:
		out.WriteString(m.arena.Concat("<pre><code class=\"", n.Dest, "\">"))
		escapedIn(out, n.Text)
		out.WriteString("</code></pre>\n")
		return
	case link:
		dest := n.Dest
		if n.Text != "" {
			dest, _ = m.refs.Get(n.Text)
		}
		out.WriteString(m.arena.Concat("<a href=\"", dest, "\">"))
		tag = "a"
	case document:
	default:
		tag = tags[n.Kind]
		out.WriteString("<" + tag + ">")
		if n.Kind == code {
			escapedIn(out, n.Text)
		}
	}
	for _, kid := range n.Kids {
		m.render(out, kid)
	}
	if n.Kind == heading {
		out.WriteString(m.arena.Sprintf("</h%d>\n", n.Level))
	} else if tag != "" {
		out.WriteString("</" + tag + ">")
	}
}

func escapedIn(out *arena.Buffer, s string) {
	for i := 0; i < len(s); i++ {
		if e := escape(s[i]); e != "" {
			out.WriteString(e)
		} else {
			out.WriteByte(s[i])
		}
	}
}
