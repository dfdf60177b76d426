package arenajson

// How a decoder looks at its document, which has zeros behind it. Package unsafe serves
// itself here, and in encode_put.go: each of internal/xunsafe's functions inside another
// one leaves an instruction that does nothing.

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/ebbpool/arena/internal/check"
)

// docSlack is how far beyond the document a look may go: a word, from its last byte on.
const docSlack = 16

// at is the byte at i of the document, which is at most docSlack-1 beyond its end: all
// that goes on by what it has seen stops at the zeros there.
func (d *decoder) at(i int) byte {
	if check.On {
		d.mustReach(i, 1)
	}
	return *(*byte)(unsafe.Add(d.base, i)) // SAFETY: see above
}

// word is the eight bytes from i on, the first one lowest; i is at most docSlack-8
// beyond the document's end.
func (d *decoder) word(i int) uint64 {
	if check.On {
		d.mustReach(i, 8)
	}
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(d.base, i))[:]) // SAFETY: see above
}

// block is the sixteen bytes from i on.
func (d *decoder) block(i int) *[16]byte {
	if check.On {
		d.mustReach(i, 16)
	}
	return (*[16]byte)(unsafe.Add(d.base, i)) // SAFETY: see above
}

// put writes eight bytes at i, as word reads them. They have been read.
func (d *decoder) put(i int, w uint64) {
	if check.On {
		d.mustReach(i, 8)
	}
	put64(unsafe.Add(d.base, i), w) // SAFETY: see above
}

// text is the document from i to end, as a string. Nothing writes there once a string
// has been cut out.
func (d *decoder) text(i, end int) string {
	if check.On {
		d.mustReach(i, end-i)
	}
	return unsafe.String((*byte)(unsafe.Add(d.base, i)), end-i) // SAFETY: see above
}

// view is the document from i to end, which may lie in the zeros behind it.
func (d *decoder) view(i, end int) []byte {
	if check.On {
		d.mustReach(i, end-i)
	}
	return unsafe.Slice((*byte)(unsafe.Add(d.base, i)), end-i) // SAFETY: see above
}

// mustReach panics unless the n bytes from i on are the document's, or the zeros' behind it.
func (d *decoder) mustReach(i, n int) {
	if i < 0 || n < 0 || n > d.n+docSlack-i {
		panic(fmt.Sprintf("arenajson: internal error: %d bytes at %d of a document of %d", n, i, d.n))
	}
}
