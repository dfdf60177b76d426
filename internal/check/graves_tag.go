//go:build arenacheck

package check

import (
	"strconv"
	"sync"
)

// A dead pointer must lead to memory that nobody can access, and tell of which
// life it was: memory with pointers stays readable, so that a fault comes only
// when such a pointer is followed, far from any chunk. So each life that ends has
// a grave, a part of one range of addresses that nobody can access, and its dead
// pointers lead to the beginning of that. Graves are used again in turns.

const (
	// graveSize is how far a dead pointer and an index may lead and still be told
	// from those of another life: 1 MB, or 64 KB on 32 bits.
	graveSize = 64 << 10 << (4 * (^uintptr(0) >> 63))
	// Graves is after how many lives a grave is used again: 16,384, for which
	// 16 GB of addresses, and none of memory, are reserved; 256 on 32 bits.
	Graves = 256 << (6 * (^uintptr(0) >> 63))
)

var graves struct {
	sync.Mutex
	base  Pointer // nil where the system has no such range
	count uint64  // lives that got one
	lives [Graves]*life
}

// reserveGraves reserves the range when a program's first life ends. Where so
// much can't be had, all lives share one grave, and what they were is not known.
var reserveGraves = sync.OnceFunc(func() {
	if graves.base = reserve(Graves * graveSize); graves.base == nil {
		graves.base = reserve(graveSize)
		graves.count = ^uint64(0)
	}
})

// grave is what the dead pointers of the life's memory point to. The race
// detector learns nothing from it.
//
//go:norace
func (l *life) grave() Pointer {
	if l == nil {
		l = new(life) // it was made while the checks were off
	}
	RaceBlind()
	defer RaceSee()
	reserveGraves()
	graves.Lock()
	defer graves.Unlock()
	if l.dead == nil {
		l.dead = graves.base
		if graves.count != ^uint64(0) && graves.base != nil {
			n := graves.count % Graves
			graves.count++
			graves.lives[n] = l
			l.dead = addr(graves.base, uintptr(n)*graveSize)
		}
	}
	return l.dead
}

// Mourn says whose dead pointer leads to the address at, if one does.
func Mourn(at uintptr) (text string, ok bool) {
	graves.Lock()
	defer graves.Unlock()
	text = "arena: use of a pointer that was read from memory after an arena took it back"
	switch off := at - number(graves.base); {
	case graves.base == nil:
		return "", false
	case graves.count == ^uint64(0):
		return text, off < graveSize
	case off >= Graves*graveSize:
		return "", false
	default:
		l := graves.lives[off/graveSize]
		text += l.history()
		if graves.count > Graves && l != nil {
			text += "\n(or that of a life " + strconv.Itoa(Graves) + " lives before it)"
		}
		return text, true
	}
}
