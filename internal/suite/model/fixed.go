package model

// Fixed is the reference for a pool of fixed capacity: which slot each call
// must answer, and which misuse must be reported.
type Fixed struct {
	live  []bool
	freed []int // free slots that were out before, the last one freed at the end
	fresh int   // slots from here on were never out
}

// NewFixed returns a pool of that many slots.
func NewFixed(capacity int) *Fixed { return &Fixed{live: make([]bool, capacity)} }

// Alloc returns the slot that the next allocation must get: the one freed
// last, or the lowest that was never out; -1 if all are out.
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

// Free takes a slot back, or says what is wrong with that: Double or Never.
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

// Capacity is the number of slots.
func (f *Fixed) Capacity() int { return len(f.live) }

// Used is the number of slots that are out, counted one by one.
func (f *Fixed) Used() int {
	n := 0
	for _, out := range f.live {
		if out {
			n++
		}
	}
	return n
}

// Slots returns the slots that are out, or those that are not, in order.
func (f *Fixed) Slots(out bool) []int {
	var s []int
	for i, o := range f.live {
		if o == out {
			s = append(s, i)
		}
	}
	return s
}

// HighWater is the most slots that were out at one time: a slot is taken from
// the untouched ones only when all others are out.
func (f *Fixed) HighWater() int { return f.fresh }
