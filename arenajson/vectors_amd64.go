//go:build gc

package arenajson

// Text that is not ASCII is scanned and written in blocks of 32 bytes if the processor has AVX2: J. Keiser and
// D. Lemire, "Validating UTF-8 In Less Than One Instruction Per Byte", 2021. scanner.scanBlocks and
// encoder.blocks call the functions in vectors_amd64.s.

// vectored enables the functions below. Tests set it to false to compare.
var vectored = hasVectors()

// hasVectors reports whether the processor has AVX2 and the operating system saves its registers.
func hasVectors() bool

// scanText scans blocks of 32 bytes up to the first one that has a quote, a backslash or a control character.
// It returns the index of that, or the length of all blocks, and reports whether they contain invalid UTF-8.
// A character that the last block cuts off counts as valid.
//
//go:noescape
func scanText(v *[11][16]byte, text *byte, blocks int) (n int, bad bool)

// vectors has three tables of pairs of bytes that are invalid, a bit for each rule: by the upper half of the
// first byte, its lower half, and the upper half of the second one. The rest are constants of the code.
var vectors = func() (v [11][16]byte) {
	for bit, rule := range [8][3]uint16{ // the halves to which it applies, 0 the lowest bit
		{0xf000, 0xffff, 0xf0ff}, // a first byte without a second one
		{0x00ff, 0xffff, 0x0f00}, // a second byte after ASCII
		{0x1000, 0x0003, 0x0f00}, // two bytes for a character of one
		{0x4000, 0x0001, 0x0300}, // three for a character of two
		{0x4000, 0x2000, 0x0c00}, // half a surrogate pair
		{0x8000, 0xfff0, 0x0e00}, // four for a character above U+10FFFF
		{0x8000, 0xffe1, 0x0100}, // the same, or four for a character of three
		{0x0f00, 0xffff, 0x0f00}, // two bytes that continue: the last bit, which may be right
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

// putBlocks copies text, of 16 bytes at least, up to the first block that has a mark of v or the end of U+2028
// or U+2029. It may write 16 bytes more. Results are as for scanText.
//
//go:noescape
func putBlocks(v *[19][16]byte, to, text *byte, length int) (n int, bad bool)

// markVectors are vectors for plainMarks and htmlMarks: a table of the marks, by their lower half, replaces the
// quote, and constants for U+2028 and U+2029, and for shifting bytes out, follow.
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
		v[7] = [16]byte{} // other lower halves match nothing but zeros
		for _, c := range []byte(marks) {
			v[7][c&15] = c
		}
	}
	return
}()
