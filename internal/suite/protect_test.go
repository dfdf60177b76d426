//go:build arenacheck && !asan && (linux || darwin)

package suite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/guard"
	"github.com/ebbpool/arena/internal/testkit/turns"
)

// faultOf returns the error of ExplainFaults for a fault in f.
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

// sink keeps the compiler from removing a read.
var sink byte

// A stale access faults immediately, and the explanation names where the memory was taken back.
func TestFaultIsExplained(t *testing.T) {
	needsChecks(t)
	a := arena.NewArena(1024, 0)
	b, s := a.AllocBytes(10), a.AllocString("text")
	a.Reset()
	for name, access := range map[string]func(){
		"bytes, read":    func() { sink = b[3] },
		"bytes, written": func() { b[3] = 1 },
		"string":         func() { sink = s[0] },
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

// All of a slice of Uninit memory is filled with a recognizable pattern.
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

// The number of mappings of a process is limited. Beyond the bound memory is filled instead of protected, so
// that the runtime can still map memory.
func TestProtectionIsBounded(t *testing.T) {
	needsChecks(t)
	if testing.Short() {
		t.Skip("protects 20,000 chunks")
	}
	a := arena.NewArena(1024, 0)
	held := make([]*[64]byte, 0, guard.MostProtected+500)
	for range cap(held) {
		held = append(held, arena.New[[64]byte](a))
		a.Reset()
	}
	if n := guard.Protected(); n > guard.MostProtected || n < guard.MostProtected-1000 {
		t.Errorf("%d chunks are protected, the bound is %d", n, guard.MostProtected)
	}
	if last := held[len(held)-1]; last[0] != check.DeadByte || last[63] != check.DeadByte {
		t.Errorf("what is not protected holds %x", *last)
	}
	if faultOf(func() { sink = held[0][0] }) == nil {
		t.Error("the first chunk is not protected")
	}
	runtime.KeepAlive(held)
}

// Other panics pass through unchanged.
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

// Memory becomes unprotected again when nothing points to it, or the process would run out of mappings.
func TestProtectionIsGivenBack(t *testing.T) {
	needsChecks(t)
	a := arena.NewArena(1024, 0)
	for range 500 {
		a.AllocBytes(100)
		a.Reset()
	}
	for range 100 {
		runtime.GC()
		time.Sleep(time.Millisecond) // for the goroutine of finalizers
		if guard.Protected() < 100 {
			return
		}
	}
	t.Errorf("%d chunks are protected still", guard.Protected())
}

// Copying a value copies its padding, and assigning the zero value may leave padding unchanged. Neither must
// look like a write to a free slot.
func TestPaddingIsNotAWrite(t *testing.T) {
	needsChecks(t)
	type value struct {
		p *int
		b bool
	}
	p := fixedpool.New[value](1)
	x := p.Allocate()
	padding := (*byte)(unsafe.Add(unsafe.Pointer(x), unsafe.Offsetof(x.b)+3))
	*padding = 7 // like a copy of a value on the stack
	p.Deallocate(x)
	if got := panicOf(func() { p.Allocate() }); got != "" {
		t.Errorf("a slot with padding: %q", got)
	}
	p = fixedpool.New[value](1)
	x = p.Allocate()
	p.Deallocate(x)
	x.b = true // a real write
	if got := panicOf(func() { p.Allocate() }); !strings.Contains(got, "was written after it was given back") {
		t.Errorf("a written slot: %q", got)
	}
}

// After the report of a written free slot the pool stays usable, with the other slots and without a held
// lock.
func TestAWrittenSlotLeavesThePoolAsItWas(t *testing.T) {
	needsChecks(t)
	p := fixedpool.NewSync[uint64](4)
	x := p.Allocate()
	p.Deallocate(x)
	*x = 1
	before := p.Stats()
	if got := panicOf(func() { p.Allocate() }); !strings.HasPrefix(got, "fixedpool: SyncPool.Allocate: slot 0 was written") {
		t.Fatalf("a written slot: %q", got)
	}
	stats := make(chan fixedpool.Stats, 1)
	go func() { stats <- p.Stats() }()
	select {
	case after := <-stats:
		if after != before {
			t.Errorf("%+v, before the report %+v", after, before)
		}
	case <-time.After(10 * time.Minute):
		t.Fatal("the pool stays locked")
	}
	*x = binary.NativeEndian.Uint64(bytes.Repeat([]byte{check.DeadByte}, 8))
	if p.Allocate() != x {
		t.Error("the slot was lost")
	}
}

// With many marks that each begin a chunk, the checks must not read all chunks again for each new one.
func TestManyMarksAreNotQuadratic(t *testing.T) {
	needsChecks(t)
	if check.Race {
		t.Skip("everything takes longer")
	}
	a := arena.NewArena(64<<10, 0)
	began := turns.ProcessorTime()
	for range 6000 {
		a.Mark()
		arena.New[int](a)
	}
	a.Reset()
	if took := turns.ProcessorTime() - began; took > 3*time.Second {
		t.Errorf("6000 marks took %v", took)
	}
}
