package machine

// MaxAlloc is the most bytes that one value or slice may have, or a chunk that
// the library plans: half of what the runtime's make takes before it panics, which
// is 1<<addressBits. What is rounded up, and what the checks put around it, stays
// below that, and two such sizes add up without overflow. Below it, more than the
// machine has is a fatal error, as with make.
const MaxAlloc = 1 << (addressBits - 1)

// FlatAlign is the alignment of values without pointers, and what their sizes
// are rounded up to: no Go type needs more.
const FlatAlign = 8

// InlineZero is the size in bytes up to which New clears an object with
// stores of its own. Larger ones go the slow way, which knows what is clean
// already.
const InlineZero = 1024

// WideAddresses says that a number that is the address of something on the heap by
// accident is so unlikely that it can be taken for one.
const WideAddresses = addressBits >= 40
