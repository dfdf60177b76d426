//go:build !asan

package arena

const asanEnabled = false

func poison(base pointer, from, to uintptr)   {}
func unpoison(base pointer, from, to uintptr) {}
