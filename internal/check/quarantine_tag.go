//go:build arenacheck

package check

import (
	"strconv"
	"sync"
)

// A dead pointer must lead to memory that nobody can access, and tell which epoch it
// is from: memory with pointers stays readable, so a fault comes only when such a
// pointer is followed, far from any chunk. So each epoch that ends gets a slot of the
// quarantine, a range of addresses that nobody can access, and its dead pointers lead
// to the beginning of the slot. Slots are reused in turn.

const (
	// quarantineSlot is the size of a slot in bytes, 1 MB, or 64 KB on 32 bits: a dead
	// pointer with an index below it is told from those of other epochs.
	quarantineSlot = 64 << 10 << (4 * (^uintptr(0) >> 63))
	// QuarantineSlots is the number of slots: 16,384, for which 16 GB of addresses, and
	// no memory, are reserved; 256 on 32 bits.
	QuarantineSlots = 256 << (6 * (^uintptr(0) >> 63))
)

var quarantine struct {
	sync.Mutex
	base   Pointer // nil where the system has no such range
	count  uint64  // epochs that got a slot
	epochs [QuarantineSlots]*epoch
}

// reserveQuarantine reserves the range when a program's first epoch ends. Where so
// much can't be had, all epochs share one slot, and reports don't say which it was.
var reserveQuarantine = sync.OnceFunc(func() {
	if quarantine.base = reserve(QuarantineSlots * quarantineSlot); quarantine.base == nil {
		quarantine.base = reserve(quarantineSlot)
		quarantine.count = ^uint64(0)
	}
})

// deadPointer returns the value of all dead pointers of the epoch. The race detector
// learns nothing from it.
//
//go:norace
func (l *epoch) deadPointer() Pointer {
	if l == nil {
		l = new(epoch) // it was made while the checks were off
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
			quarantine.epochs[n] = l
			l.dead = addr(quarantine.base, uintptr(n)*quarantineSlot)
		}
	}
	return l.dead
}

// ExplainPointer describes the epoch whose dead pointer leads to the address at; ok is
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
		l := quarantine.epochs[off/quarantineSlot]
		text += l.history()
		if quarantine.count > QuarantineSlots && l != nil {
			text += "\n(or that of an epoch " + strconv.Itoa(QuarantineSlots) + " epochs before it)"
		}
		return text, true
	}
}
