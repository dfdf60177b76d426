//go:build arenacheck && !asan && (linux || darwin)

package suite

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
)

// Overruns are found at either end of a chunk and between its values, not only after the newest value.
func TestOverrun(t *testing.T) {
	needsChecks(t)
	for name, f := range map[string]func(a *arena.Arena) *byte{
		"object": func(a *arena.Arena) *byte { return (*byte)(unsafe.Pointer(arena.New[[8]byte](a))) },
		"first of two": func(a *arena.Arena) *byte {
			x := arena.New[[8]byte](a)
			arena.New[[8]byte](a)
			return &x[0]
		},
		"bytes": func(a *arena.Arena) *byte { return &a.AllocBytes(8)[0] },
		"string": func(a *arena.Arena) *byte {
			s := a.AllocString("12345678")
			a.AllocString("another")
			return unsafe.StringData(s)
		},
		"grown slice": func(a *arena.Arena) *byte {
			s := arena.Append(a, a.AllocBytes(0), 1, 2, 3, 4, 5, 6, 7, 8)
			s = arena.Append(a, s[:8:8], 9)
			return (*byte)(unsafe.Add(unsafe.Pointer(&s[0]), cap(s)-8))
		},
	} {
		a := arena.NewArena(1024, 0)
		p := f(a)
		*(*byte)(unsafe.Add(unsafe.Pointer(p), 8)) = 1
		if got := panicOf(a.Reset); !strings.Contains(got, "something wrote beyond the end of its value") {
			t.Errorf("%s: %q", name, got)
		}
		b := arena.NewArena(1024, 0)
		q := f(b)
		for i := range 8 {
			*(*byte)(unsafe.Add(unsafe.Pointer(q), i)) = 1
		}
		if got := panicOf(b.Reset); got != "" {
			t.Errorf("%s: within its end: %q", name, got)
		}
	}
}

// An overrun by a zero byte is found, as at the end of a C string, and also after a large value that ends
// with its chunk.
func TestOverrunByAZero(t *testing.T) {
	needsChecks(t)
	for name, f := range map[string]func(a *arena.Arena) (b []byte, end func()){
		"newest":    func(a *arena.Arena) ([]byte, func()) { return a.AllocBytes(16), a.Reset },
		"padded":    func(a *arena.Arena) ([]byte, func()) { return a.AllocBytes(3), a.Reset },
		"own chunk": func(a *arena.Arena) ([]byte, func()) { a.AllocBytes(1); return a.AllocBytes(100_000), a.Reset },
		"page":      func(a *arena.Arena) ([]byte, func()) { return a.AllocBytes(os.Getpagesize()), a.Reset },
		"first of two": func(a *arena.Arena) ([]byte, func()) {
			b := a.AllocBytes(5)
			a.AllocBytes(8)
			return b, a.Reset
		},
		"string": func(a *arena.Arena) ([]byte, func()) {
			s := a.AllocString("12345678")
			return unsafe.Slice(unsafe.StringData(s), len(s)), a.Reset
		},
		"above a string": func(a *arena.Arena) ([]byte, func()) {
			b := a.AllocBytes(900)
			a.AllocString("the rest of the chunk, or nearly so, up to the newest object's end")
			return b, a.Reset
		},
		"grown slice": func(a *arena.Arena) ([]byte, func()) {
			s := arena.Append(a, arena.Append(a, a.AllocBytes(0), 1), make([]byte, 70)...)
			return s[:cap(s)], a.Reset
		},
		"grown with padding": func(a *arena.Arena) ([]byte, func()) {
			s := arena.Append(a, arena.Append(a, nil, [3]byte{}), make([][3]byte, 100)...)
			return unsafe.Slice(&s[0][0], 3*cap(s)), a.Reset
		},
	} {
		for _, offset := range []int{0, 1, 7, 15} {
			a := arena.NewArena(1024, 0)
			b, end := f(a)
			if offset > 0 && name == "above a string" {
				continue // the gap is smaller
			}
			behind := (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), len(b)+offset))
			*behind = 0
			got := panicOf(end)
			if want := strconv.Itoa(offset) + " bytes behind the end of a value of "; !strings.Contains(got, want) {
				t.Errorf("%s, at %d: %q, want %q", name, offset, got, want)
			}
			*behind = check.FreeByte
			if got := panicOf(end); got != "" {
				t.Errorf("%s, at %d: as it was, and %q", name, offset, got)
			}
		}
	}
}

// An overrun in any chunk is found before any memory is taken back, so that the arena stays usable.
func TestOverrunChangesNothing(t *testing.T) {
	needsChecks(t)
	p := arena.NewArenaPool(1024, 0)
	a := p.Get()
	m := a.Mark()
	var b []byte
	for i := range 100 {
		if c := a.AllocBytes(100); i == 50 {
			b = c
		}
	}
	*(*byte)(unsafe.Add(unsafe.Pointer(&b[0]), 100)) = 1
	before, stats := a.Stats(), p.Stats()
	for name, f := range map[string]func(){
		"Reset": a.Reset, "Release": a.Release, "Rewind": func() { a.Rewind(m) }, "Put": func() { p.Put(a) },
	} {
		if got := panicOf(f); !strings.Contains(got, "something wrote beyond the end of its value") {
			t.Errorf("%s: %q", name, got)
		}
		if after := a.Stats(); after != before || p.Stats() != stats {
			t.Errorf("%s changed %+v to %+v, or %+v to %+v", name, before, after, stats, p.Stats())
		}
	}
	*(*byte)(unsafe.Add(unsafe.Pointer(&b[0]), 100)) = check.FreeByte
	if p.Put(a); p.Stats().Puts != 1 {
		t.Errorf("%+v", p.Stats())
	}
}

// A write far beyond a value's end, into free memory, is found when the next chunk begins or the memory is
// taken back. It is reported as an overrun, not as an internal error.
func TestOverrunIntoFreeMemory(t *testing.T) {
	needsChecks(t)
	a := arena.NewArena(1024, 0)
	b := a.AllocBytes(800)
	*(*byte)(unsafe.Add(unsafe.Pointer(&b[0]), 900)) = 1
	for name, f := range map[string]func(){"Reset": a.Reset, "AllocBytes": func() { a.AllocBytes(300) }} {
		if got := panicOf(f); !strings.Contains(got, "something wrote beyond the end of its value") {
			t.Errorf("%s: %q", name, got)
		}
	}
}
