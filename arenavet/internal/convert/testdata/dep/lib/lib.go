// Package lib is somebody else's.
package lib

import "strings"

// Words is the root.
func Words(text string) []string {
	var all []string
	for _, w := range strings.Split(text, " ") {
		all = append(all, strings.ToUpper(w))
	}
	return all
}
