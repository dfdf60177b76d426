package guard

import (
	"strconv"
	"sync"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// Memory with pointers stays readable, so a fault occurs only when one of its dead pointers is dereferenced. Dead
// pointers must point to inaccessible addresses that identify the cycle. So each ended cycle gets a slot of the
// quarantine, a range of inaccessible addresses, and its dead pointers point to the beginning of the slot. Slots are
// reused in turn.

const (
	// quarantineSlot is the size of a slot in bytes: 16 MB, or 64 KB on 32 bits. It must contain the elements
	// that a dead pointer is indexed with. A Map accesses the first DeadLen groups, of about 200 bytes each.
	quarantineSlot = 64 << 10 << (8 * (^uintptr(0) >> 63))
	// QuarantineSlots is the number of slots: 4,096, which reserve 64 GB of addresses but no memory, or 256 on
	// 32 bits.
	QuarantineSlots = 256 << (4 * (^uintptr(0) >> 63))
)

var quarantine struct {
	sync.Mutex
	base   xunsafe.Pointer // nil if no addresses could be reserved
	count  uint64          // cycles that got a slot
	cycles [QuarantineSlots]*Cycle
}

// reserveQuarantine reserves the range when the first cycle of the program ends. If the system does not allow that, all
// cycles share one slot, and reports do not name the cycle.
var reserveQuarantine = sync.OnceFunc(func() {
	if quarantine.base = reserve(QuarantineSlots * quarantineSlot); quarantine.base == nil {
		quarantine.base = reserve(quarantineSlot)
		quarantine.count = ^uint64(0)
	}
})

// DeadPointer returns the value of all dead pointers of the cycle. It is nil if the system cannot reserve addresses. The
// race detector does not see the lock if the caller has called check.RaceBlind.
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

// ExplainPointer returns the Find of a fault at an address that a dead pointer leads to. ok is false if at is not in the
// quarantine.
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
