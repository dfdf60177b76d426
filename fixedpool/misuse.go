package fixedpool

import (
	"errors"
	"strconv"
)

// What a MisuseError wraps, one for each mistake, for errors.Is.
var (
	ErrNil            = errors.New("the pointer is nil")
	ErrForeign        = errors.New("the pointer is not from this pool")
	ErrInterior       = errors.New("the pointer is not to the beginning of a slot")
	ErrNeverAllocated = errors.New("the slot was never allocated")
	ErrDouble         = errors.New("the slot is free already")
)

// A MisuseError is the panic value of Deallocate. The pool is unchanged by the call,
// and may be used on after a recover.
type MisuseError struct {
	Err      error   // one of the errors above
	Pool     string  // the type of the pool
	Pointer  uintptr // the address that was given back
	Slot     int     // the slot that it lies in, -1 where it is in none
	Capacity int     // of the pool
}

// Error says what was given back, where it should have come from, and what is
// wrong with it.
func (e *MisuseError) Error() string {
	s := "fixedpool: " + e.Pool + ".Deallocate(0x" + strconv.FormatUint(uint64(e.Pointer), 16) + "): " + e.Err.Error()
	if e.Slot >= 0 {
		s += " (slot " + strconv.Itoa(e.Slot) + " of " + strconv.Itoa(e.Capacity) + ")"
	}
	return s + "; give back each pointer that Allocate returned, once, to the same pool"
}

// Unwrap returns e.Err.
func (e *MisuseError) Unwrap() error { return e.Err }
