package escape

import "github.com/ebbpool/arena/internal/xunsafe"

// ref identifies a value that does not lie in the region: its address and its
// type. The address alone will not do. Package reflect makes an interface of a struct's
// first field, or of an array's first element, that has the box of the whole.
//
// (What lies in the region is known by its bytes, see pieces.go. There an address has one
// type, its allocator's, and what points into the middle of a value must do so in the copy.)
type ref struct {
	at   Pointer // which so stays that of nothing else
	prog *program
}

// mapHeader stands for the type in the refs of builtin maps, of which each has an address to
// itself, and perhaps several types, as the language converts them.
var mapHeader = &program{}

// refs are numbered from 1, and found by a hash table.
type refs struct {
	refs  []ref   // the first is none
	table []int32 // the numbers of all, a power of two
}

func (l *refs) clear() {
	if len(l.refs) > 1 {
		clear(l.refs)
		clear(l.table)
	}
	l.refs = append(l.refs[:0], ref{})
}

// large reports whether l has grown beyond what should be kept for the next time.
func (l *refs) large() bool { return cap(l.refs) > mostKept }

// number returns the number of r, and whether it is new.
func (l *refs) number(r ref) (n int32, isNew bool) {
	if 2*len(l.refs) > len(l.table) {
		l.grow()
	}
	mask := uintptr(len(l.table) - 1)
	for i := r.scatter(); ; i++ {
		at := &l.table[i&mask]
		if *at == 0 {
			*at = int32(len(l.refs))
			l.refs = append(l.refs, r)
			return *at, true
		}
		if l.refs[*at] == r {
			return *at, false
		}
	}
}

// has reports whether r has a number.
func (l *refs) has(r ref) bool {
	if len(l.refs) <= 1 {
		return false
	}
	mask := uintptr(len(l.table) - 1)
	for i := r.scatter(); ; i++ {
		switch at := l.table[i&mask]; {
		case at == 0:
			return false
		case l.refs[at] == r:
			return true
		}
	}
}

// grow makes the table larger.
func (l *refs) grow() {
	l.table = make([]int32, max(firstTable, 2*len(l.table)))
	mask := uintptr(len(l.table) - 1)
	for i := 1; i < len(l.refs); i++ {
		j := l.refs[i].scatter()
		for l.table[j&mask] != 0 {
			j++
		}
		l.table[j&mask] = int32(i)
	}
}

func (r ref) scatter() uintptr {
	return scatter(xunsafe.Number(r.at)/8 ^ xunsafe.Number(xunsafe.PointerTo(r.prog))<<16)
}
