package escape

// nodes are the pieces of memory that were copied, no two of which overlap, and a
// table that finds the one that an address lies in. The table is by blocks of 512
// bytes of addresses; a bit for each 8 bytes reports whether a piece may be there, so
// that to enter a piece where there is none yet, which is what nearly all do, is one
// look at a block.
type nodes struct {
	all   []node
	links []link
	table []block // a power of two
	used  int
	life  uint32 // blocks of other lives are empty
	last  *block // the one that was found last
}

// node is a piece: the addresses [start, end), as numbers, so that it keeps nothing
// alive.
type node struct {
	start, end uintptr
	copy       Pointer // nil if it was entered before it is copied
}

// link is in a list of the nodes in one block.
type link struct{ node, next int32 }

type block struct {
	number uintptr
	taken  uint64
	first  int32 // its list, from 1; 0: empty
	life   uint32
}

const (
	blockShift = 9
	blockSize  = 1 << blockShift
	firstTable = 64
)

// clear empties n.
func (n *nodes) clear() {
	clear(n.all)
	n.all, n.links, n.used, n.last = n.all[:0], n.links[:0], 0, nil
	if n.life++; n.life == 0 || n.table == nil {
		n.table, n.life = make([]block, firstTable), 1
	}
}

// large reports whether n has grown beyond what should be kept for the next time.
func (n *nodes) large() bool { return cap(n.all) > mostKept || len(n.table) > mostKept }

const mostKept = 1 << 12

// block returns the block of that number, a new one if it must.
func (n *nodes) block(number uintptr) *block {
	if n.last != nil && n.last.number == number {
		return n.last
	}
	mask := uintptr(len(n.table) - 1)
	for i := scatter(number); ; i++ {
		b := &n.table[i&mask]
		if b.life == n.life {
			if b.number == number {
				n.last = b
				return b
			}
			continue
		}
		if n.used++; n.used > len(n.table)/4*3 {
			n.grow()
			return n.block(number)
		}
		*b = block{number: number, life: n.life}
		n.last = b
		return b
	}
}

// scatter spreads the numbers of blocks, which come in runs.
func scatter(number uintptr) uintptr {
	const golden = 0x9e3779b97f4a7c15 >> (32 - ^uintptr(0)>>63*32)
	x := number * golden
	return x ^ x>>(len64/2)
}

const len64 = 32 << (^uintptr(0) >> 63) // bits of a word

// grow doubles the table.
func (n *nodes) grow() {
	old := n.table
	n.table, n.last = make([]block, 2*len(old)), nil
	mask := uintptr(len(n.table) - 1)
	n.used = 0
	for i := range old {
		b := &old[i]
		if b.life != n.life {
			continue
		}
		j := scatter(b.number)
		for n.table[j&mask].life == n.life {
			j++
		}
		n.table[j&mask] = *b
		n.used++
	}
}

// bits is the set of those 8 bytes of block number that [start, end) touches.
func bits(number, start, end uintptr) uint64 {
	from, to := uint(0), uint(63)
	if start > number<<blockShift {
		from = uint(start>>3) % 64
	}
	if last := end - 1; last>>blockShift == number {
		to = uint(last>>3) % 64
	}
	return ^uint64(0) << from & (^uint64(0) >> (63 - to))
}

// find returns the piece that [start, end), which is not empty, lies in, nil where
// there is none; whole is false if it overlaps a piece that it doesn't lie in.
func (n *nodes) find(start, end uintptr) (in *node, whole bool) {
	for number := start >> blockShift; number<<blockShift < end; number++ {
		b := n.block(number)
		if b.taken&bits(number, start, end) == 0 {
			continue
		}
		for i := b.first; i != 0; i = n.links[i-1].next {
			p := &n.all[n.links[i-1].node]
			if start < p.end && p.start < end {
				return p, p.start <= start && end <= p.end
			}
		}
	}
	return nil, true
}

// enter enters a piece that overlaps no other.
func (n *nodes) enter(start, end uintptr, copy Pointer) {
	n.all = append(n.all, node{start, end, copy})
	for number := start >> blockShift; number<<blockShift < end; number++ {
		b := n.block(number)
		b.taken |= bits(number, start, end)
		n.links = append(n.links, link{int32(len(n.all) - 1), b.first})
		b.first = int32(len(n.links))
	}
}
