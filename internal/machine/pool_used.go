package machine

import (
	"math/bits"
	"sync/atomic"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// UsedClasses is the number of size classes of a Used: up to 256 bytes, up to twice that
// and so on up to 64 MB, and all above.
const UsedClasses = 20

// Used counts epochs by the bytes that they used. It lies in an account, where only the
// one that puts the arena back adds to it: no two cores wait for each other. Each class
// has a word, for one addition: the epochs above its split, their bytes below.
type Used [UsedClasses]atomic.Uint64

// split returns how many bits of a class's word are for bytes. Those of an epoch of class
// i have 8+i bits, so the lower part has room for as many epochs as the upper one; that
// of the last class for 512 epochs of 32 TB each.
func split(class int) int {
	if class == UsedClasses-1 {
		return 55
	}
	return 36 + class/2
}

// Add counts an epoch that used so many bytes. It reports whether the word has become half
// full: the caller then takes what there is, by AddTo, and calls Clear.
//
//go:norace
func (u *Used) Add(bytes uintptr) (full bool) {
	class := min(bits.Len64(uint64(max(bytes, 1)-1)>>8), UsedClasses-1)
	return addAlone(&u[class], 1<<split(class)+uint64(bytes))>>63 != 0
}

// addAlone is x.Add(n) where nobody else writes to x. Processors of 64 bits store a word at
// once, so it is done without a lock, which takes a sixth of an empty Get and Put.
//
//go:norace
func addAlone(x *atomic.Uint64, n uint64) uint64 {
	if bits.UintSize == 64 {
		word := xunsafe.Cast[uint64](xunsafe.PointerTo(x))
		*word += n
		return *word
	}
	return x.Add(n)
}

// AddTo adds what u has counted to the counts and the bytes that are given.
func (u *Used) AddTo(counts *[UsedClasses]uint64, bytes *uint64) {
	for i := range u {
		word := u[i].Load()
		counts[i] += word >> split(i)
		*bytes += word & (1<<split(i) - 1)
	}
}

// Clear forgets what u has counted.
func (u *Used) Clear() {
	for i := range u {
		u[i].Store(0)
	}
}
