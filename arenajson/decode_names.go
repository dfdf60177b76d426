package arenajson

import (
	"hash/maphash"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// nameSet keeps, for Strict, which names the objects have that are open. It lies in the
// arena, as all that a document makes us keep, and has of a name only where in the
// document it stands. The names of an object are taken back at its end.
type nameSet struct {
	open []openNames // the outermost object first

	all []uint64 // the outermost object's first: where the name's quote is, and above atBits some of its hash

	// The tables of those open objects that have more than fewNames, one after the
	// other. Each has a power of two of places, half of them free at least; in one is an
	// index of all, from the object's first name on, plus one.
	tables []uint32
}

const (
	atBits   = 40 // of a place in a document
	fewNames = 8  // of an object, which are compared one by one
)

var (
	nameSeed   = maphash.MakeSeed()
	setProgram = memoryProgram[nameSet]()
	listOfOpen = listProgramOf[openNames]()
	listOf64   = listProgramOf[uint64]()
	listOf32   = listProgramOf[uint32]()
)

// listProgramOf is the program of lists of Ts for those who make and grow one.
func listProgramOf[T any]() *decProgram {
	return &decProgram{typed: typedOf(reflect.TypeFor[[]T]()), elem: memoryProgram[T]()}
}

// openNames holds what the set has of one open object.
type openNames struct {
	first  int    // of all
	lo, hi int    // its table
	seen   uint64 // which of the first 64 members of its struct were met
}

// beginNames begins an object.
func (d *decoder) beginNames() {
	s := d.names
	if s == nil {
		s = xunsafe.Cast[nameSet](d.alloc(setProgram))
		d.names = s
	}
	if len(s.open) == cap(s.open) {
		growList(d, listOfOpen, &s.open, len(s.open)+1)
	}
	s.open = append(s.open, openNames{len(s.all), len(s.tables), len(s.tables), 0})
}

// endNames ends the object that was begun last.
func (d *decoder) endNames() {
	s := d.names
	o := &s.open[len(s.open)-1]
	s.all, s.tables, s.open = s.all[:o.first], s.tables[:o.lo], s.open[:len(s.open)-1]
}

// addMember enters the name from at to end of the i-th member of the object's struct. A bit
// for each is less than a name, and enough for most structs.
func (d *decoder) addMember(i, at, end int) {
	o := &d.names.open[len(d.names.open)-1]
	switch {
	case i >= 64:
		d.addName(at, end)
	case o.seen>>i&1 != 0:
		d.rejectName(at)
	default:
		o.seen |= 1 << i
	}
}

// addName enters the name from at to end, quotes included, and ends the reading where
// the object has it already.
func (d *decoder) addName(at, end int) {
	s := d.names
	o := &s.open[len(s.open)-1]
	hash := d.hashOfName(at, end)
	entry := uint64(at) | hash>>atBits<<atBits
	mine := s.all[o.first:]
	if o.lo == o.hi {
		for _, e := range mine {
			if e>>atBits == entry>>atBits && d.sameName(int(e&(1<<atBits-1)), at, end) {
				d.rejectName(at)
			}
		}
	} else {
		table := s.tables[o.lo:o.hi]
		place := int(hash) & (len(table) - 1)
		for ; table[place] != 0; place = (place + 1) & (len(table) - 1) {
			e := mine[table[place]-1]
			if e>>atBits == entry>>atBits && d.sameName(int(e&(1<<atBits-1)), at, end) {
				d.rejectName(at)
			}
		}
		table[place] = uint32(len(mine) + 1)
	}
	if len(s.all) == cap(s.all) {
		growList(d, listOf64, &s.all, len(s.all)+1)
	}
	s.all = append(s.all, entry)
	if n := len(mine) + 1; n > fewNames && 2*n > o.hi-o.lo {
		d.growTable(o)
	}
}

// growTable gives an object a table of four times as many places as it has names, in
// place of the one that it had.
func (d *decoder) growTable(o *openNames) {
	s := d.names
	mine := s.all[o.first:]
	size := 4 * fewNames
	for size < 4*len(mine) {
		size *= 2
	}
	s.tables = s.tables[:o.lo] // it is the last one
	growList(d, listOf32, &s.tables, o.lo+size)
	s.tables = s.tables[:o.lo+size]
	o.hi = o.lo + size
	table := s.tables[o.lo:]
	clear(table)
	for i, e := range mine {
		at := int(e & (1<<atBits - 1))
		place := int(d.hashOfName(at, stringEnd(d.doc, at))) & (size - 1)
		for table[place] != 0 {
			place = (place + 1) & (size - 1)
		}
		table[place] = uint32(i + 1)
	}
}

// growList gives s, a list that program p makes, room for n elements.
func growList[T any](d *decoder, p *decProgram, s *[]T, n int) {
	for cap(*s) < n {
		header := *xunsafe.Cast[machine.Slice](xunsafe.PointerTo(s))
		length := header.Len
		grown := d.grow(p, header, max(n, 4*fewNames), 0)
		grown.Len = length
		*xunsafe.Cast[machine.Slice](xunsafe.PointerTo(s)) = grown
	}
}

// hashOfName is a hash of what the name from at to end, quotes included, says.
func (d *decoder) hashOfName(at, end int) uint64 {
	raw := d.doc[at+1 : end-1]
	for _, c := range raw {
		if c == '\\' {
			return d.hashOfEscaped(at + 1)
		}
	}
	return maphash.Bytes(nameSeed, raw)
}

// hashOfEscaped is hashOfName for a name with escapes, which begins at i. It is
// taken in pieces, as the name may be long.
func (d *decoder) hashOfEscaped(i int) uint64 {
	var h maphash.Hash
	h.SetSeed(nameSeed)
	var buf [64]byte
	b := buf[:0]
	for {
		var r rune
		if r, i = d.runeOfName(i); r < 0 {
			h.Write(b)
			return h.Sum64()
		}
		if b = utf8.AppendRune(b, r); len(b) > len(buf)-utf8.UTFMax {
			h.Write(b)
			b = b[:0]
		}
	}
}

// sameName reports whether the name at x says what the one from at to end does.
func (d *decoder) sameName(x, at, end int) bool {
	if string(d.doc[x:x+end-at]) == string(d.doc[at:end]) {
		return true // with its quotes
	}
	for x, at = x+1, at+1; ; {
		var r, s rune
		r, x = d.runeOfName(x)
		s, at = d.runeOfName(at)
		if r != s {
			return false
		}
		if r < 0 {
			return true
		}
	}
}

// runeOfName reads the rune at i of a name, of which it is known that Strict does not
// refuse it, in the document as it came. It is negative at the closing quote.
func (d *decoder) runeOfName(i int) (rune, int) {
	switch c := d.doc[i]; {
	case c == '"':
		return -1, i
	case c != '\\':
		r, size := utf8.DecodeRune(d.doc[i:])
		return r, i + size
	}
	return unescape(xunsafe.ViewString(d.doc), i)
}

// rejectName ends the reading at a name that the object has already.
func (d *decoder) rejectName(at int) {
	var name strings.Builder
	for r, i := d.runeOfName(at + 1); r >= 0; r, i = d.runeOfName(i) {
		name.WriteRune(r)
	}
	d.reject(at, "a second member of the name "+name.String())
}
