// Package programs has four programs of the kind that arenas are for, each
// written twice: as people write Go, and as the same after its conversion to an
// arena. What both share is what a conversion doesn't touch: types that have no
// map, and code that allocates nothing.
//
// Each returns a digest of all that it made; both give the same one, and the same
// error for bad input.
package programs

import "fmt"

// digest folds what a program made: enough to notice memory that another
// object took, too little to be the measured work.
type digest uint64

func (d *digest) number(n uint64) { *d = (*d<<7 | *d>>57) ^ digest(n)*0x9e3779b97f4a7c15 }

func (d *digest) text(s string)  { fold(d, s) }
func (d *digest) bytes(s []byte) { fold(d, s) }

func fold[T string | []byte](d *digest, s T) {
	d.number(uint64(len(s)))
	for i := 0; i < len(s); i += 16 {
		d.number(uint64(s[i]))
	}
	if len(s) > 0 {
		d.number(uint64(s[len(s)-1]))
	}
}

// SyntaxError says what a text lacks, and where.
type SyntaxError struct {
	At   int
	What string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("byte %d: %s", e.At, e.What) }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
