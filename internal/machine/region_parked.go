package machine

// A region meets more and more types, and most of its epochs use few of them. So that
// an epoch pays for those that it uses, lanes that some epochs did not use are parked:
// they have no room that a fast way would find, and Empty, Mark, Rewind and the
// statistics leave them out. Who looks for a lane the slow way gets it back.
//
//	Types.lanes    +----+----+----+----+----+----+
//	               | in use  | parked            |
//	               +----+----+----+----+----+----+
//	                         ^ first
//
// A parked lane keeps its memory, and gives it to the collector in the very epoch in
// which it would have done so: where a window of its epochs ends (retention.go). A
// wheel with one slot for each epoch of a window says when that is. All that a lane
// does in the other epochs is to count them, which is made up for later.
type parking struct {
	first int // lanes[:first] are in use

	// Of the parked lanes:
	held     uintptr // bytes of all chunks
	most     uintptr // no lane has more of these
	chunks   int
	oversize uint32 // what they count

	// due[n%Window] are lanes whose window ends with epoch n, and that may have
	// something to let go of then: a list that the lanes make up, and that ends
	// with vacant.
	due [Window]*Lane
}

// place is where the lane of a type with pointers is.
type place struct {
	index uint32 // in Types.lanes
	since uint32 // how many epochs had ended when it was parked
	next  *Lane  // in a list of parking.due; nil in none
}

// patience is how many epochs in a row must not use a lane before it is parked. To find
// one, and to park it again, costs what the look at some that are in use does.
const patience = 3

// inUse are the lanes that this epoch, or one of the last ones, used. New ones come at
// the end, and as long as the epoch is not at its end, none goes.
func (t *TypeTable) inUse() []*Lane {
	if t.parked == nil {
		return t.lanes
	}
	return t.lanes[:t.parked.first]
}

// enlist has the last one of all lanes, which is new, be the last one in use.
func (t *TypeTable) enlist() {
	i := len(t.lanes) - 1
	t.lanes[i].ops.index = uint32(i)
	if p := t.parked; p != nil {
		t.swap(i, p.first)
		p.first++
	}
}

func (t *TypeTable) swap(i, j int) {
	a, b := t.lanes[i], t.lanes[j]
	t.lanes[i], t.lanes[j] = b, a
	a.ops.index, b.ops.index = uint32(j), uint32(i)
}

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
	l.Hi = l.cap
	l.retention.missed(uint32(r.resets) - l.ops.since)
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
	// What wants nothing has one small chunk at most, which is worth no look.
	if l.ops.next == nil && l.retention.want != 0 {
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
