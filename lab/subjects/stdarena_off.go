//go:build !goexperiment.arenas

package subjects

// newStdArena has nothing to make in a build without the experiment.
func newStdArena() any { return nil }
