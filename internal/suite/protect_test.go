//go:build arenacheck && !asan && (linux || darwin)

package suite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
)

// faultOf returns what ExplainFaults makes of a fault in f.
func faultOf(f func()) (fault *arena.FaultError) {
	defer func() {
		if err, ok := recover().(error); ok {
			errors.As(err, &fault)
		}
	}()
	defer arena.ExplainFaults()
	f()
	return nil
}

// sink keeps the compiler from leaving out a read.
var sink byte

// A stale access faults at once, and what is told of it names the places where
// the memory was taken back: without that, an address is all that there is.
func TestFaultIsExplained(t *testing.T) {
	needsChecks(t)
	a := arena.NewArena(1024, 0)
	b, s := a.AllocBytes(10), a.AllocString("text")
	a.Reset()
	slab := arena.NewSlab[[2]int](10)
	x := slab.New()
	slab.Release()
	for name, access := range map[string]func(){
		"bytes, read":    func() { sink = b[3] },
		"bytes, written": func() { b[3] = 1 },
		"string":         func() { sink = s[0] },
		"slab":           func() { sink = byte(x[0]) },
	} {
		fault := faultOf(access)
		if fault == nil {
			t.Errorf("%s: no fault", name)
			continue
		}
		if text := fault.Error(); !strings.Contains(text, "protect_test.go") || !strings.Contains(text, "took memory back at:") {
			t.Errorf("%s: the text does not say where the memory was taken back:\n%s", name, text)
		}
		if errors.Unwrap(fault) == nil {
			t.Errorf("%s: the runtime's error is lost", name)
		}
	}
}

// What a stale value with pointers holds is recognisable, and leads nowhere.
func TestDeadValues(t *testing.T) {
	needsChecks(t)
	type value struct {
		p    *int
		s    string
		b    []byte
		i    any
		n    int
		m    map[int]int
		many [2]*int
	}
	a := arena.NewArena(1024, 0)
	x := arena.New[value](a)
	x.p, x.s, x.b, x.i, x.n = new(int), "text", []byte("bytes"), 5, 7
	x.many[1] = new(int)
	a.Reset()
	runtime.GC() // must be able to look at it
	if len(x.s) != check.DeadLen || len(x.b) != check.DeadLen || x.n != check.DeadLen || x.p == nil || x.many[1] == nil || x.m == nil {
		t.Errorf("len(s) %d, len(b) %d, n %d, p %p", len(x.s), len(x.b), x.n, x.p)
	}
	for name, access := range map[string]func(){
		"pointer":   func() { *x.p = 1 },
		"string":    func() { sink = x.s[10] },
		"slice":     func() { x.b[0] = 1 },
		"interface": func() { _ = x.i.(error).Error() },
		"map":       func() { x.m[1] = 1 },
		"array":     func() { *x.many[1] = 1 },
	} {
		fault := faultOf(access)
		if fault == nil {
			t.Errorf("%s: no fault", name)
		} else if text := fault.Error(); !strings.Contains(text, "TestDeadValues") || !strings.Contains(text, "Reset took memory back at:") {
			t.Errorf("%s: the text does not say which life the memory was of:\n%s", name, text)
		}
	}
}

// Every object of a chunk gets dead values, not only the first: the others would
// go on as if nothing had happened.
func TestEveryObjectGetsDeadValues(t *testing.T) {
	needsChecks(t)
	type value struct {
		n int
		p *int
		s string
	}
	a, slab := arena.NewArena(4096, 0), arena.NewSlab[value](10)
	var values []*value
	for range 20 {
		for _, x := range []*value{arena.New[value](a), slab.New(), &arena.MakeSlice[value](a, 3, 3)[2]} {
			x.n, x.p, x.s = 1, new(int), "text"
			values = append(values, x)
		}
	}
	a.Reset()
	slab.Reset()
	for i, x := range values {
		if x.n != check.DeadLen || len(x.s) != check.DeadLen || faultOf(func() { *x.p = 1 }) == nil {
			t.Fatalf("value %d goes on as n %d, p %p", i, x.n, x.p)
		}
	}
}

// What is read from Uninit memory before it is written must be recognisable, in
// the whole slice.
func TestUninitIsMarked(t *testing.T) {
	needsChecks(t)
	a := arena.NewArena(4096, 0)
	arena.New[int](a)
	for _, n := range []int{1, 31, 32, 33, 1000, 10_000} {
		b := arena.MakeSliceUninit[byte](a, n, n)
		if !bytes.Equal(b, bytes.Repeat([]byte{check.FreeByte}, n)) {
			t.Errorf("%d bytes are %x", n, b[:min(n, 64)])
		}
	}
}

// A process may have only so many mappings: beyond the bound memory is filled
// instead, or the runtime could not map any more itself.
func TestProtectionIsBounded(t *testing.T) {
	needsChecks(t)
	if testing.Short() {
		t.Skip("protects 20,000 chunks")
	}
	a := arena.NewArena(1024, 0)
	held := make([]*[64]byte, 0, check.MostProtected+500)
	for range cap(held) {
		held = append(held, arena.New[[64]byte](a))
		a.Reset()
	}
	if n := check.Protected(); n > check.MostProtected || n < check.MostProtected-1000 {
		t.Errorf("%d chunks are protected, the bound is %d", n, check.MostProtected)
	}
	if last := held[len(held)-1]; last[0] != check.DeadByte || last[63] != check.DeadByte {
		t.Errorf("what is not protected holds %x", *last)
	}
	if faultOf(func() { sink = held[0][0] }) == nil {
		t.Error("the first chunk is not protected")
	}
	runtime.KeepAlive(held)
}

type tree struct {
	left, right *tree
	name        string
}

func grow(a *arena.Arena, depth int) *tree {
	if depth == 0 {
		return nil
	}
	x := arena.New[tree](a)
	x.left, x.right, x.name = grow(a, depth-1), grow(a, depth-1), a.AllocString("node")
	return x
}

//go:noinline
func takeBack(a *arena.Arena) { a.Reset() }

//go:noinline
func takeBackToo(a *arena.Arena) { a.Release() }

// Each life's dead pointers lead to that life: a message that named another one
// would send its reader to the wrong place. Many lives later it must say that it
// can't be sure.
func TestDeadPointersTellTheirLife(t *testing.T) {
	needsChecks(t)
	a := arena.NewArena(1024, 0)
	first := grow(a, 3)
	takeBack(a)
	second := grow(a, 3)
	takeBackToo(a)
	for i, stale := range []*tree{first, second} {
		fault := faultOf(func() { sink = stale.left.left.name[0] })
		if fault == nil {
			t.Fatal("no fault")
		}
		want, other := "suite.takeBack\n", "suite.takeBackToo\n"
		if i == 1 {
			want, other = other, want
		}
		if text := fault.Error(); !strings.Contains(text, want) || strings.Contains(text, other) {
			t.Errorf("tree %d: %s", i, text)
		}
	}
	for range check.Graves {
		arena.New[*int](a)
		a.Reset()
	}
	if fault := faultOf(func() { sink = first.left.name[0] }); fault == nil || !strings.Contains(fault.Error(), "lives before it") {
		t.Errorf("after %d lives: %v", check.Graves, fault)
	}
}

// Other panics must pass through as they are.
func TestExplainLeavesOtherPanicsAlone(t *testing.T) {
	for _, want := range []any{"text", errors.New("an error"), 7} {
		got := func() (got any) {
			defer func() { got = recover() }()
			defer arena.ExplainFaults()
			panic(want)
		}()
		if got != want {
			t.Errorf("%v became %v", want, got)
		}
	}
}

// Each overrun is found, at either end of a chunk and between its values. The
// checks would be worth little if they only looked behind the newest value.
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

// The end of a C string is a zero, and large values end where their chunk does.
// Room of zeros behind a value, and no zone behind the last one, hid both.
func TestOverrunByAZero(t *testing.T) {
	needsChecks(t)
	small, large := arena.NewSlab[[3]byte](1), arena.NewSlab[[100]byte](10)
	defer func() { runtime.KeepAlive(small); runtime.KeepAlive(large) }()
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
		"small slab": func(*arena.Arena) ([]byte, func()) { x := small.New(); return x[:], small.Reset },
		"large slab": func(*arena.Arena) ([]byte, func()) {
			x := large.MakeSlice(10, 10)
			return x[9][:], large.Reset
		},
	} {
		for _, offset := range []int{0, 1, 7, 15} {
			a := arena.NewArena(1024, 0)
			b, end := f(a)
			if offset > 0 && (name == "small slab" || name == "above a string") {
				continue // there is less between the two
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

// An overrun is found before anything is taken back, in whichever chunk it is.
// A half-buried arena answered every later call with a fault of the check itself.
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

// What was written far beyond the end, into room, is found when the next chunk
// is begun, or the memory taken back. It was called an internal error, which sends one looking in the wrong
// place.
func TestOverrunIntoRoom(t *testing.T) {
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

// What is protected must be given back its protection when nothing points to
// it, or the process runs out of mappings.
func TestProtectionIsGivenBack(t *testing.T) {
	needsChecks(t)
	a := arena.NewArena(1024, 0)
	for range 500 {
		a.AllocBytes(100)
		a.Reset()
	}
	for range 100 {
		runtime.GC()
		time.Sleep(time.Millisecond) // the finalizers' goroutine
		if check.Protected() < 100 {
			return
		}
	}
	t.Errorf("%d chunks are protected still", check.Protected())
}

// A copy of a whole value takes its padding along, and assigning the zero value
// may leave that as it is. It must not look like a write to a free slot.
func TestPaddingIsNotAWrite(t *testing.T) {
	needsChecks(t)
	type value struct {
		p *int
		b bool
	}
	p := arena.NewFixedPool[value](1)
	x := p.Allocate()
	padding := (*byte)(unsafe.Add(unsafe.Pointer(x), unsafe.Offsetof(x.b)+3))
	*padding = 7 // as a copy does from a value on the stack
	p.Deallocate(x)
	if got := panicOf(func() { p.Allocate() }); got != "" {
		t.Errorf("a slot with padding: %q", got)
	}
	p = arena.NewFixedPool[value](1)
	x = p.Allocate()
	p.Deallocate(x)
	x.b = true // this is one
	if got := panicOf(func() { p.Allocate() }); !strings.Contains(got, "was written after it was given back") {
		t.Errorf("a written slot: %q", got)
	}
}

// The report of a written slot must not cost more than it: a server that
// recovers from it goes on with the other slots, and with the lock free.
func TestAWrittenSlotLeavesThePoolAsItWas(t *testing.T) {
	needsChecks(t)
	p := arena.NewSyncFixedPool[uint64](4)
	x := p.Allocate()
	p.Deallocate(x)
	*x = 1
	before := p.Stats()
	if got := panicOf(func() { p.Allocate() }); !strings.HasPrefix(got, "arena: SyncFixedPool.Allocate: slot 0 was written") {
		t.Fatalf("a written slot: %q", got)
	}
	stats := make(chan arena.FixedStats, 1)
	go func() { stats <- p.Stats() }()
	select {
	case after := <-stats:
		if after != before {
			t.Errorf("%+v, before the report %+v", after, before)
		}
	case <-time.After(time.Minute):
		t.Fatal("the pool stays locked")
	}
	*x = binary.NativeEndian.Uint64(bytes.Repeat([]byte{check.DeadByte}, 8))
	if p.Allocate() != x {
		t.Error("the slot was lost")
	}
}

// The checks of a life with many marks, each of which begins a chunk, must not
// read all chunks again for every new one: that took minutes for lives that
// take milliseconds in a plain build.
func TestManyMarksAreNotQuadratic(t *testing.T) {
	needsChecks(t)
	if check.Race {
		t.Skip("everything takes longer")
	}
	a := arena.NewArena(64<<10, 0)
	began := time.Now()
	for range 6000 {
		a.Mark()
		arena.New[int](a)
	}
	a.Reset()
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("6000 marks took %v", took)
	}
}
