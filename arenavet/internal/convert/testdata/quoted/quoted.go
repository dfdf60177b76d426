// Package quoted reads JSON into a variable that had a caller's string: what is read does not lie in the bytes of
// that, so that what leads to it moves.
package quoted

import "encoding/json"

type value struct {
	node  any
	token string
}

type node struct {
	name string
	next *node
}

// Parse is the root.
func Parse(src string) *node {
	var v value
	lex(src, &v)
	stack := []value{v, v}
	top := stack[0:1]
	v.node = &node{name: top[0].token}
	stack[0] = v
	top[0].node.(*node).next = &node{name: top[0].token}
	return stack[0].node.(*node)
}

func lex(src string, v *value) {
	text := src
	if json.Unmarshal([]byte(src), &text) == nil {
		v.token = text
	}
}
