package escape

// soft is a box or a builtin map, which is copied once if it leads into the region. The copier or a pre-scan
// determines that.
type soft struct {
	copy  Pointer // copy of a box, or nil
	made  int32   // number of the copy of a map, from 1
	from  int32   // head of the list of softs that lead to it, found by a pre-scan
	holds int32   // head of the list of interfaces in its copy that have to wait
	state state
	done  bool // these interfaces are set
}

type state uint8

const (
	unknown state = iota
	clean         // no pointer into the region found yet
	dirty         // leads into the region
)

// softs holds all softs by ref. The first represents everything that is not in a soft.
type softs struct {
	refs
	list  []soft
	edges []edge
	waits []holding
}

// edge is an element of the list of softs that lead to a soft.
type edge struct{ from, next int32 }

// holding is an interface in a copy that has to hold the copy of a soft. It is an element of a list per soft.
type holding struct {
	s    *slot
	at   Pointer
	d    *dynamic
	soft int32
	next int32
}

func (l *softs) clear() {
	l.refs.clear()
	clear(l.list)
	clear(l.waits)
	l.list, l.edges, l.waits = append(l.list[:0], soft{}), l.edges[:0], l.waits[:0]
}

// softOf returns the soft number of r.
func (l *softs) softOf(r ref) int32 {
	n, isNew := l.number(r)
	if isNew {
		l.list = append(l.list, soft{})
	}
	return n
}

// lead records that soft from leads to soft to.
func (l *softs) lead(from, to int32) {
	l.edges = append(l.edges, edge{from, l.list[to].from})
	l.list[to].from = int32(len(l.edges))
}

// spread marks every soft dirty that leads to a dirty soft.
func (l *softs) spread() {
	var work []int32
	for i := range l.list {
		if l.list[i].state == dirty {
			work = append(work, int32(i))
		}
	}
	for len(work) > 0 {
		x := &l.list[work[len(work)-1]]
		work = work[:len(work)-1]
		for i := x.from; i != 0; i = l.edges[i-1].next {
			if y := &l.list[l.edges[i-1].from]; y.state != dirty {
				y.state = dirty
				work = append(work, l.edges[i-1].from)
			}
		}
	}
}

// wait records an interface in the copy of soft in that has to hold the copy of soft h.
func (l *softs) wait(in int32, h holding) {
	h.next = l.list[in].holds
	l.waits = append(l.waits, h)
	l.list[in].holds = int32(len(l.waits))
}

// fillBoxes sets all waiting interfaces, the interfaces inside a box before the interface that holds the box.
// Boxes alone cannot form a cycle.
func (l *softs) fillBoxes() {
	type step struct{ soft, next int32 } // next: the next interface of soft
	for work := []step{{0, l.list[0].holds}}; len(work) > 0; {
		t := &work[len(work)-1]
		x := &l.list[t.soft]
		if t.next != 0 {
			h := &l.waits[t.next-1]
			if t.next = h.next; !l.list[h.soft].done {
				work = append(work, step{h.soft, l.list[h.soft].holds})
			}
			continue
		}
		for i := x.holds; i != 0; i = l.waits[i-1].next {
			h := &l.waits[i-1]
			h.s.setBox(h.at, h.d, l.list[h.soft].copy)
		}
		x.done = true
		work = work[:len(work)-1]
	}
}
