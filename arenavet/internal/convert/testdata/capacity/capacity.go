// Package capacity has a test that relies on how append grows.
package capacity

// Grow is the root.
func Grow(n int) []int {
	var s []int
	for i := range n {
		s = append(s, i)
	}
	return s
}
