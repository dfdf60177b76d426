package arenajson

import (
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// A nameSet holds the names of the open objects, to find duplicates for Strict. A name is stored as the
// index of its quote in the document, because decoding a string may change it in place. The first eight
// names of an object are compared with each other; further ones are found in a hash table.
type nameSet struct {
	open []openNames // the outermost object first

	// all has the names, in the order of open: the index of the quote, and above atBits a part of the hash.
	all []uint64

	// tables has the hash tables of the objects with more than fewNames names, in the order of open. The
	// size of a table is a power of two, and at most half of its slots are used. A slot is 0, or one more
	// than an index of all, counted from the object's first name.
	tables []uint32
}

const (
	atBits   = 40
	fewNames = 8
)

var nameSeed = maphash.MakeSeed()

// openNames are the names of one open object.
type openNames struct {
	first  int    // index of all
	lo, hi int    // its table
	seen   uint64 // bit i: the member for field i of the struct was found
}

// begin opens an object.
func (n *nameSet) begin(s *scanner) {
	n.open = append(growScratch(s.region, n.open, 1), openNames{len(n.all), len(n.tables), len(n.tables), 0})
}

// end closes the innermost object.
func (n *nameSet) end() {
	o := &n.open[len(n.open)-1]
	n.all, n.tables, n.open = n.all[:o.first], n.tables[:o.lo], n.open[:len(n.open)-1]
}

// addField is add for the name of field i of a struct. Most structs have few enough fields for a bit each.
func (n *nameSet) addField(s *scanner, i, at, end int) {
	o := &n.open[len(n.open)-1]
	switch {
	case i >= 64:
		n.add(s, at, end)
	case o.seen>>i&1 != 0:
		s.rejectName(at)
	default:
		o.seen |= 1 << i
	}
}

// add adds the name from at to end, quotes included. If the object already has it, add ends the scan.
func (n *nameSet) add(s *scanner, at, end int) {
	o := &n.open[len(n.open)-1]
	hash := s.hashName(at, end)
	entry := uint64(at) | hash>>atBits<<atBits
	mine := n.all[o.first:]
	duplicate := func(e uint64) bool {
		return e>>atBits == entry>>atBits && s.sameName(int(e&(1<<atBits-1)), at, end)
	}
	if o.lo == o.hi {
		if slices.ContainsFunc(mine, duplicate) {
			s.rejectName(at)
		}
	} else {
		table := n.tables[o.lo:o.hi]
		slot := int(hash) & (len(table) - 1)
		for ; table[slot] != 0; slot = (slot + 1) & (len(table) - 1) {
			if duplicate(mine[table[slot]-1]) {
				s.rejectName(at)
			}
		}
		table[slot] = uint32(len(mine) + 1)
	}
	n.all = append(growScratch(s.region, n.all, 1), entry)
	if k := len(mine) + 1; k > fewNames && 2*k > o.hi-o.lo {
		n.growTable(s, o)
	}
}

// growTable replaces the table of o, the innermost object, by one with four slots for each name.
func (n *nameSet) growTable(s *scanner, o *openNames) {
	mine := n.all[o.first:]
	size := 4 * fewNames
	for size < 4*len(mine) {
		size *= 2
	}
	n.tables = growScratch(s.region, n.tables[:o.lo], size)[:o.lo+size]
	o.hi = o.lo + size
	table := n.tables[o.lo:]
	clear(table)
	for i, e := range mine {
		at := int(e & (1<<atBits - 1))
		slot := int(s.hashName(at, stringEnd(s.doc, at))) & (size - 1)
		for table[slot] != 0 {
			slot = (slot + 1) & (size - 1)
		}
		table[slot] = uint32(i + 1)
	}
}

// growScratch returns list with a capacity for n more elements, in r or on the heap.
func growScratch[T any](r *machine.Region, list []T, n int) []T {
	if n <= cap(list)-len(list) {
		return list
	}
	if n = max(n, 4*fewNames); r == nil {
		return slices.Grow(list, n)
	}
	grown := machine.GrowSlice(r, list, len(list)+n)
	copy(grown, list)
	return grown[:len(list)]
}

// hashName returns a hash of the decoded name from at to end, quotes included.
func (s *scanner) hashName(at, end int) uint64 {
	raw := s.doc[at+1 : end-1]
	if !slices.Contains(raw, '\\') {
		return maphash.Bytes(nameSeed, raw)
	}
	var h maphash.Hash
	h.SetSeed(nameSeed)
	var buf [64]byte
	b := buf[:0]
	for i := at + 1; ; {
		var r rune
		if r, i = s.nameRune(i); r < 0 {
			h.Write(b)
			return h.Sum64()
		}
		if b = utf8.AppendRune(b, r); len(b) > len(buf)-utf8.UTFMax {
			h.Write(b)
			b = b[:0]
		}
	}
}

// sameName reports whether the name at x equals the one from at to end.
func (s *scanner) sameName(x, at, end int) bool {
	if string(s.doc[x:x+end-at]) == string(s.doc[at:end]) {
		return true // with its quotes
	}
	for x, at = x+1, at+1; ; {
		var r, t rune
		r, x = s.nameRune(x)
		t, at = s.nameRune(at)
		if r != t {
			return false
		}
		if r < 0 {
			return true
		}
	}
}

// nameRune decodes the rune at i of a name that Strict accepts. It is negative at the closing quote.
func (s *scanner) nameRune(i int) (rune, int) {
	switch c := s.doc[i]; {
	case c == '"':
		return -1, i
	case c != '\\':
		r, size := utf8.DecodeRune(s.doc[i:])
		return r, i + size
	}
	return unescape(xunsafe.ViewString(s.doc), i)
}

// rejectName ends the scan at a duplicate name.
func (s *scanner) rejectName(at int) {
	var name strings.Builder
	for r, i := s.nameRune(at + 1); r >= 0; r, i = s.nameRune(i) {
		name.WriteRune(r)
	}
	s.reject(at, "duplicate name "+strconv.Quote(name.String()))
}
