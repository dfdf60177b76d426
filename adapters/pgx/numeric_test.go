package arenapgx

import "testing"

// Five digits to the base 10,000 may be more than an int64 holds: those are for pgx.
func TestNumericBeyondInt64(t *testing.T) {
	for first, want := range map[byte]bool{0: true, 0x27: false} { // 1, or 9,985
		src := []byte{0, 5, 0, 4, 0, 0, 0, 0, first, 1, 0x27, 0x0f, 0x27, 0x0f, 0x27, 0x0f, 0x27, 0x0f}
		if n, ok := readNumeric(src); ok != want {
			t.Errorf("%x is %+v, %v", src, n, ok)
		}
	}
}
