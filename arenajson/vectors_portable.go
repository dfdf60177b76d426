//go:build !gc || !amd64

package arenajson

import "github.com/ebbpool/arena/internal/xunsafe"

// vectored has a processor look at blocks of text: see vectors_amd64.go.
var vectored = false

func (d *decoder) goodBlocks(i int) (int, bool) { return i, false }

func (e *encoder) blocks(w xunsafe.Pointer, s string, i int) int { return -1 }
