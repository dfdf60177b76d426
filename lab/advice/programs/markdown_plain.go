package programs

import (
	"fmt"
	"strings"
)

// RenderMarkdown parses a document and writes it as HTML, with a table of its
// headings.
func RenderMarkdown(source string) uint64 {
	m := &markdown{refs: map[string]string{}, ids: map[string]int{}}
	doc := &Node{Kind: document, Kids: m.blocks(strings.Split(source, "\n"))}
	var out strings.Builder
	m.render(&out, doc)
	for i, h := range m.headings {
		out.WriteString(fmt.Sprintf("<a href=\"#%s\">%d. %s</a>\n", h.Dest, i+1, h.Text))
	}
	var d digest
	d.text(out.String())
	return uint64(d)
}

type markdown struct {
	refs     map[string]string // addresses by label
	ids      map[string]int    // how many headings have it
	headings []*Node
}

func (m *markdown) blocks(lines []string) []*Node {
	var all []*Node
	for i := 0; i < len(lines); {
		line := lines[i]
		i++
		switch {
		case line == "":
		case headingLevel(line) > 0:
			n := headingLevel(line)
			title := strings.TrimSpace(line[n:])
			h := &Node{Kind: heading, Level: n, Text: title, Dest: m.id(title), Kids: m.inline(title)}
			m.headings = append(m.headings, h)
			all = append(all, h)
		case strings.HasPrefix(line, "```"):
			from := i
			for i < len(lines) && lines[i] != "```" {
				i++
			}
			all = append(all, &Node{Kind: fenced, Dest: line[3:], Text: strings.Join(lines[from:i], "\n")})
			i++
		case strings.HasPrefix(line, "> "):
			var inner []string
			for i--; i < len(lines) && strings.HasPrefix(lines[i], "> "); i++ {
				inner = append(inner, lines[i][2:])
			}
			all = append(all, &Node{Kind: quote, Kids: m.blocks(inner)})
		case strings.HasPrefix(line, "- "):
			l := &Node{Kind: list}
			for i--; i < len(lines) && strings.HasPrefix(lines[i], "- "); {
				inner := []string{lines[i][2:]}
				for i++; i < len(lines) && strings.HasPrefix(lines[i], "  "); i++ {
					inner = append(inner, lines[i][2:])
				}
				l.Kids = append(l.Kids, &Node{Kind: item, Kids: m.blocks(inner)})
			}
			all = append(all, l)
		default:
			if label, dest, ok := definition(line); ok {
				m.refs[strings.ToLower(label)] = dest
				continue
			}
			from := i - 1
			for i < len(lines) && plainParagraph(lines[i]) {
				i++
			}
			all = append(all, &Node{Kind: paragraph, Kids: m.inline(strings.Join(lines[from:i], " "))})
		}
	}
	return all
}

// id is a heading's anchor; the second of a title has a number.
func (m *markdown) id(title string) string {
	slug := strings.ReplaceAll(strings.ToLower(title), " ", "-")
	m.ids[slug]++
	if n := m.ids[slug]; n > 1 {
		return fmt.Sprintf("%s-%d", slug, n)
	}
	return slug
}

func (m *markdown) inline(s string) []*Node {
	var all []*Node
	for s != "" {
		if kind, inner, dest, labelled, n := mark(s); kind != text {
			node := &Node{Kind: kind, Dest: dest}
			if kind == code {
				node.Text = inner
			} else {
				node.Kids = m.inline(inner)
			}
			if labelled {
				node.Dest, node.Text = "", strings.ToLower(dest)
			}
			all = append(all, node)
			s = s[n:]
			continue
		}
		end := strings.IndexAny(s[1:], special) + 1
		if end == 0 {
			end = len(s)
		}
		all = append(all, &Node{Kind: text, Text: s[:end]})
		s = s[end:]
	}
	return all
}

func (m *markdown) render(out *strings.Builder, n *Node) {
	tag := ""
	switch n.Kind {
	case text:
		escaped(out, n.Text)
		return
	case heading:
		out.WriteString(fmt.Sprintf("<h%d id=\"%s\">", n.Level, n.Dest))
	case fenced:
		out.WriteString("<pre><code class=\"" + n.Dest + "\">")
		escaped(out, n.Text)
		out.WriteString("</code></pre>\n")
		return
	case link:
		dest := n.Dest
		if n.Text != "" {
			dest = m.refs[n.Text]
		}
		out.WriteString("<a href=\"" + dest + "\">")
		tag = "a"
	case document:
	default:
		tag = tags[n.Kind]
		out.WriteString("<" + tag + ">")
		if n.Kind == code {
			escaped(out, n.Text)
		}
	}
	for _, kid := range n.Kids {
		m.render(out, kid)
	}
	if n.Kind == heading {
		out.WriteString(fmt.Sprintf("</h%d>\n", n.Level))
	} else if tag != "" {
		out.WriteString("</" + tag + ">")
	}
}

func escaped(out *strings.Builder, s string) {
	for i := 0; i < len(s); i++ {
		if e := escape(s[i]); e != "" {
			out.WriteString(e)
		} else {
			out.WriteByte(s[i])
		}
	}
}
