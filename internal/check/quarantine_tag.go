//go:build arenacheck

package check

import (
	"strconv"
	"sync"
)

// A dead pointer must lead to memory that nobody can access, and tell which life it
// is from: memory with pointers stays readable, so a fault comes only when such a
// pointer is followed, far from any chunk. So each life that ends gets a slot of the
// quarantine, a range of addresses that nobody can access, and its dead pointers lead
// to the beginning of the slot. Slots are reused in turn.

const (
	// quarantineSlot is the size of a slot in bytes, 1 MB, or 64 KB on 32 bits: a dead
	// pointer with an index below it is told from those of other lives.
	quarantineSlot = 64 << 10 << (4 * (^uintptr(0) >> 63))
	// QuarantineSlots is the number of slots: 16,384, for which 16 GB of addresses, and
	// no memory, are reserved; 256 on 32 bits.
	QuarantineSlots = 256 << (6 * (^uintptr(0) >> 63))
)

var quarantine struct {
	sync.Mutex
	base  Pointer // nil where the system has no such range
	count uint64  // lives that got a slot
	lives [QuarantineSlots]*life
}

// reserveQuarantine reserves the range when a program's first life ends. Where so
// much can't be had, all lives share one slot, and reports don't say which it was.
var reserveQuarantine = sync.OnceFunc(func() {
	if quarantine.base = reserve(QuarantineSlots * quarantineSlot); quarantine.base == nil {
		quarantine.base = reserve(quarantineSlot)
		quarantine.count = ^uint64(0)
	}
})

// deadPointer returns the value of all dead pointers of the life. The race detector
// learns nothing from it.
//
//go:norace
func (l *life) deadPointer() Pointer {
	if l == nil {
		l = new(life) // it was made while the checks were off
	}
	RaceBlind()
	defer RaceSee()
	reserveQuarantine()
	quarantine.Lock()
	defer quarantine.Unlock()
	if l.dead == nil {
		l.dead = quarantine.base
		if quarantine.count != ^uint64(0) && quarantine.base != nil {
			n := quarantine.count % QuarantineSlots
			quarantine.count++
			quarantine.lives[n] = l
			l.dead = addr(quarantine.base, uintptr(n)*quarantineSlot)
		}
	}
	return l.dead
}

// ExplainPointer describes the life whose dead pointer leads to the address at; ok is
// false where none does.
func ExplainPointer(at uintptr) (text string, ok bool) {
	quarantine.Lock()
	defer quarantine.Unlock()
	text = "arena: use of a pointer that was read from memory after an arena took it back"
	switch off := at - number(quarantine.base); {
	case quarantine.base == nil:
		return "", false
	case quarantine.count == ^uint64(0):
		return text, off < quarantineSlot
	case off >= QuarantineSlots*quarantineSlot:
		return "", false
	default:
		l := quarantine.lives[off/quarantineSlot]
		text += l.history()
		if quarantine.count > QuarantineSlots && l != nil {
			text += "\n(or that of a life " + strconv.Itoa(QuarantineSlots) + " lives before it)"
		}
		return text, true
	}
}
