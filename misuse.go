package arena

import (
	"errors"
	"strconv"
)

// MisuseKind says what was wrong with a pointer that was given back to a
// FixedPool.
type MisuseKind uint8

const (
	MisuseNil            MisuseKind = iota + 1 // nil
	MisuseForeign                              // not into the pool's memory
	MisuseInterior                             // into a slot, but not to its beginning
	MisuseNeverAllocated                       // to a slot that was never handed out
	MisuseDoubleFree                           // to a slot that is free already
)

// What a MisuseError wraps, one for each kind, for errors.Is.
var (
	ErrNil            = errors.New("the pointer is nil")
	ErrForeign        = errors.New("the pointer is not from this pool")
	ErrInterior       = errors.New("the pointer is not to the beginning of a slot")
	ErrNeverAllocated = errors.New("the slot was never allocated")
	ErrDoubleFree     = errors.New("the slot is free already")
)

// String returns the kind's name, as the shared traces have it.
func (k MisuseKind) String() string {
	switch k {
	case MisuseNil:
		return "null"
	case MisuseForeign:
		return "foreign"
	case MisuseInterior:
		return "interior"
	case MisuseNeverAllocated:
		return "never"
	case MisuseDoubleFree:
		return "double"
	}
	return "MisuseKind(" + strconv.Itoa(int(k)) + ")"
}

func (k MisuseKind) sentinel() error {
	switch k {
	case MisuseNil:
		return ErrNil
	case MisuseForeign:
		return ErrForeign
	case MisuseInterior:
		return ErrInterior
	case MisuseNeverAllocated:
		return ErrNeverAllocated
	}
	return ErrDoubleFree
}

// MisuseError is what Deallocate panics with. The pool is unchanged by the
// call, and may be used on after a recover.
type MisuseError struct {
	Kind     MisuseKind
	Pool     string  // the type of the pool
	Pointer  uintptr // the address that was given back
	Slot     int     // the slot that it lies in, -1 where it is in none
	Capacity int     // of the pool
}

// Error says what was given back, where it should have come from, and what is
// wrong with it.
func (e *MisuseError) Error() string {
	s := "arena: " + e.Pool + ".Deallocate(0x" + strconv.FormatUint(uint64(e.Pointer), 16) + "): " + e.Kind.sentinel().Error()
	if e.Slot >= 0 {
		s += " (slot " + strconv.Itoa(e.Slot) + " of " + strconv.Itoa(e.Capacity) + ")"
	}
	return s + "; give back each pointer that Allocate returned, once, to the same pool"
}

// Unwrap returns the sentinel error of the kind.
func (e *MisuseError) Unwrap() error { return e.Kind.sentinel() }
