package arena

// FixedStats describes a pool of fixed capacity at one moment.
type FixedStats struct {
	Capacity      int    // slots
	Used          int    // slots that are out
	HighWater     int    // the most slots that were out at one time
	Misses        uint64 // Allocates that found no free slot
	UsedBytes     int    // of the slots that are out
	RetainedBytes int    // of all memory, out or not: a T, 4 bytes and 1 byte for each slot
}

// Stats returns the pool's statistics. It takes constant time.
func (p *FixedPool[T]) Stats() FixedStats {
	slot := max(int(sizeOf[T]()), 1)
	return FixedStats{
		Capacity:      p.Capacity(),
		Used:          p.Used(),
		HighWater:     p.HighWater(),
		Misses:        p.misses,
		UsedBytes:     p.Used() * int(sizeOf[T]()),
		RetainedBytes: p.Capacity() * (slot + 4 + 1),
	}
}
