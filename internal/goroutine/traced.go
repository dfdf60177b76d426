package goroutine

import "runtime"

// traced returns the number at the beginning of a stack trace of the goroutine, "goroutine 18 [running]:".
// The runtime never reuses these numbers.
func traced() uint64 {
	const before = "goroutine "
	var text [len(before) + 21]byte
	n := runtime.Stack(text[:], false)
	if n <= len(before) || string(text[:len(before)]) != before {
		panic("goroutine: a stack trace begins with " + string(text[:n]))
	}
	var id uint64
	for _, c := range text[len(before):n] {
		if c < '0' || c > '9' {
			break
		}
		id = 10*id + uint64(c-'0')
	}
	if id == 0 {
		panic("goroutine: a stack trace begins with " + string(text[:n]))
	}
	return id
}
