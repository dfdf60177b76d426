package uninit

import (
	"io"

	"github.com/ebbpool/arena"
)

func element(a *arena.Arena) byte {
	b := arena.MakeSliceUninit[byte](a, 10, 10)
	return b[0] // want `read of b, memory of arena a, which MakeSliceUninit did not clear and nothing has written yet: write it first, or use MakeSlice`
}

func converted(a *arena.Arena) string {
	b := arena.MakeSliceUninit[byte](a, 10, 10)
	return string(b) // want `read of b, memory of arena a`
}

func summed(a *arena.Arena) (n int) {
	s := arena.MakeSliceUninit[int](a, 10, 10)
	for _, x := range s { // want `read of s, memory of arena a`
		n += x
	}
	return n
}

func added(a *arena.Arena) {
	s := arena.MakeSliceUninit[int](a, 10, 10)
	s[0] += 1 // want `read of s, memory of arena a`
}

func copiedFrom(a *arena.Arena, dst []byte) {
	b := arena.MakeSliceUninit[byte](a, 10, 10)
	copy(dst, b) // want `read of b, memory of arena a`
}

func fineWritten(a *arena.Arena) (n int) {
	s := arena.MakeSliceUninit[int](a, 10, 10)
	for i := range s {
		s[i] = i
	}
	for _, x := range s {
		n += x
	}
	return n
}

func fineCopied(a *arena.Arena, src []byte) string {
	b := arena.MakeSliceUninit[byte](a, len(src), len(src))
	copy(b, src)
	return string(b)
}

func fineRead(a *arena.Arena, r io.Reader) (string, error) {
	b := arena.MakeSliceUninit[byte](a, 10, 10)
	n, err := io.ReadFull(r, b)
	return string(b[:n]), err
}

func fineEmpty(a *arena.Arena) string {
	b := arena.MakeSliceUninit[byte](a, 0, 10)
	b = arena.Append(a, b, 'x')
	return string(b)
}

func fineRunning(a *arena.Arena) []int {
	s := arena.MakeSliceUninit[int](a, 10, 10)
	s[0] = 1
	for i := 1; i < len(s); i++ {
		s[i] = s[i-1] * 2
	}
	return s
}

func fineLength(a *arena.Arena) int {
	return len(arena.MakeSliceUninit[int](a, 10, 10))
}

func fineMakeSlice(a *arena.Arena) int {
	return arena.MakeSlice[int](a, 10, 10)[3]
}

func fineFilled(a *arena.Arena, fill func([]byte)) byte {
	b := arena.MakeSliceUninit[byte](a, 10, 10)
	fill(b)
	return b[0]
}
