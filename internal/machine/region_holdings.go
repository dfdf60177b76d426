package machine

// What a region is asked by who copies values out of it.

// Holdings appends the region's chunks to list, in no order: those in use, those
// that are full and those that are kept, into which only stale pointers lead. Those of
// inactive lanes, from which the last epochs had nothing, are left out.
func (r *Region) Holdings(list []Holding) []Holding {
	list = r.FlatLane().holdings(list, 0)
	for _, l := range r.Types.inUse() {
		list = l.holdings(list, l.align())
	}
	return list
}
