// Package door has what the packages of this module share with package arena, and
// programs are not to see.
package door

// ContextKey is what a context finds its arena by.
type ContextKey struct{}
