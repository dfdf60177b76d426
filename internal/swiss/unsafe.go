package swiss

// The unsafe code of this package: it accesses keys as bytes, because package reflect or a conversion to an
// interface would take longer than the rest of a look-up.

import "unsafe"

// sizeOf returns the size of a T in bytes, a constant in each instantiation.
func sizeOf[T any]() uintptr {
	var z T
	return unsafe.Sizeof(z)
}

// wordAt returns *k, of 1, 2, 4 or 8 bytes, as a number.
//
// SAFETY: it reads the size of K. K may have a smaller alignment than the number; all of Go's platforms can
// read it, and checkptr, which would object, is disabled.
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

// wordsAt returns *k, of 16 bytes, as two numbers.
//
// SAFETY: as wordAt.
//
//go:nocheckptr
func wordsAt[K comparable](k *K) (uint64, uint64) {
	p := (*[2]uint64)(unsafe.Pointer(k))
	return p[0], p[1]
}

// bytesAt returns the bytes of *k.
//
// SAFETY: the string is only used until the key is hashed, while *k does not change.
func bytesAt[K comparable](k *K) string {
	return unsafe.String((*byte)(unsafe.Pointer(k)), sizeOf[K]())
}

// as returns *k as its underlying type U.
//
// SAFETY: the caller has checked by reflection that K's underlying type is U.
func as[U any, K comparable](k *K) U { return *(*U)(unsafe.Pointer(k)) }
