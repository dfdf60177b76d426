package machine

import "math/bits"

// sharing is how a lane retains less where its pool has the chunks that it needs rarely
// (spares.go): at most twice what three of four of its epochs need, or own. They are
// counted by windows.
type sharing struct {
	shared uint8 // the pool takes less than 1<<shared bytes of an epoch; 0: the lane shares nothing
	large  uint8 // epochs that needed more than half of want
	more   uint8 // those that needed more than want
	raised bool  // one of them raised want
}

// mostMore is how many epochs of a window may need more than want. It is more than a
// quarter of them, or want would go up and down where a quarter need that much.
const mostMore = 3 * Window / 8

// own returns how many bytes a lane may always retain.
func (r *retention) own() uintptr { return max(spareLeast, r.start) }

// share has the lane share from here on, or not, what it needs beyond limit bytes excepted.
func (r *retention) share(shares bool, limit uintptr) {
	if was := r.shared != 0; was != shares {
		// Epochs before were not counted: this window lowers nothing.
		r.exception, r.age, r.large = 0, 0, Window/4
	}
	r.shared = 0
	if shares {
		r.shared = uint8(bits.Len(uint(limit)))
	}
}

// tell counts an epoch that needed so many bytes, in a lane that shares. What wants less
// than spareLeast need not be told.
func (r *retention) tell(need uintptr) {
	if need > r.want/2 {
		r.large++
	} else {
		r.exception = max(r.exception, need)
	}
}

// exceeded counts an epoch that needed more than want, and returns for how many bytes of
// that want is to be raised: a little more at once, more where many need it.
func (r *retention) exceeded(need uintptr) uintptr {
	switch r.more++; {
	case r.more > mostMore:
		r.more = 0
		return min(need, farBeyond*r.want)
	case !r.raised && need <= r.want+r.want/4:
		r.raised = true
		return need
	}
	return min(need, max(r.want, r.own()))
}

// usual returns at the end of a window what want is to be at most.
func (r *retention) usual() uintptr {
	want := r.want
	if r.shared != 0 {
		if r.large < Window/4 {
			want = max(r.fit(r.exception), r.own())
		}
		r.exception = 0
	}
	r.large, r.more, r.raised = 0, 0, false
	return want
}
