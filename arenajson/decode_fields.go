package arenajson

import (
	"encoding/binary"
	"math/bits"
	"reflect"
	"unicode"
	"unicode/utf8"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// decFields are those of a struct, and how they are found by their names.
type decFields struct {
	all []decField // in the order of the struct

	// A name is looked up by its length and its first eight bytes, in a table of a
	// power of two with at least as many vacant places; who comes to a place that is
	// taken goes on to the next.
	table []uint16 // an index of all, plus one
	shift uint8

	// Names that differ in the case of letters: by what all spellings have in common. A name
	// in ASCII is looked up in upper case, in a table like the other one.
	folded map[string]int
	uppers []uint16
}

// decField is a field of a struct, with what reading it takes.
type decField struct {
	// How a member begins that has the field: the name in quotes. word is the first eight
	// bytes of that, and mask says which of them count; tail is the last eight of what is
	// longer, second the eight that follow word, and middle what is between these.
	word, mask   uint64
	second, tail uint64
	length       int

	prog   *decProgram
	offset uintptr
	op     decOp // prog's, of strings and integers that are plain
	quoted bool
	plain  bool // not quoted, and in the struct itself

	name   string
	upper  string // what appendFolded makes of it
	middle string
	hops   []*decProgram // of the structs that embedded pointers on the way lead to
	via    []hop

	path []string // what errors say of where it is: names of embedded structs, and its own
}

func newDecFields(t reflect.Type) *decFields {
	m := &decFields{folded: map[string]int{}}
	for _, f := range fieldsOf(t) {
		quoted := f.quoted && !standardIgnoresQuotes(f.typ)
		x := decField{name: f.name, prog: compileDec(f.typ), via: f.hops, offset: f.offset, quoted: quoted, plain: !quoted && len(f.hops) == 0}
		for _, h := range f.hops {
			x.hops = append(x.hops, compileDec(h.typ))
		}
		for k := range f.index[:len(f.index)-1] {
			x.path = append(x.path, t.FieldByIndex(f.index[:k+1]).Name)
		}
		x.path = append(x.path, f.name)
		if x.plain {
			x.op = x.prog.op // of others it may not be known yet
		}
		x.setBegin()
		x.upper = string(appendFolded(nil, f.name))
		m.all = append(m.all, x)
		// Of names that fold to the same, the first wins; on v2 the least deep one.
		if at := m.folded[x.upper]; at == 0 || onV2 && len(x.path) < len(m.all[at-1].path) {
			m.folded[x.upper] = len(m.all)
		}
	}
	size := 1 << bits.Len(uint(2*len(m.all)))
	m.table, m.shift = make([]uint16, size), uint8(64-bits.Len(uint(size-1)))
	for i := range m.all {
		at := m.place(m.all[i].name)
		for m.table[at] != 0 {
			at = (at + 1) % len(m.table)
		}
		m.table[at] = uint16(i + 1)
	}
	m.uppers = make([]uint16, size)
	for key, i := range m.folded {
		at := m.place(key)
		for m.uppers[at] != 0 {
			at = (at + 1) % len(m.uppers)
		}
		m.uppers[at] = uint16(i)
	}
	return m
}

// setBegin sets what is known of how a member of the field begins.
func (f *decField) setBegin() {
	s := `"` + f.name + `"`
	f.length = len(s)
	f.word, f.mask = firstWord(s)
	if len(s) > 8 {
		f.tail = xunsafe.Text64(s, len(s)-8)
	}
	if len(s) > 16 {
		f.second = xunsafe.Text64(s, 8)
	}
	if len(s) > 24 {
		f.middle = s[16 : len(s)-8]
	}
}

// firstWord is the first eight bytes of s, and which of them it has.
func firstWord(s string) (word, mask uint64) {
	for i := range min(len(s), 8) {
		word |= uint64(s[i]) << (8 * i)
		mask |= 0xff << (8 * i)
	}
	return word, mask
}

// place is where name is looked for first.
func (m *decFields) place(name string) int {
	w := uint64(len(name))
	if len(name) >= 8 {
		w += xunsafe.Text64(name, 0) ^ xunsafe.Text64(name, len(name)-8)<<1
	} else {
		first, _ := firstWord(name)
		w += first
	}
	return int(w * 0x9e3779b97f4a7c15 >> m.shift)
}

// find returns the index of the field with that name, or one that differs in the
// case of letters only if exact doesn't forbid it; -1 if there is none.
func (m *decFields) find(name string, exact bool) int {
	for at := m.place(name); ; at = (at + 1) % len(m.table) {
		i := int(m.table[at]) - 1
		if i < 0 {
			break
		}
		if m.all[i].name == name {
			return i
		}
	}
	if exact || len(m.all) == 0 {
		return -1
	}
	var buf [64]byte
	if len(name) > len(buf) || !upperASCII(&buf, name) {
		return m.folded[string(appendFolded(buf[:0], name))] - 1
	}
	upper := xunsafe.ViewString(buf[:len(name)])
	for at := m.place(upper); ; at = (at + 1) % len(m.uppers) {
		i := int(m.uppers[at]) - 1
		if i < 0 || m.all[i].upper == upper {
			return i
		}
	}
}

// upperASCII sets b to name in upper case, and reports whether name is in ASCII. No rune that
// differs from an ASCII letter only in case is below its upper case, so that is what appendFolded
// makes of it.
func upperASCII(b *[64]byte, name string) bool {
	const ones = 0x0101010101010101
	i := 0
	for ; i+8 <= len(name); i += 8 {
		w := xunsafe.Text64(name, i)
		if w&(0x80*ones) != 0 {
			return false
		}
		lower := (w + (0x80-'a')*ones) &^ (w + (0x7f-'z')*ones) & (0x80 * ones)
		binary.LittleEndian.PutUint64(b[i:], w-lower>>2)
	}
	for ; i < len(name); i++ {
		c := name[i]
		if c >= 0x80 {
			return false
		}
		if c-'a' < 26 {
			c -= 'a' - 'A'
		}
		b[i] = c
	}
	return true
}

// appendFolded appends name to b, with in place of each rune the least one that differs from it only in
// case, as encoding/json compares names.
func appendFolded(b []byte, name string) []byte {
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		i += size
		for {
			next := unicode.SimpleFold(r)
			if next <= r {
				r = next
				break
			}
			r = next
		}
		b = utf8.AppendRune(b, r)
	}
	return b
}
