package escape

import "math/bits"

// pieces is the set of copied pieces of memory, which do not overlap, and a table that finds the piece
// containing an address. The table divides addresses into blocks of 512 bytes. A bit for each 8 bytes tells
// whether a piece may be there, so adding the first piece to an area takes a look at one block. A block's row
// holds the pieces inside the block, by the 8 bytes in which they begin. Pieces that cross blocks, and a
// second piece that begins in the same 8 bytes, are in lists.
type pieces struct {
	all   []piece
	rows  []row // rows of used blocks, not cleared; heads tells which entries are valid
	links []link
	table []block // length: a power of two
	used  int
	cycle uint32 // blocks of other cycles are empty
	last  *block // the last block found
}

// piece covers the addresses [start, end), stored as numbers so that they keep nothing alive.
type piece struct {
	start, end uintptr
	copy       Pointer // nil until it is copied
}

// link is an element of a block's list of pieces.
type link struct{ piece, next int32 }

type block struct {
	number uintptr
	taken  uint64
	heads  uint64 // a bit for each valid entry of the row
	first  int32  // head of the list; 0 means empty
	row    int32
	cycle  uint32
}

type row [blockSize / 8]int32

const (
	blockShift = 9
	blockSize  = 1 << blockShift
	firstTable = 64
)

func (ps *pieces) clear() {
	clear(ps.all)
	ps.all, ps.links, ps.used, ps.last = ps.all[:0], ps.links[:0], 0, nil
	if ps.cycle++; ps.cycle == 0 || ps.table == nil {
		ps.table, ps.cycle = make([]block, firstTable), 1
	}
}

// large reports whether ps has grown too large to keep for the next copy.
func (ps *pieces) large() bool { return cap(ps.all) > mostKept || len(ps.rows) > mostRows }

const (
	mostKept = 1 << 12
	mostRows = 1 << 10 // 256 KB
)

// block returns the block with the given number and creates it if needed.
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

// scatter hashes block numbers, which come in runs.
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

// bitsOf returns the bits of the 8-byte units of the block that [start, end) overlaps.
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

// find returns the piece that contains the non-empty range [start, end), or nil. whole is false if the range
// only overlaps a piece.
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

// bitsIn is bitsOf for a range inside one block.
func bitsIn(start, end uintptr) uint64 {
	return ^uint64(0) << (start >> 3 % 64) & (^uint64(0) >> (63 - (end-1)>>3%64))
}

// lieInOne reports whether [start, end) is inside one block.
func lieInOne(start, end uintptr) bool { return start>>blockShift == (end-1)>>blockShift }

// at returns the piece in b's row that begins in the same 8 bytes as start, or nil.
func (ps *pieces) at(b *block, start uintptr) *piece {
	if b.heads>>(start>>3%64)&1 == 0 {
		return nil
	}
	return &ps.all[ps.rows[b.row][start>>3%64]]
}

// enter adds a piece that overlaps no other.
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

// enterIn is enter for a piece inside b, if b's row has no piece that begins there.
func (ps *pieces) enterIn(b *block, start, end uintptr, copy Pointer) {
	b.taken |= bitsIn(start, end)
	b.heads |= 1 << (start >> 3 % 64)
	ps.rows[b.row][start>>3%64] = int32(len(ps.all))
	ps.all = append(ps.all, piece{start, end, copy})
}
