package escape

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Region is the memory from which values are copied.
type Region interface {
	// Holdings appends all memory of the region to list.
	Holdings(list []machine.Holding) []machine.Holding
	// OwnsMap reports whether the region owns the builtin map at address m.
	OwnsMap(m uintptr) bool
}

// Value returns a copy of v in which everything in r's memory is copied to the heap, including everything
// reachable from there. If strict is set, it also follows pointers to other memory and panics if that leads
// to r's memory.
func Value[T any](r Region, own Own, strict bool, v T) T {
	prog := programOf[T](own)
	if len(prog.slots) == 0 {
		return v
	}
	c := copiers.Get().(*copier)
	c.begin(r, own)
	if len(c.ranges) != 0 {
		if prog.owns || !direct() {
			out := new(T)
			value(c, prog, strict, v, out, xunsafe.PointerTo(out))
			v = *out
		} else {
			// out stays on the stack, because most copied values are a few words.
			var out T
			value(c, prog, strict, v, &out, hide(xunsafe.PointerTo(&out)))
			v = out
		}
	}
	c.end()
	return v
}

func value[T any](c *copier, prog *program, strict bool, v T, out *T, at Pointer) {
	*out = v
	if !strict && c.copy(prog, at) {
		return
	}
	// The copier could not finish: it needs a pre-scan.
	*out = v
	c.forget()
	c.prescan(prog, at, strict)
	if !c.copy(prog, at) {
		panic("arena: internal error: Escape does not come to an end")
	}
}

// A copier copies one value. It copies pieces of the region's memory as a whole and then scans each copy for
// pointers into the region. So it copies each piece once, and looks at each pointer once.
type copier struct {
	region  Region
	own     Own
	ranges  []machine.Holding
	progs   []*program // programs of ranges, nil until needed
	extents []extent   // ranges, sorted by address
	lo      uintptr    // bounds of all ranges
	span    uintptr
	hits    [8]int32 // the last extent found, by the offset of the pointer that led there

	pieces
	work  []task
	done  []finish
	stuck bool // a pre-scan is needed

	room  []byte // unused part of the last block of short texts
	texts int    // bytes of short texts copied

	softs
	seen       refs     // values visited by a pre-scan
	prescanned bool     // a pre-scan was made
	maps       []newMap // copies of builtin maps

	// Used if interfaces are not read as words:
	views map[viewed]view
	boxes map[Pointer]int32 // the softs that boxes are copies of
	in    int32             // the soft whose copy is being scanned
}

// task is n values of a type in a copy that still have to be scanned.
type task struct {
	p    Pointer
	prog *program
	n    int
}

type finish struct {
	s *slot
	p Pointer
}

var copiers = sync.Pool{New: func() any { return new(copier) }}

func (c *copier) begin(r Region, own Own) {
	c.region, c.own = r, own
	c.ranges = r.Holdings(c.ranges[:0])
	c.extents = c.extents[:0]
	for i := range c.ranges {
		c.extents = append(c.extents, extent{c.ranges[i].Start, c.ranges[i].End, i})
		c.progs = append(c.progs, nil)
	}
	sortExtents(c.extents)
	if n := len(c.extents); n != 0 {
		c.lo = c.extents[0].start
		c.span = c.extents[n-1].end - c.lo
	}
	clear(c.hits[:])
	c.forget()
}

// extent is the address range of a range, in a list that is cheap to sort.
type extent struct {
	start, end uintptr
	at         int // index into ranges
}

// sortExtents sorts list, which is usually short and already sorted.
func sortExtents(list []extent) {
	if len(list) > 24 {
		slices.SortFunc(list, func(a, b extent) int { return cmp.Compare(a.start, b.start) })
		return
	}
	for i := 1; i < len(list); i++ {
		for j := i; j > 0 && list[j].start < list[j-1].start; j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
}

// end drops references to copied values, and large buffers.
func (c *copier) end() {
	if c.pieces.large() || c.softs.large() || c.seen.large() || cap(c.work) > mostKept || cap(c.ranges) > mostKept {
		return
	}
	clear(c.ranges)
	clear(c.progs)
	c.ranges, c.progs = c.ranges[:0], c.progs[:0]
	c.forget()
	c.views, c.region = nil, nil
	copiers.Put(c)
}

// forget resets c so that the copy can start again.
func (c *copier) forget() {
	c.pieces.clear()
	clear(c.work[:cap(c.work)])
	clear(c.done)
	c.work, c.done, c.stuck = c.work[:0], c.done[:0], false
	c.room, c.texts = nil, 0
	c.softs.clear()
	c.seen.clear()
	c.prescanned, c.maps, c.boxes = false, nil, nil
}

// find returns the range that contains address p, or -1 if p is not in the region.
func (c *copier) find(p uintptr) int { return c.findFrom(p, 0) }

// findFrom is find for a pointer at offset off of a value: pointers in the same field of many values usually
// lead to the same range.
func (c *copier) findFrom(p, off uintptr) int {
	if p-c.lo >= c.span {
		return -1
	}
	hit := &c.hits[off/16%uintptr(len(c.hits))]
	if x := &c.extents[*hit]; p-x.start < x.end-x.start {
		return x.at
	}
	return c.search(p, hit)
}

func (c *copier) search(p uintptr, hit *int32) int {
	from, to := 0, len(c.extents)
	for to-from > 1 {
		if mid := int(uint(from+to) / 2); p >= c.extents[mid].start {
			from = mid
		} else {
			to = mid
		}
	}
	x := &c.extents[from]
	if p >= x.end {
		return -1
	}
	*hit = int32(from)
	return x.at
}

// copy scans the caller's value at p and every copy made for it. It returns false if a pre-scan is needed.
func (c *copier) copy(prog *program, p Pointer) bool {
	words := direct()
	c.in = 0
	c.scan(prog.slots, p)
	for len(c.work) > 0 && !c.stuck {
		i := len(c.work) - 1
		t := c.work[i]
		c.work = c.work[:i]
		if !words {
			c.in = c.boxes[t.p] // 0 for everything except boxes
		}
		for {
			c.scan(t.prog.slots, t.p)
			if t.n--; t.n <= 0 {
				break
			}
			t.p = xunsafe.Add(t.p, t.prog.size)
		}
	}
	if c.stuck {
		return false
	}
	if !direct() {
		c.fillBoxes()
	}
	for i := range c.maps {
		c.maps[i].fill()
	}
	for _, d := range c.done {
		d.s.finish(xunsafe.Value(d.s.typ, d.p).Addr())
	}
	return true
}

// scan looks at the slots of the value at p and redirects pointers into the region to copies.
func (c *copier) scan(slots []slot, p Pointer) {
	for i := range slots {
		s := &slots[i]
		at := xunsafe.Add(p, s.off)
		switch s.op {
		case opPointer:
			q := load(at)
			if q == nil {
				continue
			}
			if r := c.findFrom(xunsafe.Number(q), s.off); r >= 0 {
				store(at, c.value(r, q, s))
			}
		case opText:
			if t := textAt(at); len(*t) != 0 {
				if r := c.findFrom(xunsafe.Number(xunsafe.TextOf(*t)), s.off); r >= 0 {
					*t = c.text(r, *t)
				}
			} else if xunsafe.TextOf(*t) != nil {
				*t = ""
			}
		case opSlice:
			if data, n := s.sliceAt(at); data != nil {
				if r := c.findFrom(xunsafe.Number(data), s.off); r >= 0 {
					s.setSlice(at, c.piece(r, data, s.size, s.size*uintptr(n), s), n)
				}
			}
		case opIface:
			c.iface(s, at)
		case opMap:
			c.builtin(s, at)
		case opArray:
			for j := range s.n {
				c.scan(s.slots, xunsafe.Add(at, uintptr(j)*s.size))
			}
		case opOpaque:
			c.stuck = c.stuck || c.find(xunsafe.Number(s.wordAt(at))) >= 0 // the pre-scan refuses it
		case opHidden:
			c.stuck = c.stuck || c.hides(s, at)
		case opNumber:
			c.stuck = c.stuck || c.find(loadNumber(at)) >= 0
		case opOwned:
			c.done = append(c.done, finish{s, at})
		}
	}
}

// value is piece for the value at q to which s points.
func (c *copier) value(r int, q Pointer, s *slot) Pointer {
	h := &c.ranges[r]
	start := xunsafe.Number(q)
	end := start + s.size
	if s.size != 0 && h.Size == s.size && (start-h.Start)%h.Size == 0 && !s.nums && end <= h.End && lieInOne(start, end) {
		b := c.last
		if b == nil || b.number != start>>blockShift {
			b = c.block(start >> blockShift)
		}
		if b.taken&bitsIn(start, end) == 0 {
			p := h.Clone(start-h.Start, s.size)
			c.enterIn(b, start, end, p)
			c.work = append(c.work, task{p, c.programIn(r), 1})
			return p
		}
	}
	return c.piece(r, q, s.size, s.size, s)
}

// piece returns the copy of the n bytes at q in range r, which hold values of size bytes each.
func (c *copier) piece(r int, q Pointer, size, n uintptr, s *slot) Pointer {
	if n == 0 {
		return zeroBase()
	}
	if s.nums {
		c.numbers(s, q, n)
	}
	h := &c.ranges[r]
	off := xunsafe.Number(q) - h.Start
	from, to, ok := bounds(h, off, size, n)
	if !ok {
		c.stuck = true // the pre-scan refuses it
		return q
	}
	start, end := h.Start+from, h.Start+to
	if lieInOne(start, end) {
		b := c.block(start >> blockShift)
		if b.taken&bitsIn(start, end) == 0 {
			p := c.clone(r, from, to)
			c.enterIn(b, start, end, p)
			return xunsafe.Add(p, off-from)
		}
		if old := c.at(b, start); old != nil && old.start == start && old.end == end && old.copy != nil {
			return xunsafe.Add(old.copy, off-from)
		}
	}
	old, whole := c.pieces.find(start, end)
	switch {
	case !whole:
		c.stuck = true
		return q
	case old == nil:
		return xunsafe.Add(c.fresh(r, from, to), off-from)
	case old.copy == nil:
		old.copy = c.clone(r, old.start-h.Start, old.end-h.Start)
	}
	return xunsafe.Add(old.copy, h.Start+off-old.start)
}

// bounds returns the range to copy for the n bytes at offset off of h, which hold values of size bytes each.
// In memory of a type with pointers it is extended to whole values. It is not ok if h ends before.
func bounds(h *machine.Holding, off, size, n uintptr) (from, to uintptr, ok bool) {
	from, to = off, off+n
	// Memory of a type with pointers contains only values of this type. With package unsafe, a range can
	// begin or end inside a value.
	if h.Size != 0 && (h.Size != size || off%h.Size != 0) {
		from, to = off/h.Size*h.Size, machine.RoundUp(off+n, h.Size)
	}
	return from, to, n <= h.End-h.Start && to <= h.End-h.Start
}

// fresh copies bytes [from, to) of range r, of which nothing was copied yet.
func (c *copier) fresh(r int, from, to uintptr) Pointer {
	start := c.ranges[r].Start
	p := c.clone(r, from, to)
	c.enter(start+from, start+to, p)
	return p
}

// clone copies bytes [from, to) of range r and schedules the copy for scanning.
func (c *copier) clone(r int, from, to uintptr) Pointer {
	h := &c.ranges[r]
	p := h.Clone(from, to-from)
	if h.Size != 0 {
		n := 1
		if to-from != h.Size {
			n = int((to - from) / h.Size)
		}
		c.work = append(c.work, task{p, c.programIn(r), n})
	}
	return p
}

// programIn returns the program of the type stored in range r, which has pointers.
func (c *copier) programIn(r int) *program {
	if c.progs[r] == nil {
		c.progs[r] = programIn(&c.ranges[r], c.own)
	}
	return c.progs[r]
}

// mostShort is the length up to which strings are copied separately, even if they share bytes. Longer strings
// are pieces, because a value may contain many parts of one text, or the same text many times.
const mostShort = 64

func (c *copier) text(r int, s string) string {
	if len(s) <= mostShort {
		return c.shortText(s)
	}
	p := c.piece(r, xunsafe.TextOf(s), 1, uintptr(len(s)), &bytes)
	if c.stuck {
		return s
	}
	return xunsafe.String(p, len(s))
}

// textBlock is the largest allocation that short texts share, and so the most memory that a single kept
// string retains. A block is never larger than the sum of the texts before it, so a string that is copied
// alone retains only itself.
const textBlock = 128

// shortText is text for a short string.
func (c *copier) shortText(s string) string {
	if len(s) > len(c.room) {
		size := min(c.texts, textBlock)
		if size < 2*len(s) {
			c.texts += len(s)
			return strings.Clone(s)
		}
		c.room = make([]byte, size)
	}
	t := c.room[:len(s):len(s)]
	c.room = c.room[len(s):]
	c.texts += len(s)
	copy(t, s)
	return xunsafe.ViewString(t)
}

var bytes slot // only needs to differ from numbers

// numbers looks for addresses of the region in memory without pointers.
func (c *copier) numbers(s *slot, q Pointer, n uintptr) {
	prog := programFor(s.elem, c.own)
	for done := uintptr(0); done < n; done += prog.size {
		c.scan(prog.slots, xunsafe.Add(q, done))
	}
}
