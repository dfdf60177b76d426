package smallmap

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"reflect"
	"strings"
	"sync"

	"github.com/ebbpool/arena/internal/xunsafe"
)

const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// Place makes name a key of m, a map of k's type that Take returned, whose keys are strings, and
// returns where its value belongs, which is that of the key before if m had it. It returns nil
// where the runtime has to do it: for a ninth key, or where a program got hold of m and made
// it another.
func (k *Maker) Place(m xunsafe.Pointer, name string) xunsafe.Pointer {
	h := xunsafe.Cast[mapHeader](m)
	group := xunsafe.Add(m, xunsafe.SizeOf[mapHeader]())
	if !k.places || h.groups != group || h.used >= Entries || h.flags != [4]uint8{} {
		return nil
	}
	own := hashOf(name, *xunsafe.Cast[uintptr](xunsafe.PointerTo(&h.seed))) & 0x7f
	control := xunsafe.Bytes(group, Entries)
	all := binary.LittleEndian.Uint64(control)
	same := all ^ uint64(own)*ones
	for same = (same - ones) &^ same & tops; same != 0; same &= same - 1 { // or of another hash, with another key
		i := bits.TrailingZeros64(same) / 8
		if key := k.slot(group, i); *xunsafe.Cast[string](key) == name {
			*xunsafe.Cast[string](key) = name // whose memory may be another's
			return xunsafe.Add(key, k.value)
		}
	}
	i := bits.TrailingZeros64(all&tops) / 8
	key := k.slot(group, i)
	*xunsafe.Cast[string](key) = name
	control[i] = own
	h.used++
	return xunsafe.Add(key, k.value)
}

// slot returns the i-th slot, which begins with its key.
func (k *Maker) slot(group xunsafe.Pointer, i int) xunsafe.Pointer {
	return xunsafe.Add(group, Entries+uintptr(i)*k.entry)
}

// hashOf returns the lower bits of the runtime's hash of name in a map with that seed.
func hashOf(name string, seed uintptr) byte {
	wide := uint64(seed)
	return byte(maphash.Comparable(*xunsafe.Cast[maphash.Seed](xunsafe.PointerTo(&wide)), name))
}

// hashes reports whether hashOf agrees with the runtime, by maps that this has made with strings of
// many lengths.
var hashes = sync.OnceValue(func() bool {
	if reflect.TypeFor[maphash.Seed]().Size() != 8 {
		return false
	}
	for n := range 300 {
		m := map[string]bool{strings.Repeat("name", n/4) + "name"[:n%4]: true}
		h := xunsafe.Cast[mapHeader](reflect.ValueOf(m).UnsafePointer())
		for name := range m {
			if hashOf(name, *xunsafe.Cast[uintptr](xunsafe.PointerTo(&h.seed)))&0x7f != xunsafe.Bytes(h.groups, 1)[0] {
				return false
			}
		}
	}
	return true
})
