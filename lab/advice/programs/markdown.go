package programs

import "strings"

// Kinds of a Markdown node.
const (
	document = iota
	heading
	paragraph
	fenced
	quote
	list
	item
	text
	emphasis
	strong
	code
	link
)

// Node is a node of a Markdown document, a block or a part of a line.
type Node struct {
	Kind, Level int
	Text, Dest  string
	Kids        []*Node
}

// tags are the HTML elements of kinds that have one without attributes.
var tags = [...]string{paragraph: "p", quote: "blockquote", list: "ul", item: "li", emphasis: "em", strong: "strong", code: "code"}

// headingLevel is how many # a line begins with, 0 if it is no heading.
func headingLevel(line string) int {
	n := 0
	for n < len(line) && line[n] == '#' {
		n++
	}
	if n > 6 || n == len(line) || line[n] != ' ' {
		return 0
	}
	return n
}

// definition splits a line such as "[label]: address".
func definition(line string) (label, dest string, ok bool) {
	if !strings.HasPrefix(line, "[") {
		return "", "", false
	}
	label, dest, ok = strings.Cut(line[1:], "]: ")
	return label, strings.TrimSpace(dest), ok
}

// plainParagraph reports whether a line goes on with a paragraph.
func plainParagraph(line string) bool {
	return line != "" && headingLevel(line) == 0 && !strings.HasPrefix(line, "```") &&
		!strings.HasPrefix(line, "> ") && !strings.HasPrefix(line, "- ")
}

// mark finds what begins at the start of a line's rest: its kind, what stands
// within it, for a link its label or address too, and how long all is; text if
// nothing does.
func mark(s string) (kind int, inner, dest string, labelled bool, length int) {
	within := func(kind int, by string) (int, string, string, bool, int) {
		if end := strings.Index(s[len(by):], by); end > 0 {
			return kind, s[len(by) : len(by)+end], "", false, end + 2*len(by)
		}
		return text, "", "", false, 0
	}
	switch {
	case strings.HasPrefix(s, "**"):
		return within(strong, "**")
	case s[0] == '*':
		return within(emphasis, "*")
	case s[0] == '`':
		return within(code, "`")
	case s[0] == '[':
		end := strings.IndexByte(s, ']')
		if end < 0 || end+1 >= len(s) || s[end+1] != '(' && s[end+1] != '[' {
			break
		}
		closing := byte(')')
		if s[end+1] == '[' {
			closing = ']'
		}
		if n := strings.IndexByte(s[end+2:], closing); n >= 0 {
			return link, s[1:end], s[end+2 : end+2+n], closing == ']', end + 3 + n
		}
	}
	return text, "", "", false, 0
}

const special = "*`["

// escape is what a byte is in HTML, "" if itself.
func escape(c byte) string {
	switch c {
	case '&':
		return "&amp;"
	case '<':
		return "&lt;"
	case '>':
		return "&gt;"
	case '"':
		return "&quot;"
	}
	return ""
}
