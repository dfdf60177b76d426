//go:build !gc || arenaportable || !amd64

package arenajson

// vectored has a processor look at blocks of text: see decode_vectors_amd64.go.
var vectored = false

func (d *decoder) goodBlocks(i int) (int, bool) { return i, false }
