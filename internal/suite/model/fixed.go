package model

// Fixed is the model of a fixed-capacity pool: the slot that each call must return, and the misuse it must
// report.
type Fixed struct {
	live  []bool
	freed []int // free slots that were used before, the last one freed at the end
	fresh int   // slots from here on were never used
}

// NewFixed returns a pool of capacity slots.
func NewFixed(capacity int) *Fixed { return &Fixed{live: make([]bool, capacity)} }

// Alloc returns the slot of the next allocation: the one freed last, or the lowest unused one, or -1 if the
// pool is exhausted.
func (f *Fixed) Alloc() int {
	slot := -1
	if n := len(f.freed); n > 0 {
		slot = f.freed[n-1]
		f.freed = f.freed[:n-1]
	} else if f.fresh < len(f.live) {
		slot = f.fresh
		f.fresh++
	}
	if slot >= 0 {
		f.live[slot] = true
	}
	return slot
}

// Free frees a slot, or returns the misuse: Double or Never.
func (f *Fixed) Free(slot int) Kind {
	if !f.live[slot] {
		if slot < f.fresh {
			return Double
		}
		return Never
	}
	f.live[slot] = false
	f.freed = append(f.freed, slot)
	return Free
}

// Capacity returns the number of slots.
func (f *Fixed) Capacity() int { return len(f.live) }

// Used returns the number of slots in use, counted one by one.
func (f *Fixed) Used() int {
	n := 0
	for _, out := range f.live {
		if out {
			n++
		}
	}
	return n
}

// Slots returns the slots in use, or the free slots, in order.
func (f *Fixed) Slots(out bool) []int {
	var s []int
	for i, o := range f.live {
		if o == out {
			s = append(s, i)
		}
	}
	return s
}

// HighWater returns the maximum number of slots in use. An unused slot is taken only when all others are in
// use.
func (f *Fixed) HighWater() int { return f.fresh }
