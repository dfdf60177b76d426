package machine

// patience is how many epochs in a row must not use a lane before it is parked. To find
// one, and to park it again, costs what the look at some that are in use does. A lane that
// twice as many epochs did not use is used seldom, and parked again when the epoch ends that
// took it back: small epochs pay nothing for a large one among them.
const patience = 3

// seldom is the idle of a lane that is parked when its epoch ends.
const seldom = patience

// use returns l, which was found, as one of the lanes in use.
//
//go:norace
func (r *Region) use(l *Lane) *Lane {
	if p := r.Types.parked; p != nil && int(l.ops.index) >= p.first {
		r.unpark(l)
	}
	return l
}

// unpark makes a parked lane what it would be if it had not been parked.
//
//go:norace
func (r *Region) unpark(l *Lane) {
	p := r.Types.parked
	p.held -= l.HeldBytes()
	p.chunks -= l.Chunks()
	p.oversize -= l.retention.oversize
	r.Types.swap(int(l.ops.index), p.first)
	p.first++
	l.Lo, l.Hi = l.begin(), l.cap
	missed := uint32(r.resets) - l.ops.since
	l.retention.missed(missed)
	waited := uint32(patience) // before it was parked
	if l.retention.idle == seldom {
		waited = 0
	}
	l.retention.idle = 0
	if missed+waited >= 2*patience {
		l.retention.idle = seldom
	}
}

// park parks a lane that is empty. ended is how many epochs have ended.
func (r *Region) park(l *Lane, ended uint64) {
	t := &r.Types
	p := t.parked
	if p == nil {
		p = &parking{first: len(t.lanes)}
		t.parked = p
	}
	held := l.HeldBytes()
	p.held += held
	p.most = max(p.most, held)
	p.chunks += l.Chunks()
	p.oversize += l.retention.oversize
	p.first--
	t.swap(int(l.ops.index), p.first)
	l.ops.since = uint32(ended)
	l.Lo, l.Hi = 0, 0
	// One small chunk stays, whatever the epochs needed: it is worth no look.
	if l.ops.next == nil && (held > notWorthIt || len(l.free) != 0) {
		due := &p.due[(uint(ended)-uint(l.retention.epochs))%Window]
		if l.ops.next = *due; l.ops.next == nil {
			l.ops.next = vacant
		}
		*due = l
	}
}

// unparkDue takes the lanes back that have to be looked at when the present epoch ends,
// as its end begins.
func (r *Region) unparkDue() {
	p := r.Types.parked
	if p == nil {
		return
	}
	due := &p.due[(uint(r.resets)+1)%Window]
	if l := *due; l != nil {
		*due = nil
		for l != vacant {
			next := l.ops.next
			l.ops.next = nil
			r.use(l)
			l = next
		}
	}
	if p.most > r.MaxRetained {
		r.unparkOver(r.MaxRetained)
	}
}

// unparkOver takes the lanes back that hold more than so many bytes.
func (r *Region) unparkOver(bytes uintptr) {
	p := r.Types.parked
	if p == nil || p.most <= bytes {
		return
	}
	p.most = bytes
	for _, l := range r.Types.lanes[p.first:] { // what has its turn is not moved by those before
		if l.HeldBytes() > bytes {
			r.unpark(l)
		}
	}
}

// shrink has all lanes, which are empty, keep what is allowed. Those that are parked
// are in nobody's way as long as they have less than what the others are cut to.
func (r *Region) shrink() {
	parked, most := uintptr(0), uintptr(0)
	if p := r.Types.parked; p != nil && p.held != 0 {
		parked, most = p.held, p.most
	}
	lanes := append([]*Lane{r.FlatLane()}, r.Types.inUse()...)
	size := commonSize(lanes, parked, r.MaxRetained)
	if size < most {
		r.unparkOver(0)
		lanes = append(lanes[:1], r.Types.inUse()...)
		size = commonSize(lanes, 0, r.MaxRetained)
	}
	cut(lanes, size)
}

// parkedBytes returns the size of the parked lanes' chunks and of idle maps in bytes.
func (r *Region) parkedBytes() uintptr {
	n := r.maps.idleBytes()
	if p := r.Types.parked; p != nil {
		n += p.held
	}
	return n
}

// dropParked drops what parkedBytes counts.
func (r *Region) dropParked() {
	r.unparkOver(0)
	r.maps.dropIdle(r)
}
