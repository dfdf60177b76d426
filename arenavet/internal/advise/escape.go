package advise

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// escapeLine is one of the compiler's: of a grammar's lines and its parser's, which goyacc has it know, it tells no column,
// and before Go 1.27 no folder.
var escapeLine = regexp.MustCompile(`^(.+\.(?:go|y)|(?:.*[/\\])?yaccpar):(\d+)(?::(\d+))?: (.*)$`)

// Escapes asks the compiler what the packages send to the heap, line by line, and what stays, by its place. What
// an inlined function does stands at the parenthesis of its call. The compiler's answer is kept in the build cache.
func Escapes(dir string, paths []string) (escaping map[LineKey][]string, stays map[Place]bool, err error) {
	if len(paths) == 0 {
		return nil, nil, nil
	}
	stdout, stderr, err := goCommand(dir, append([]string{"list", "-export", "-gcflags=-m", "-f", "{{.ImportPath}} {{.Dir}}"}, paths...)...)
	if err != nil {
		return nil, nil, err
	}
	folders := map[string]string{}
	for line := range strings.Lines(string(stdout)) {
		path, folder, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		folders[path] = folder
	}
	all, folder := map[LineKey][]string{}, dir
	stays = map[Place]bool{}
	for line := range strings.Lines(string(stderr)) {
		if path, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "# "); ok {
			folder = folders[path] // what follows is this package's
			continue
		}
		m := escapeLine.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		what, ok := strings.CutSuffix(m[4], " escapes to heap")
		if moved, isMoved := strings.CutPrefix(m[4], "moved to heap: "); isMoved {
			what, ok = "var "+moved, true
		}
		kept := strings.HasSuffix(m[4], " does not escape")
		if !ok && !kept {
			continue
		}
		file := m[1]
		switch {
		case filepath.Base(file) == file: // a line directive's, which has no folder
			file = filepath.Join(folder, file)
		case !filepath.IsAbs(file):
			file = filepath.Join(dir, file)
		}
		n, _ := strconv.Atoi(m[2])
		column, _ := strconv.Atoi(m[3])
		at := Place{LineKey{file, n}, column}
		before, known := stays[at]
		stays[at] = kept && (before || !known) // one of several bodies may need the heap
		if ok {
			all[at.LineKey] = append(all[at.LineKey], what)
		}
	}
	return all, stays, nil
}

var methodValue = regexp.MustCompile(`^[\w.()*]+\.\w+$`)

// kindOfEscape returns what an expression allocates that the compiler sends to the heap.
func kindOfEscape(what string) Kind {
	switch {
	case strings.HasPrefix(what, "var "), strings.HasPrefix(what, "&"), strings.HasPrefix(what, "new("):
		return kindNew
	case what == "func literal":
		return kindClosure
	case what == "... argument":
		return kindArguments
	case strings.HasPrefix(what, "make(map"), strings.HasPrefix(what, "map["):
		return kindMap
	case strings.HasPrefix(what, "make(chan"):
		return kindChan
	case strings.HasPrefix(what, "make("), strings.HasPrefix(what, "[]") && strings.HasSuffix(what, "}"):
		return kindSlice
	case strings.HasPrefix(what, "append"):
		return kindAppend
	case strings.HasPrefix(what, "string("), strings.Contains(what, " + "):
		return kindText
	case strings.HasPrefix(what, "([]byte)("), strings.HasPrefix(what, "[]byte("):
		return kindText
	case methodValue.MatchString(what):
		return kindMethod
	}
	return kindBox
}

// kindAt returns what a site's value is, by the function of the runtime that made it and by
// what the compiler says of its line.
func kindAt(entry Kind, escaping []string) Kind {
	if entry != kindNew && entry != "" {
		return entry
	}
	have := map[Kind]bool{}
	for _, e := range escaping {
		have[kindOfEscape(e)] = true
	}
	order := []Kind{kindNew, kindSlice, kindClosure, kindMethod, kindArguments, kindBox}
	if entry == "" { // an allocation profile has not what the runtime was called for
		order = []Kind{kindNew, kindSlice, kindAppend, kindText, kindMap, kindClosure, kindMethod, kindArguments, kindBox}
	}
	for _, k := range order {
		if have[k] {
			return k
		}
	}
	return kindNew
}
