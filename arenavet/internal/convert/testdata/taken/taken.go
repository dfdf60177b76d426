// Package taken has the names of the functions that would copy in an arena: its copies stay on the heap.
package taken

import "bytes"

const toLowerIn = 1

// Parse is the root.
func Parse(text []byte) (lower, upper []byte) {
	return bytes.ToLower(text[toLowerIn:]), bytes.ToUpper(text)
}
