package escape

import "math/bits"

// pieces are those of memory that were copied, no two of which overlap, and a
// table that finds the one that an address lies in. The table is by blocks of 512
// bytes of addresses; a bit for each 8 bytes reports whether a piece may be there, so
// that to enter a piece where there is none yet, as nearly all do, is one
// look at a block. A row has the pieces that lie in a block whole, by the 8 bytes where
// they begin; those that don't, and the second to begin in the same 8 bytes, are in lists.
type pieces struct {
	all   []piece
	rows  []row // of the blocks that were used, not cleared: heads says what is good
	links []link
	table []block // a power of two
	used  int
	cycle uint32 // blocks of other cycles are empty
	last  *block // the one that was found last
}

// piece is the addresses [start, end), as numbers, so that it keeps nothing
// alive.
type piece struct {
	start, end uintptr
	copy       Pointer // nil if it was entered before it is copied
}

// link is in a list of the pieces in one block.
type link struct{ piece, next int32 }

type block struct {
	number uintptr
	taken  uint64
	heads  uint64 // a bit for each piece in the row
	first  int32  // its list, from 1; 0: empty
	row    int32
	cycle  uint32
}

type row [blockSize / 8]int32

const (
	blockShift = 9
	blockSize  = 1 << blockShift
	firstTable = 64
)

// clear empties ps.
func (ps *pieces) clear() {
	clear(ps.all)
	ps.all, ps.links, ps.used, ps.last = ps.all[:0], ps.links[:0], 0, nil
	if ps.cycle++; ps.cycle == 0 || ps.table == nil {
		ps.table, ps.cycle = make([]block, firstTable), 1
	}
}

// large reports whether ps has grown beyond what should be kept for the next time.
func (ps *pieces) large() bool { return cap(ps.all) > mostKept || len(ps.rows) > mostRows }

const (
	mostKept = 1 << 12
	mostRows = 1 << 10 // 256 KB
)

// block returns the block of that number, a new one if it must.
func (ps *pieces) block(number uintptr) *block {
	if ps.last != nil && ps.last.number == number {
		return ps.last
	}
	mask := uintptr(len(ps.table) - 1)
	for i := scatter(number); ; i++ {
		b := &ps.table[i&mask]
		if b.cycle == ps.cycle {
			if b.number == number {
				ps.last = b
				return b
			}
			continue
		}
		if ps.used++; ps.used > len(ps.table)/4*3 {
			ps.grow()
			return ps.block(number)
		}
		*b = block{number: number, cycle: ps.cycle, row: int32(ps.used - 1)}
		if ps.used > len(ps.rows) {
			ps.rows = append(ps.rows, row{})
		}
		ps.last = b
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
func (ps *pieces) grow() {
	old := ps.table
	ps.table, ps.last = make([]block, 2*len(old)), nil
	mask := uintptr(len(ps.table) - 1)
	ps.used = 0
	for i := range old {
		b := &old[i]
		if b.cycle != ps.cycle {
			continue
		}
		j := scatter(b.number)
		for ps.table[j&mask].cycle == ps.cycle {
			j++
		}
		ps.table[j&mask] = *b
		ps.used++
	}
}

// bitsOf is the set of those 8 bytes of block number that [start, end) touches.
func bitsOf(number, start, end uintptr) uint64 {
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
func (ps *pieces) find(start, end uintptr) (in *piece, whole bool) {
	for number := start >> blockShift; number<<blockShift < end; number++ {
		b := ps.block(number)
		if b.taken&bitsOf(number, start, end) == 0 {
			continue
		}
		for heads := b.heads; heads != 0; heads &= heads - 1 {
			p := &ps.all[ps.rows[b.row][bits.TrailingZeros64(heads)]]
			if start < p.end && p.start < end {
				return p, p.start <= start && end <= p.end
			}
		}
		for i := b.first; i != 0; i = ps.links[i-1].next {
			p := &ps.all[ps.links[i-1].piece]
			if start < p.end && p.start < end {
				return p, p.start <= start && end <= p.end
			}
		}
	}
	return nil, true
}

// bitsIn is bitsOf where all of [start, end) lies in one block.
func bitsIn(start, end uintptr) uint64 {
	return ^uint64(0) << (start >> 3 % 64) & (^uint64(0) >> (63 - (end-1)>>3%64))
}

// lieInOne reports whether [start, end) lies in one block.
func lieInOne(start, end uintptr) bool { return start>>blockShift == (end-1)>>blockShift }

// at returns the piece in b's row that begins in the 8 bytes of start, if there is one.
func (ps *pieces) at(b *block, start uintptr) *piece {
	if b.heads>>(start>>3%64)&1 == 0 {
		return nil
	}
	return &ps.all[ps.rows[b.row][start>>3%64]]
}

// enter enters a piece that overlaps no other.
func (ps *pieces) enter(start, end uintptr, copy Pointer) {
	if lieInOne(start, end) {
		if b := ps.block(start >> blockShift); b.heads>>(start>>3%64)&1 == 0 {
			ps.enterIn(b, start, end, copy)
			return
		}
	}
	ps.all = append(ps.all, piece{start, end, copy})
	for number := start >> blockShift; number<<blockShift < end; number++ {
		b := ps.block(number)
		b.taken |= bitsOf(number, start, end)
		ps.links = append(ps.links, link{int32(len(ps.all) - 1), b.first})
		b.first = int32(len(ps.links))
	}
}

// enterIn is enter for a piece that lies in b, in whose row nothing begins there.
func (ps *pieces) enterIn(b *block, start, end uintptr, copy Pointer) {
	b.taken |= bitsIn(start, end)
	b.heads |= 1 << (start >> 3 % 64)
	ps.rows[b.row][start>>3%64] = int32(len(ps.all))
	ps.all = append(ps.all, piece{start, end, copy})
}
