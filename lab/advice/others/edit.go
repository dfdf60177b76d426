package others

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// edit is one line of a description. It contains only as much of the other project's text as is needed to
// find the place:
//
//	OLD => NEW         in the whole file
//	12-34: OLD => NEW  in these lines of the original
//	12+ TEXT           a line after the original's line 12
//	$+ TEXT            a line at the end
//
// In OLD and NEW $X is a name, qualified or not, and ... is everything inside brackets, or up to the closing
// bracket.
type edit struct {
	file       string
	first, end int // lines of the original; 0, 0 means all
	old, text  string
	insert     bool
}

var form = regexp.MustCompile(`^(?:(\d+)(?:-(\d+))?: )?(.+?) => (.*)$`)
var insertion = regexp.MustCompile(`^(\d+|\$)\+ ?(.*)$`)

func parseEdit(file, line string) (edit, error) {
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			return 1 << 30
		}
		return n
	}
	if m := insertion.FindStringSubmatch(line); m != nil {
		return edit{file: file, first: number(m[1]), text: m[2], insert: true}, nil
	}
	m := form.FindStringSubmatch(line)
	if m == nil {
		return edit{}, fmt.Errorf("%q: want OLD => NEW, 12-34: OLD => NEW, or 12+ TEXT", line)
	}
	e := edit{file: file, old: m[3], text: m[4]}
	if m[1] != "" {
		e.first, e.end = number(m[1])-1, number(m[1])
	}
	if m[2] != "" {
		e.end = number(m[2])
	}
	return e, nil
}

// apply applies the edits to the files of a directory. An edit that matches nothing is an error, because the
// module is not the version that the description was written for.
func apply(dir string, edits []edit) error {
	files := map[string][]string{}
	for _, e := range edits {
		lines := files[e.file]
		if lines == nil {
			text, err := os.ReadFile(filepath.Join(dir, e.file))
			if err != nil {
				return err
			}
			lines = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
			files[e.file] = lines
		}
		if e.insert {
			continue
		}
		first, end := e.first, e.end
		if end == 0 {
			end = len(lines)
		}
		if end > len(lines) {
			return fmt.Errorf("%s has no line %d", e.file, end)
		}
		text, n := replace(strings.Join(lines[first:end], "\n"), e.old, e.text)
		if n == 0 {
			return fmt.Errorf("%s has no %q from line %d to %d", e.file, e.old, first+1, end)
		}
		copy(lines[first:end], strings.Split(text, "\n"))
	}
	for _, e := range edits { // last, because they change line numbers
		if lines := files[e.file]; e.insert {
			i := min(e.first, len(lines)) - 1
			lines[i] += "\n" + e.text
		}
	}
	for file, lines := range files {
		name := filepath.Join(dir, file)
		if err := os.Chmod(name, 0o644); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			return err
		}
	}
	return nil
}

var name = regexp.MustCompile(`\\\$([A-Z])`)

// replace replaces old by new everywhere and returns the number of replacements.
func replace(text, old, new string) (string, int) {
	head, tail, hole := strings.Cut(old, "...")
	newHead, newTail, _ := strings.Cut(new, "...")
	pattern := name.ReplaceAllString(regexp.QuoteMeta(head), `(?P<$1>[\w.]+)`)
	if regexp.MustCompile(`^\w`).MatchString(head) {
		pattern = `\b` + pattern
	}
	re := regexp.MustCompile(pattern)
	n := 0
	for at := 0; ; {
		m := re.FindStringSubmatchIndex(text[at:])
		if m == nil {
			return text, n
		}
		start, end := at+m[0], at+m[1]
		expanded := string(re.ExpandString(nil, regexp.MustCompile(`\$([A-Z])`).ReplaceAllString(newHead, `${$1}`), text[at:], m))
		body, rest := "", text[end:]
		if hole {
			k := closing(rest)
			if !strings.HasPrefix(rest[k:], tail) {
				at = end
				continue
			}
			body, rest = rest[:k], newTail+rest[k+len(tail):]
		}
		text = text[:start] + expanded + body + rest
		at = start + len(expanded)
		n++
	}
}

// closing returns the index of the bracket that closes one opened before text, or the length of text.
func closing(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return i
			}
		case '"', '`', '\'':
			for i++; i < len(text) && text[i] != c; i++ {
				if text[i] == '\\' && c != '`' {
					i++
				}
			}
		}
	}
	return len(text)
}
