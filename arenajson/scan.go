package arenajson

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// A scanner splits a document into tokens; a decoder (decode.go) stores them in memory. This file has the
// structure of documents: spaces, literals, arrays, objects, values that are skipped, and the set of names that
// Strict needs. Strings are in scan_string.go, and numbers in scan_number.go.
//
// A method takes the index of a token and returns the index after it. There is no other position, so
// reading a value twice needs no state. Zero bytes follow the document, and no token contains a zero, so
// no method compares an index with the length: a token that the document cuts off ends at the zeros.
//
// The fast paths (at, word, space, str, skip) read one byte, or eight at once. They are inlined, or have
// one loop, and leave everything unusual to a slow path (spaces, strRest, longFloat). A document that is
// not JSON ends the scan with a panic; see fail.
type scanner struct {
	base   xunsafe.Pointer // the document, followed by docSlack zero bytes
	n      int             // length of the document
	doc    []byte          // the document as it was passed, for errors and names
	region *machine.Region // memory for strings that can't be decoded in place; nil for the heap

	depth int // number of open arrays and objects
	names nameSet
	start int // offset of base in the document, if base is a single string

	inPlace bool // base is a copy of doc, in which escapes are decoded
	valid   bool // the document is known to be JSON
	spaced  bool // spaces were skipped
	strict  bool // the option Strict
}

// docSlack is the number of zero bytes after a document: a block can be read at its last byte.
const docSlack = 16

// maxNesting is the depth to which arrays and objects may be nested, as in encoding/json.
const maxNesting = 10000

// decodeError is the value of the panic that ends decoding. An err of nil means that the document is not
// JSON: encoding/json then provides the error.
type decodeError struct{ err error }

// fail ends the scan at a byte that no JSON document has there.
func (s *scanner) fail() { panic(decodeError{}) }

// reject ends the scan with a StrictError for the input at i.
func (s *scanner) reject(i int, what string) {
	panic(decodeError{&StrictError{int64(s.start + i), what}})
}

// The methods that access the document use package unsafe directly, as encode_number.go does: each call of
// a function of internal/xunsafe inside an inlined function leaves a no-op instruction.

// at returns the byte at i, which is at most docSlack-1 after the document.
func (s *scanner) at(i int) byte {
	if check.On {
		s.mustReach(i, 1)
	}
	return *(*byte)(unsafe.Add(s.base, i)) // SAFETY: see scanner
}

// word returns the eight bytes from i on, the first one lowest; i is at most docSlack-8 after the document.
func (s *scanner) word(i int) uint64 {
	if check.On {
		s.mustReach(i, 8)
	}
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(s.base, i))[:]) // SAFETY: see scanner
}

// block returns the sixteen bytes from i on.
func (s *scanner) block(i int) *[16]byte {
	if check.On {
		s.mustReach(i, 16)
	}
	return (*[16]byte)(unsafe.Add(s.base, i)) // SAFETY: see scanner
}

// put stores w at i, in the byte order of word. Those bytes must have been scanned.
func (s *scanner) put(i int, w uint64) {
	if check.On {
		s.mustReach(i, 8)
	}
	put64(unsafe.Add(s.base, i), w) // SAFETY: see scanner
}

// text returns the document from i to end as a string, which must not be written to afterwards.
func (s *scanner) text(i, end int) string {
	if check.On {
		s.mustReach(i, end-i)
	}
	return unsafe.String((*byte)(unsafe.Add(s.base, i)), end-i) // SAFETY: see scanner
}

// view returns the document from i to end, which may be within the zeros.
func (s *scanner) view(i, end int) []byte {
	if check.On {
		s.mustReach(i, end-i)
	}
	return unsafe.Slice((*byte)(unsafe.Add(s.base, i)), end-i) // SAFETY: see scanner
}

// mustReach panics if the n bytes from i on are not within the document and its zeros.
func (s *scanner) mustReach(i, n int) {
	if i < 0 || n < 0 || n > s.n+docSlack-i {
		panic(fmt.Sprintf("arenajson: internal error: %d bytes at %d of a document of %d", n, i, s.n))
	}
}

// has reports whether the document has t at i.
func (s *scanner) has(i int, t string) bool { return i+len(t) <= s.n && s.text(i, i+len(t)) == t }

func isSpace(c byte) bool { return c <= ' ' && uint64(1)<<c&(1<<' '|1<<'\n'|1<<'\r'|1<<'\t') != 0 }

// space returns the index of the first byte from i on that is not a space.
func (s *scanner) space(i int) int {
	if s.at(i) > ' ' {
		return i
	}
	return s.spaces(i)
}

// spaces is the slow path of space. It expects one space, or a line end and indentation.
func (s *scanner) spaces(i int) int {
	for isSpace(s.at(i)) {
		s.spaced = true
		i++
		w := s.word(i) ^ ' '*ones
		for ; w == 0; w = s.word(i) ^ ' '*ones {
			i += 8
		}
		if byte(w) == 0 {
			i += bits.TrailingZeros64(w) / 8
		}
	}
	return i
}

// literal scans true, false or null.
func (s *scanner) literal(i int) int {
	switch c := s.at(i); {
	case c == 't' && s.has(i, "true"), c == 'n' && s.has(i, "null"):
		return i + 4
	case c == 'f' && s.has(i, "false"):
		return i + 5
	}
	s.fail()
	return 0
}

// openObject scans the brace at i and the spaces after it. more reports whether the object has members.
func (s *scanner) openObject(i int) (begin int, more bool) {
	s.deeper(i)
	if i = s.space(i + 1); s.at(i) == '}' {
		s.depth--
		return i + 1, false
	}
	if s.strict {
		s.names.begin(s)
	}
	return i, true
}

// name scans the name of a member, and the colon and the spaces after it.
func (s *scanner) name(i int) (string, int) {
	if s.at(i) != '"' {
		s.fail()
	}
	at := i
	name, i := s.str(i)
	if s.strict {
		s.names.add(s, at, i)
	}
	if i = s.space(i); s.at(i) != ':' {
		s.fail()
	}
	return name, s.space(i + 1)
}

// nextMember scans the comma or the brace after a member that ends at i, and the spaces after a comma.
// more reports whether there is another member.
func (s *scanner) nextMember(i int) (next int, more bool) {
	i = s.space(i)
	switch s.at(i) {
	case ',':
		return s.space(i + 1), true
	case '}':
		s.depth--
		if s.strict {
			s.names.end()
		}
		return i + 1, false
	}
	s.fail()
	return 0, false
}

// deepNest is the depth from which on a document is validated before more of it is decoded. Finding only
// at its end that a deep nest is not JSON would be expensive: it has few bytes, makes many values, and
// grows a stack of megabytes.
const deepNest = 256

// deeper enters the array or object at i.
func (s *scanner) deeper(i int) {
	if s.depth++; s.depth >= deepNest {
		s.deep(i)
	}
}

// deep is the slow path of deeper.
func (s *scanner) deep(i int) {
	if s.depth > maxNesting {
		s.fail()
	}
	if s.depth == deepNest && !s.valid {
		s.checkRest(i)
		s.valid = true
	}
}

// checkRest validates the document from the bracket at i on, without recursion.
func (s *scanner) checkRest(i int) {
	rest := *s
	rest.strict = false // names are checked when they are decoded
	var buf [deepNest]level
	outer := appendLevels(buf[:0], s.doc, i)
	i = rest.skipWithin(i, len(outer), 0, 0)
	for k := len(outer) - 1; k >= 0; k-- {
		i = rest.skipWithin(i, k, braceBit(s.doc[outer[k].at]), 1)
	}
	if rest.space(i) != s.n {
		s.fail()
	}
}

// A level is an array or object that is open at some index of a document.
type level struct {
	at   int // index of its bracket
	k    int // number of its values that end before the index
	name int // index of the name of the next value; 0 if that is not reached
}

// appendLevels appends the levels at end to all, the outermost first. doc is JSON up to there. Only errors
// need levels, so the scan does not record them.
func appendLevels(all []level, doc []byte, end int) []level {
	for i := 0; i < end; i++ {
		switch doc[i] {
		case '"':
			if l := &all[len(all)-1]; l.name == 0 {
				l.name = i
			}
			i = stringEnd(doc, i) - 1
		case '{', '[':
			all = append(all, level{at: i})
		case '}', ']':
			all = all[:len(all)-1]
		case ',':
			l := &all[len(all)-1]
			l.k, l.name = l.k+1, 0
		}
	}
	return all
}

// isDocument reports whether the document is one JSON value.
func (s *scanner) isDocument() (ok bool) {
	defer func() {
		switch x := recover().(type) {
		case nil, decodeError:
		default:
			panic(x)
		}
	}()
	return s.space(s.skip(s.space(0))) == s.n
}

// skip skips the value at i.
func (s *scanner) skip(i int) int { return s.skipWithin(i, s.depth, 0, 0) }

// braceBit returns 1 for a brace and 0 for a square bracket.
func braceBit(c byte) uint64 { return uint64(c >> 5 & 1) }

// skipWithin skips the value at i, which is within depth arrays and objects. The low n bits of open, 64 at
// most, are the braceBits of the arrays and objects that are open within the value, the innermost lowest. If n is not 0 at
// first, i is the index after a value in the innermost. Deeper values are skipped by a recursive call for
// each 64 levels.
func (s *scanner) skipWithin(i, depth int, open uint64, n int) int {
	behind := n > 0
	for {
		switch c := s.at(i); {
		case behind:
			behind = false
		case c == '"':
			if end := s.plain(i + 1); s.at(end) == '"' && !s.strict {
				i = end + 1
			} else {
				i = s.skipRest(i+1, end)
			}
		case c-'0' <= 9 || c == '-':
			i = s.number(i)
		case c|0x20 != '{':
			i = s.literal(i)
		case depth+n == maxNesting:
			s.fail()
		case n == 64:
			i = s.skipWithin(i, depth+n, 0, 0)
		default:
			open, n = open<<1|braceBit(c), n+1
			if c == '{' && s.strict {
				s.names.begin(s)
			}
			if i = s.space(i + 1); s.at(i) != c+2 { // as ] and } are to [ and {
				if c == '{' {
					i = s.skipName(i)
				}
				continue
			}
		}
		for { // after a value, or at the end of an empty array or object
			if n == 0 {
				return i
			}
			c := s.at(i)
			if c <= ' ' {
				i = s.spaces(i)
				c = s.at(i)
			}
			brace := open & 1
			if c == ',' {
				if i = s.space(i + 1); brace != 0 {
					i = s.skipName(i)
				}
				break
			}
			if c != byte(']'|brace<<5) {
				s.fail()
			}
			if brace != 0 && s.strict {
				s.names.end()
			}
			i, open, n = i+1, open>>1, n-1
		}
	}
}

// skipName is name for a member that is skipped.
func (s *scanner) skipName(i int) int {
	if s.at(i) != '"' {
		s.fail()
	}
	end := s.plain(i + 1)
	if s.at(end) == '"' && !s.strict {
		i = end + 1
	} else {
		at := i
		i = s.skipRest(i+1, end)
		if s.strict {
			s.names.add(s, at, i)
		}
	}
	if s.at(i) != ':' {
		if i = s.space(i); s.at(i) != ':' {
			s.fail()
		}
	}
	return s.space(i + 1)
}

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
