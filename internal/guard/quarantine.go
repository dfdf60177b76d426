package guard

import (
	"strconv"
	"sync"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// A dead pointer must lead to memory that nobody can access, and tell which cycle it
// is from: memory with pointers stays readable, so a fault comes only when such a
// pointer is followed, far from any chunk. So each cycle that ends gets a slot of the
// quarantine, a range of addresses that nobody can access, and its dead pointers lead
// to the beginning of the slot. Slots are reused in turn.

const (
	// quarantineSlot is the size of a slot in bytes, 16 MB, or 64 KB on 32 bits: a dead
	// pointer with an index below it is told from those of other cycles. A Map looks into
	// the first DeadLen of its groups, of some 200 bytes each.
	quarantineSlot = 64 << 10 << (8 * (^uintptr(0) >> 63))
	// QuarantineSlots is the number of slots: 4,096, for which 64 GB of addresses, and
	// no memory, are reserved; 256 on 32 bits.
	QuarantineSlots = 256 << (4 * (^uintptr(0) >> 63))
)

var quarantine struct {
	sync.Mutex
	base   xunsafe.Pointer // nil where the system has no such range
	count  uint64          // cycles that got a slot
	cycles [QuarantineSlots]*Cycle
}

// reserveQuarantine reserves the range when a program's first cycle ends. Where so
// much can't be had, all cycles share one slot, and reports don't say which it was.
var reserveQuarantine = sync.OnceFunc(func() {
	if quarantine.base = reserve(QuarantineSlots * quarantineSlot); quarantine.base == nil {
		quarantine.base = reserve(quarantineSlot)
		quarantine.count = ^uint64(0)
	}
})

// DeadPointer returns the value of all dead pointers of the cycle, nil where the system
// reserves no addresses. The race detector learns nothing from it, if its caller is
// blind, see check.RaceBlind.
//
//go:norace
func (e *Cycle) DeadPointer() xunsafe.Pointer {
	reserveQuarantine()
	quarantine.Lock()
	defer quarantine.Unlock()
	if e.dead == nil {
		e.dead = quarantine.base
		if quarantine.count != ^uint64(0) && quarantine.base != nil {
			n := quarantine.count % QuarantineSlots
			quarantine.count++
			quarantine.cycles[n] = e
			e.dead = xunsafe.Add(quarantine.base, uintptr(n)*quarantineSlot)
		}
	}
	return e.dead
}

// ExplainPointer describes the cycle whose dead pointer leads to the address at; ok is
// false where none does.
func ExplainPointer(at uintptr) (f Find, ok bool) {
	quarantine.Lock()
	defer quarantine.Unlock()
	f = Find{Addr: at, Text: "arena: use of a pointer that was read from memory after an arena took it back"}
	switch off := at - xunsafe.Number(quarantine.base); {
	case quarantine.base == nil:
		return Find{}, false
	case quarantine.count == ^uint64(0):
		return f, off < quarantineSlot
	case off >= QuarantineSlots*quarantineSlot:
		return Find{}, false
	default:
		f.Cycle = quarantine.cycles[off/quarantineSlot]
		f.Text += f.Cycle.History()
		if quarantine.count > QuarantineSlots && f.Cycle != nil {
			f.Text += "\n(or that of a cycle " + strconv.Itoa(QuarantineSlots) + " cycles before it)"
		}
		return f, true
	}
}
