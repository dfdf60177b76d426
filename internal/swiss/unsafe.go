package swiss

// All of this package's unsafe code: what looks at a key as bytes, because package
// reflect, or a conversion to an interface, would take longer than all the rest
// of a look-up.

import "unsafe"

// sizeOf is the size of a T in bytes, a constant in each instantiation.
func sizeOf[T any]() uintptr {
	var z T
	return unsafe.Sizeof(z)
}

// wordAt returns the K at k, of 1, 2, 4 or 8 bytes, as a number.
//
// SAFETY: reads as many bytes as a K has. K may be aligned to less than the
// number is: all of Go's machines can read that, and checkptr, which objects,
// is told not to.
//
//go:nocheckptr
func wordAt[K comparable](k *K) uint64 {
	switch sizeOf[K]() {
	case 1:
		return uint64(*(*uint8)(unsafe.Pointer(k)))
	case 2:
		return uint64(*(*uint16)(unsafe.Pointer(k)))
	case 4:
		return uint64(*(*uint32)(unsafe.Pointer(k)))
	default:
		return *(*uint64)(unsafe.Pointer(k))
	}
}

// wordsAt returns the K at k, of 16 bytes, as two numbers.
//
// SAFETY: as wordAt.
//
//go:nocheckptr
func wordsAt[K comparable](k *K) (uint64, uint64) {
	p := (*[2]uint64)(unsafe.Pointer(k))
	return p[0], p[1]
}

// bytesAt returns the bytes of the K at k.
//
// SAFETY: for the time in which k is there and nothing writes to it: until it
// is hashed.
func bytesAt[K comparable](k *K) string {
	return unsafe.String((*byte)(unsafe.Pointer(k)), sizeOf[K]())
}

// as returns the K at k as the type that it has underneath.
//
// SAFETY: the caller knows by reflection that K's underlying type is U.
func as[U any, K comparable](k *K) U { return *(*U)(unsafe.Pointer(k)) }
