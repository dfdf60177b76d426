package fixedpool

import (
	"errors"
	"strconv"
)

// Errors wrapped by MisuseError, one for each kind of misuse, for errors.Is.
var (
	ErrNil            = errors.New("the pointer is nil")
	ErrForeign        = errors.New("the pointer is not from this pool")
	ErrInterior       = errors.New("the pointer is not to the beginning of a slot")
	ErrNeverAllocated = errors.New("the slot was never allocated")
	ErrDouble         = errors.New("the slot is free already")
)

// A MisuseError is the panic value of Deallocate. The call has changed nothing, so the pool may be used after
// a recover. A program must pass each pointer from Allocate once, to the same pool.
type MisuseError struct {
	Err      error   // one of the errors above
	Pool     string  // the type of the pool
	Pointer  uintptr // the address passed to Deallocate
	Slot     int     // the slot that contains it, or -1
	Capacity int     // of the pool
}

// Error returns the pool, the address, and the kind of misuse.
func (e *MisuseError) Error() string {
	s := "fixedpool: " + e.Pool + ".Deallocate(0x" + strconv.FormatUint(uint64(e.Pointer), 16) + "): " + e.Err.Error()
	if e.Slot >= 0 {
		s += " (slot " + strconv.Itoa(e.Slot) + " of " + strconv.Itoa(e.Capacity) + ")"
	}
	return s
}

func (e *MisuseError) Unwrap() error { return e.Err }
