package arenajson

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"

	"github.com/ebbpool/arena/internal/xunsafe"
)

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// sextets has for each place of a character in four what it adds to their three bytes, and
// a bit above those for each that is not of the alphabet.
var sextets = func() (table [4][256]uint32) {
	for i := range table {
		for c := range table[i] {
			table[i][c] = 1 << 24
		}
		for v, c := range alphabet {
			table[i][c] = uint32(v) << (18 - 6*i)
		}
	}
	return
}()

// pairsOfSextets are the characters of twelve bits, the first one lowest.
var pairsOfSextets = func() (table [1 << 12]uint16) {
	for i := range table {
		table[i] = uint16(alphabet[i>>6]) | uint16(alphabet[i&63])<<8
	}
	return
}()

// base64 reads a string into bytes. What has an escape or an error goes through the
// standard library.
func (d *decoder) base64(to xunsafe.Pointer, i int) int {
	start := i + 1
	n := max(bytes.IndexByte(d.view(start, d.n), '"'), 0)
	b := d.bytes(base64.StdEncoding.DecodedLen(n))
	m := quads(b, d.view(start, start+n))
	rest := d.view(start+m/3*4, start+n)
	more, err := base64.StdEncoding.Decode(b[m:], rest)
	if m += more; err == nil && n > 0 && !bytes.ContainsAny(rest, "\r\n") { // which that lets pass
		*xunsafe.Cast[[]byte](to) = b[:m:m]
		return start + n + 1
	}
	s, end := d.str(i) // in which what comes before a character that is none is not longer
	m, err = base64.StdEncoding.Decode(b, xunsafe.ViewBytes(s))
	if err != nil {
		d.note(err)
		return end
	}
	*xunsafe.Cast[[]byte](to) = b[:m:m]
	return end
}

// quads reads characters of s into b, eight at a time while they are of the alphabet and
// there is room for a word, and returns how many bytes they are.
func quads(b, s []byte) int {
	room := len(b)
	for len(s) >= 8 && len(b) >= 8 {
		c := (*[8]byte)(s) // one by one: the processor loads bytes faster than it cuts up words
		x := sextets[0][c[0]] | sextets[1][c[1]] | sextets[2][c[2]] | sextets[3][c[3]]
		y := sextets[0][c[4]] | sextets[1][c[5]] | sextets[2][c[6]] | sextets[3][c[7]]
		if (x|y)>>24 != 0 {
			break
		}
		binary.BigEndian.PutUint64(b, uint64(x)<<40|uint64(y)<<16)
		b, s = b[6:], s[8:]
	}
	return room - len(b)
}

// putBase64 writes s, and returns where the next byte goes.
func putBase64(w xunsafe.Pointer, s []byte) xunsafe.Pointer {
	for len(s) >= 8 {
		x := binary.BigEndian.Uint64(s)
		put64(w, uint64(pairsOfSextets[x>>52])|uint64(pairsOfSextets[x>>40&0xfff])<<16|
			uint64(pairsOfSextets[x>>28&0xfff])<<32|uint64(pairsOfSextets[x>>16&0xfff])<<48)
		w = xunsafe.Add(w, 8)
		s = s[6:]
	}
	n := base64.StdEncoding.EncodedLen(len(s))
	base64.StdEncoding.Encode(bytesAt(w, n)[:n], s)
	return xunsafe.Add(w, uintptr(n))
}
