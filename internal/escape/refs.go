package escape

import "github.com/ebbpool/arena/internal/xunsafe"

// ref identifies a value outside the region by address and type. The address alone is not enough: package
// reflect can make an interface of a struct's first field, or of an array's first element, with the box of
// the whole value.
//
// Values in the region are identified by address (see pieces.go). There an address has one type, its
// allocator's, and pointers into the middle of a value must stay such pointers in the copy.
type ref struct {
	at   Pointer // a pointer, so that the address is not reused
	prog *program
}

// mapHeader replaces the type in refs of builtin maps. A map header has a unique address but may have several
// types, by conversion.
var mapHeader = &program{}

// refs numbers refs from 1 and finds them by a hash table.
type refs struct {
	refs  []ref   // refs[0] is unused
	table []int32 // numbers; the length is a power of two
}

func (l *refs) clear() {
	if len(l.refs) > 1 {
		clear(l.refs)
		clear(l.table)
	}
	l.refs = append(l.refs[:0], ref{})
}

// large reports whether l has grown too large to keep for the next copy.
func (l *refs) large() bool { return cap(l.refs) > mostKept }

// number returns the number of r and whether it is new.
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
