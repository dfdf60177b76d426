//go:build !gc || !amd64

package arenajson

// The counterparts of vectors_amd64.go for other processors, which never call them.

var (
	vectored    = false
	vectors     [11][16]byte
	markVectors [2][19][16]byte
)

func scanText(v *[11][16]byte, text *byte, blocks int) (n int, bad bool) {
	panic("arenajson: no vectors")
}

func putBlocks(v *[19][16]byte, to, text *byte, length int) (n int, bad bool) {
	panic("arenajson: no vectors")
}
