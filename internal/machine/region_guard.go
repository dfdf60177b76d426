package machine

import "github.com/ebbpool/arena/internal/guard"

// Guard has r, which has a Quota and no memory, be guarded by g.
func (r *Region) Guard(g *Guarded) {
	q := r.FlatLane().ops.quota
	q.guarded = g
	q.flat.laneMemory = guardedMemory{Guarded: g}
}

// Guarded returns what guards the region, nil for nothing.
func (r *Region) Guarded() *Guarded {
	if ops := r.FlatLane().ops; ops != nil && ops.quota != nil {
		return ops.quota.guarded
	}
	return nil
}

// GuardedEpoch returns the epoch of an *arena.Arena that is guarded, nil for others.
func GuardedEpoch[A any, P arena[A]](a P) *guard.Epoch {
	if a != nil && guard.Sampled.Load() {
		if g := RegionOf(a).Guarded(); g != nil {
			return g.Epoch
		}
	}
	return nil
}

// Poison ends the epoch of a guarded region, as one of e: what has pointers is filled with
// dead values, and the region is released. What has none is protected by Protect, when all
// forks are poisoned.
func (r *Region) Poison(e *guard.Epoch) {
	r.Guarded().Epoch = e
	dead := e.DeadPointer()
	for _, l := range r.Types.lanes {
		fill := guard.DeadFiller(l.ops.typ())
		for i := range l.older {
			fill(l.older[i].Base, 0, l.older[i].Lo, dead)
		}
		if l.Base != nil {
			fill(l.Base, 0, l.Lo, dead)
		}
	}
	r.Release()
}
