package machine

// A lane without pointers that knows nothing yet of what its epochs need begins
// with less than the chunk size that was asked for: an arena that is made for
// one small request, and then dropped, would pay for 64 KB to use one. It
// begins with coldStart, or a coldPart of the chunk size, and takes coldStep
// times as much with each new chunk, so that the third one has the full size;
// what comes before is an eighth more.
const (
	coldStart = 1 << 10
	coldPart  = 64
	coldStep  = 8

	// mostCold is the largest chunk size in bytes for which this is so: who asks
	// for more has large epochs, or wants all in one piece.
	mostCold = 1 << 20
)

// newFlatRetention is for the lane of an arena's values without pointers.
func newFlatRetention(chunkSize uintptr) retention {
	r := newRetention(chunkSize, FlatAlign)
	r.cold = chunkSize <= mostCold
	return r
}

// isCold reports whether the lane has still to come to its chunk size.
//
//go:norace
func (l *Lane) isCold() bool {
	return l.retention.cold && l.retention.want == 0 && l.HeldBytes() < l.retention.start
}

// coldSize is the size of a cold lane's next chunk, which must have room for
// need bytes.
//
//go:norace
func (l *Lane) coldSize(need uintptr) uintptr {
	return min(l.retention.start, max(coldStart, l.retention.start/coldPart, coldStep*max(l.HeldBytes(), need)))
}
