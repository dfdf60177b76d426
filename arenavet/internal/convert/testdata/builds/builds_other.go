//go:build ebbpool_other

package builds

type state struct{ n int64 }

type lower struct{ n int }

func (lower) make(name string) *Node { return nil }

func system(string) *Node { return nil }
