package grammar

import "strings"

type node struct {
	text string
	next *node
}

var kept []string

// Parse is the root. It has a loop over a function, whose body is none that runs later.
func Parse(text string) (list *node) {
	for word := range strings.FieldsSeq(text) {
		n := action(strings.ToUpper(word))
		if word == "keep" {
			kept = append(kept, strings.ToLower(word))
		}
		list = &node{text: n.text, next: list}
	}
	return list
}
