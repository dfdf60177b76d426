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
// stores of its own. Larger ones take the slow path, which knows what is clean
// already.
const InlineZero = 1024

// WideAddresses says that a number that is the address of something on the heap by
// accident is so unlikely that it can be taken for one.
const WideAddresses = addressBits >= 40

// RoundUp rounds n up to a multiple of align, which need not be a power of
// two.
func RoundUp(n, align uintptr) uintptr {
	if r := n % align; r != 0 {
		n += align - r
	}
	return n
}

func must(holds bool, what string) {
	if !holds {
		panic("arena: internal error: " + what)
	}
}

const (
	// SmallBytes is the most bytes that AllocBytes clears in line. Where memory
	// is cleared by a call, it costs more than all else for less than that.
	SmallBytes = 256

	// SmallSlice is the most bytes that a slice takes on the fast path. It is only
	// there so that sums and products don't overflow.
	SmallSlice = 1 << 20
)
