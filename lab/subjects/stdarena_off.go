//go:build !goexperiment.arenas

package subjects

// newStdArena returns nil in a build without the experiment.
func newStdArena() any { return nil }
