package machine

// MaxAlloc is the most bytes that one value or slice may have: what the
// address space of the largest machines holds, or a gigabyte on 32 bits.
// Below it, more than the machine has is a fatal error, as with make.
const MaxAlloc = 1 << (30 + 17*(^uintptr(0)>>63))

// FlatAlign is the alignment of values without pointers, and what their sizes
// are rounded up to: no Go type needs more.
const FlatAlign = 8

// InlineZero is the size in bytes up to which New clears an object with
// stores of its own. Larger ones go the slow way, which knows what is clean
// already.
const InlineZero = 1024
