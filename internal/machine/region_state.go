package machine

// state is one of the things that packages of this module keep with a region.
type state struct {
	of   any // a *T, for each T one at most
	next *state
}

// State returns the region's own T, the same one each time, zero at first: what a
// codec works with and wants to find warm, buffers for example. It lies on the
// heap, and lives as long as the region does, through Empty, up to Release. What
// must not outlive an epoch of the region compares Resets. It counts towards no
// limit and no statistics, so whoever keeps it keeps it small, and lets go of all
// that leads to a program's values before it returns.
func State[T any](r *Region) *T {
	if r.RegionRecord == nil {
		r.MustBeMade()
	}
	for s := r.state; s != nil; s = s.next {
		if x, ok := s.of.(*T); ok {
			return x
		}
	}
	x := new(T)
	r.state = &state{x, r.state}
	return x
}
