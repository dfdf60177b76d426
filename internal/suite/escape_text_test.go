package suite

import (
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
)

// Long strings that partly overlap are copied as one piece, which takes a pre-scan that includes their bytes.
// Without them the copy would not end.
func TestEscapeOfTextsThatOverlap(t *testing.T) {
	a := arena.NewArena(4096, 0)
	text := strings.Repeat("0123456789", 40)
	s := a.AllocString(text)
	list := arena.SliceOf(a, s[100:200], s[:150], s[300:], s[299:399], s[:5])
	c := escaped(a, list)
	for i, want := range []string{text[100:200], text[:150], text[300:], text[299:399], text[:5]} {
		if c[i] != want {
			t.Errorf("string %d is %q", i, c[i])
		}
	}
	if unsafe.StringData(c[0]) != unsafe.StringData(c[1][100:]) {
		t.Error("they share their bytes no more")
	}
}

// A copy has the alignment of the original, also if the piece begins inside a word, because it may contain a
// number.
func TestEscapeKeepsAlignment(t *testing.T) {
	type view struct {
		from []byte
		n    *uint64
	}
	a := arena.NewArena(4096, 0)
	for from := 1; from < 9; from++ {
		b := a.AllocBytes(200)
		c := arena.Escape(a, view{b[from:], (*uint64)(unsafe.Pointer(&b[16]))})
		if p := uintptr(unsafe.Pointer(c.n)); p%8 != 0 || p-uintptr(unsafe.Pointer(&c.from[0])) != uintptr(16-from) {
			t.Errorf("from byte %d: a number at %#x, and the bytes at %p", from, p, &c.from[0])
		}
	}
}

// Several pieces that begin in the same 8 bytes are all found.
func TestEscapeOfPiecesInAWord(t *testing.T) {
	a := arena.NewArena(4096, 0)
	b := a.AllocBytes(8)
	c := arena.Escape(a, [4][]byte{b[:3], b[3:6], b[:3], b[3:6]})
	if &c[0][0] != &c[2][0] || &c[1][0] != &c[3][0] || &c[0][0] == &b[0] || &c[1][0] == &b[3] {
		t.Errorf("%p", c)
	}
}

// Strings of up to 64 bytes have their own bytes in a copy; longer ones keep sharing.
func TestEscapeOfShortTexts(t *testing.T) {
	a := arena.NewArena(4096, 0)
	for n := 63; n <= 66; n++ {
		s := a.AllocString(strings.Repeat("x", n))
		c := escaped(a, [2]string{s, s})
		if shared := unsafe.StringData(c[0]) == unsafe.StringData(c[1]); shared != (n > 64) || c[0] != c[1] || len(c[0]) != n {
			t.Errorf("%d bytes: shared: %v, %q", n, shared, c)
		}
	}
}

// A string over values with pointers, made with package unsafe, is copied as these values, so their targets
// also take part in the pre-scan.
func TestEscapeOfTextOverPointers(t *testing.T) {
	type holder struct {
		text  string
		parts []string
		rest  [16]int // longer than a short string, also on 32 bits
	}
	a := arena.NewArena(4096, 0)
	s := a.AllocString(strings.Repeat("0123456789", 40))
	h := arena.NewOf(a, holder{parts: arena.SliceOf(a, s[:100], s[50:150])})
	h.text = unsafe.String((*byte)(unsafe.Pointer(h)), unsafe.Sizeof(*h))
	c := escaped(a, h.text)
	got := (*holder)(unsafe.Pointer(unsafe.StringData(c)))
	if len(c) != int(unsafe.Sizeof(*h)) || unsafe.StringData(got.text) != unsafe.StringData(c) || got.parts[1][:5] != "01234" {
		t.Errorf("%+v", got)
	}
}

// A pointer to the end of one value and the start of the next, made with package unsafe, copies both values.
// Copied as one value, it would keep an arena pointer at an offset where the type has none.
func TestEscapeAcrossTwoValues(t *testing.T) {
	type pair struct {
		p *int
		n int
	}
	type across struct {
		n int
		p *int
	}
	a := arena.NewArena(4096, 0)
	s := arena.MakeSlice[pair](a, 2, 2)
	s[0].n, s[1].p = 1, arena.NewOf(a, 2)
	c := arena.Escape(a, (*across)(unsafe.Pointer(&s[0].n)))
	if c.p == s[1].p || c.n != 1 || *c.p != 2 {
		t.Errorf("%p of %p: %+v, %p leads to %d", c, s, *c, s[1].p, *c.p)
	}
}

// An empty value that points into the arena from a shared box must not keep the arena alive, also after a
// pre-scan.
func TestEscapeOfEmptyValuesInBoxes(t *testing.T) {
	type empties struct {
		s string
		b []byte
		x any // makes Escape record the values in it
	}
	type holder struct {
		x, y any
		m    map[string]*int
	}
	a := arena.NewArena(4096, 0)
	s, b := a.AllocString("text")[:0], a.AllocBytes(8)[:0]
	if c := arena.Escape(a, map[int]string{1: s}); unsafe.StringData(c[1]) != nil {
		t.Error("a map was shared whose empty string keeps the arena's memory alive")
	}
	for _, m := range []map[string]*int{nil, {"x": nil}} {
		c := arena.Escape(a, holder{empties{s, b, nil}, s, m})
		e := c.x.(empties)
		if p := unsafe.SliceData(e.b); p == unsafe.SliceData(b) || e.b == nil {
			t.Errorf("with map %v: the slice's pointer is %p", m, p)
		}
		for _, s := range []string{e.s, c.y.(string)} {
			if p := unsafe.StringData(s); p != nil {
				t.Errorf("with map %v: the string's pointer is %p", m, p)
			}
		}
	}
}

// Short strings share blocks of up to 128 bytes that are no larger than the strings copied before. An
// allocation per string would take a third of the time, and a full block for a single string would be kept
// alive with it.
func TestEscapeOfManyShortTexts(t *testing.T) {
	if check.On || check.Race || check.ASan || testing.CoverMode() != "" {
		t.Skip("the allocations of the plain build are counted")
	}
	const n = 20
	a := arena.NewArena(4096, 0)
	var texts [n]string
	for i := range texts {
		texts[i] = a.AllocString(strings.Repeat(string(rune('a'+i)), 40))
	}
	bytes := func(f func()) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	var c [n]string
	arena.Escape(a, &c) // compiles the type
	few, least := 100.0, uint64(1<<20)
	for range 5 { // the runtime and earlier tests also allocate
		few = min(few, testing.AllocsPerRun(10, func() { c = arena.Escape(a, texts) }))
		least = min(least, bytes(func() { sinkName = arena.Escape(a, texts[0]) }))
	}
	if c != texts {
		t.Errorf("%q", c)
	}
	if few > n/3+4 || least > 64 { // the result takes 16 if it is made by reflection
		t.Errorf("%v allocations for %d texts of 40 bytes, and %d bytes for one", few, n, least)
	}
}
