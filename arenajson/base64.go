package arenajson

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"math/bits"

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
var pairsOfSextets [1 << 12]uint16

// sextetsOfPairs are the twelve bits of two characters, the first one lowest, and isPair for
// those that are both of the alphabet. They take half as many looks as sextets, and too much of
// the processor's cache for a short text.
var sextetsOfPairs [1 << 16]uint16

const isPair = 1 << 15

func init() { // in place: they are large
	for i := range pairsOfSextets {
		pair := uint16(alphabet[i>>6]) | uint16(alphabet[i&63])<<8
		pairsOfSextets[i], sextetsOfPairs[pair] = pair, uint16(i)|isPair
	}
}

// base64 reads a string into bytes. What has an escape or an error goes through the
// standard library.
func (d *decoder) base64(to xunsafe.Pointer, i int) int {
	start := i + 1
	n := max(bytes.IndexByte(d.view(start, d.n), '"'), 0)
	b := d.bytes(base64.StdEncoding.DecodedLen(n))
	m := d.quads(b, start, start+n)
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

// quads reads the characters from i to end into b, eight at a time while they are of the
// alphabet and there is room for a word, and returns how many bytes they are.
func (d *decoder) quads(b []byte, i, end int) int {
	const many = 4096                  // characters, for which the larger table pays
	end = min(end-7, i+(len(b)-2)/6*8) // of a word's bytes two are none
	begin := xunsafe.DataOf(b)
	w := begin
	if end-i >= many {
		i, w = d.pairs(w, i, end-8)
	}
	for ; i < end; i += 8 { // one by one: the processor loads bytes faster than it cuts up words
		x := sextets[0][d.at(i)] | sextets[1][d.at(i+1)] | sextets[2][d.at(i+2)] | sextets[3][d.at(i+3)]
		y := sextets[0][d.at(i+4)] | sextets[1][d.at(i+5)] | sextets[2][d.at(i+6)] | sextets[3][d.at(i+7)]
		if (x|y)>>24 != 0 {
			break
		}
		put64(w, bits.ReverseBytes64(uint64(x)<<40|uint64(y)<<16))
		w = xunsafe.Add(w, 6)
	}
	return int(xunsafe.Offset(begin, w))
}

// pairs is quads for those below end, sixteen at a time, at w.
func (d *decoder) pairs(w xunsafe.Pointer, i, end int) (int, xunsafe.Pointer) {
	for ; i < end; i += 16 {
		c := d.block(i)
		x0, x1, x2, x3 := twelve(c[0], c[1]), twelve(c[2], c[3]), twelve(c[4], c[5]), twelve(c[6], c[7])
		y0, y1, y2, y3 := twelve(c[8], c[9]), twelve(c[10], c[11]), twelve(c[12], c[13]), twelve(c[14], c[15])
		if x0&x1&x2&x3&y0&y1&y2&y3&isPair == 0 {
			break
		}
		const marks = isPair<<40 | isPair<<28 | isPair<<16 // that of the first one is shifted out
		put64(w, bits.ReverseBytes64((x0<<12^x1)<<40^(x2<<12^x3)<<16^marks))
		put64(xunsafe.Add(w, 6), bits.ReverseBytes64((y0<<12^y1)<<40^(y2<<12^y3)<<16^marks))
		w = xunsafe.Add(w, 12)
	}
	return i, w
}

// twelve is what sextetsOfPairs has for two characters.
func twelve(c, d byte) uint64 { return uint64(sextetsOfPairs[uint16(c)|uint16(d)<<8]) }

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
