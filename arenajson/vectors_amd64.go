//go:build gc

package arenajson

// Text that is not ASCII is looked at, and written, in blocks of 32 bytes, where the processor has AVX2: J.
// Keiser and D. Lemire, "Validating UTF-8 In Less Than One Instruction Per Byte", 2021.

// vectored is false in the test that compares.
var vectored = hasVectors()

// hasVectors reports whether the processor has AVX2, and the system keeps its registers.
func hasVectors() bool

// scanText looks at blocks of 32 bytes, up to the one with the first quote, backslash or control
// character, and returns where that is, or where they end, and whether something in them is
// not UTF-8. One that is cut off where they end is not seen.
//
//go:noescape
func scanText(v *[11][16]byte, text *byte, blocks int) (n int, bad bool)

// vectors are tables of what can't stand in two bytes, a bit for each rule, by the upper half
// of the first one, its lower half, and the upper half of the second; then bytes that the
// code needs in each place.
var vectors = func() (v [11][16]byte) {
	for bit, rule := range [8][3]uint16{ // of which halves it speaks, the lowest bit of 0
		{0xf000, 0xffff, 0xf0ff}, // what begins and does not go on
		{0x00ff, 0xffff, 0x0f00}, // ASCII that goes on
		{0x1000, 0x0003, 0x0f00}, // two bytes for what fits one
		{0x4000, 0x0001, 0x0300}, // three for what fits two
		{0x4000, 0x2000, 0x0c00}, // half a surrogate pair
		{0x8000, 0xfff0, 0x0e00}, // four for what is above U+10FFFF
		{0x8000, 0xffe1, 0x0100}, // the same, or for what fits three
		{0x0f00, 0xffff, 0x0f00}, // two that go on: the last bit, which may be meant
	} {
		for k, halves := range rule {
			for h := range 16 {
				v[k][h] |= byte(halves>>h&1) << bit
			}
		}
	}
	for k, c := range []byte{0x0f, 0xe0 - 0x80, 0xf0 - 0x80, 0x80, '"', '\\', 0x1f, 0x1f} {
		for i := range v[3+k] {
			v[3+k][i] = c
		}
	}
	return
}()

// goodBlocks is good for whole blocks, and reports whether the end is in them. If not, good
// is to go on where it says.
func (d *decoder) goodBlocks(i int) (int, bool) {
	blocks := (d.n + docSlack - i) / 32
	if blocks == 0 {
		return i, false
	}
	n, bad := scanText(&vectors, &d.view(i, i+32*blocks)[0], blocks)
	if bad {
		return i, false
	}
	if i += n; n < 32*blocks {
		return i, true
	}
	for i--; d.at(i)&0xc0 == 0x80; i-- { // the last character may be cut off
	}
	return i, false
}

// putBlocks is scanText for a text of 16 bytes and more, all of which it writes, and up to 16
// more, up to a block that has a mark of v in it or ends a line end of JavaScript.
//
//go:noescape
func putBlocks(v *[19][16]byte, to, text *byte, length int) (n int, bad bool)

// markVectors are vectors for plainMarks and htmlMarks: with marks in place of the quote, each
// by its lower half, then what tells line ends, and what shifts bytes out.
var markVectors = func() (all [2][19][16]byte) {
	for html, marks := range [2]string{`"`, `"&<>`} {
		v := &all[html]
		copy(v[:], vectors[:])
		for k, c := range []byte{0xe2, 0xe2, 0xfe, 0xfe, 0xa8, 0xa8} {
			for i := range v[11+k] {
				v[11+k][i] = c
			}
		}
		for i := range v[17] {
			v[17][i], v[18][i] = byte(i), 0x80
		}
		v[7] = [16]byte{} // what is no mark's lower half finds zeros at most
		for _, c := range []byte(marks) {
			v[7][c&15] = c
		}
	}
	return
}()
