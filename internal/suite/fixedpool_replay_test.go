package suite

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/ebbpool/arena/fixedpool"
	"github.com/ebbpool/arena/internal/suite/model"
)

// fixedPool has the methods of both Pool and SyncPool.
type fixedPool[T any] interface {
	Allocate() *T
	Deallocate(*T)
	Owns(*T) bool
	Capacity() int
	Used() int
	Empty() bool
	Full() bool
	Stats() fixedpool.Stats
}

// misuses maps the misuses named in traces to Go's errors.
var misuses = map[model.Kind]error{
	model.Null:       fixedpool.ErrNil,
	model.Foreign:    fixedpool.ErrForeign,
	model.Other:      fixedpool.ErrForeign,
	model.End:        fixedpool.ErrForeign,
	model.Interior:   fixedpool.ErrInterior,
	model.Misaligned: fixedpool.ErrInterior,
	model.Double:     fixedpool.ErrDouble,
	model.Never:      fixedpool.ErrNeverAllocated,
}

// replayTrace runs a trace on a pool. stamp writes a number into a T and stamped reads it: slots in use must
// keep their numbers.
func replayTrace[T any](t testing.TB, trace model.Trace, p, other fixedPool[T], stamp func(*T, int), stamped func(*T) int) {
	t.Helper()
	stride := max(unsafe.Sizeof(*new(T)), 1)
	theirs := other.Allocate()
	slots := make([]*T, trace.Capacity) // addresses of slots, if known
	out := make(map[int]int)            // numbers of the slots in use
	var base unsafe.Pointer
	high := 0
	for i, op := range trace.Ops {
		give := func(x unsafe.Pointer) {
			t.Helper()
			checkMisuse(t, p, pointTo[T](x, 0), op)
		}
		switch op.Kind {
		case model.Alloc:
			x := p.Allocate()
			if (x == nil) != (op.Slot < 0) {
				t.Fatalf("call %d, %v: got %p", i, op, x)
			}
			if x == nil {
				break
			}
			if base == nil {
				base = unsafe.Pointer(x) // the first slot returned is slot 0
			}
			if at := uintptr(unsafe.Pointer(x)) - uintptr(base); at != uintptr(op.Slot)*stride {
				t.Fatalf("call %d, %v: got the address of byte %d", i, op, at)
			}
			if stamped(x) != 0 {
				t.Fatalf("call %d, %v: the slot is not zero", i, op)
			}
			stamp(x, i+1)
			slots[op.Slot], out[op.Slot] = x, i+1
		case model.Free:
			p.Deallocate(slots[op.Slot])
			delete(out, op.Slot)
		case model.Null:
			give(nil)
		case model.Foreign:
			give(unsafe.Pointer(new(T)))
		case model.Other:
			give(unsafe.Pointer(theirs))
		default:
			// The address of a slot that was not returned yet is computed from one that was. A new or empty
			// pool has none.
			if base == nil {
				continue
			}
			at := uintptr(op.Slot) * stride
			switch op.Kind {
			case model.End:
				// Go has no pointer past the end of an object: the collector would treat it as a pointer to
				// the next object. See TestPoolSlotNumbers for the arithmetic.
				continue
			case model.Interior:
				at += stride / 2
			case model.Misaligned:
				at++
			}
			checkMisuse(t, p, pointTo[T](base, at), op)
		}
		high = max(high, op.Used)
		if st := p.Stats(); p.Used() != op.Used || p.Capacity() != trace.Capacity || p.Empty() != (op.Used == 0) ||
			p.Full() != (op.Used == trace.Capacity) || st.Used != op.Used || st.Capacity != trace.Capacity || st.HighWater != high {
			t.Fatalf("call %d, %v: used %d of %d, empty %v, full %v, %+v", i, op, p.Used(), p.Capacity(), p.Empty(), p.Full(), st)
		}
		if op.Slot >= 0 && slots[op.Slot] != nil {
			if _, isOut := out[op.Slot]; p.Owns(slots[op.Slot]) != isOut {
				t.Fatalf("call %d, %v: Owns says %v", i, op, !isOut)
			}
		}
	}
	for s, want := range out {
		if got := stamped(slots[s]); got != want {
			t.Fatalf("slot %d holds %d, was given %d", s, got, want)
		}
	}
}

// pointTo returns a pointer as a program that misuses unsafe would.
//
//go:nocheckptr
func pointTo[T any](base unsafe.Pointer, off uintptr) *T { return (*T)(unsafe.Add(base, off)) }

func checkMisuse[T any](t testing.TB, p fixedPool[T], x *T, op model.Op) {
	t.Helper()
	defer func() {
		t.Helper()
		e, ok := recover().(*fixedpool.MisuseError)
		if !ok {
			t.Fatalf("%v was accepted", op)
		}
		if !errors.Is(e, misuses[op.Kind]) || e.Capacity != p.Capacity() || e.Error() == "" {
			t.Fatalf("%v is reported as %v", op, e)
		}
		if op.Slot >= 0 && e.Slot != op.Slot {
			t.Fatalf("%v is reported of slot %d", op, e.Slot)
		}
	}()
	p.Deallocate(x)
}

type fixedFlat struct{ n, _ int64 }

type fixedPtr struct {
	p *int
	_ [5]uintptr
	s string
}

func stampFlat(x *fixedFlat, n int) { x.n = int64(n) }
func stampedFlat(x *fixedFlat) int  { return int(x.n) }
func stampPtr(x *fixedPtr, n int)   { x.p, x.s = &n, "held by the slot" }

func stampedPtr(x *fixedPtr) int {
	if x.p == nil {
		return len(x.s)
	}
	return *x.p
}

// replayAll runs a trace on pools of several types.
func replayAll(t testing.TB, trace model.Trace) {
	c := trace.Capacity
	replayTrace(t, trace, fixedpool.New[fixedFlat](c), fixedpool.New[fixedFlat](1), stampFlat, stampedFlat)
	replayTrace(t, trace, fixedpool.New[fixedPtr](c), fixedpool.New[fixedPtr](1), stampPtr, stampedPtr)
	replayTrace(t, trace, fixedpool.NewSync[fixedPtr](c), fixedpool.NewSync[fixedPtr](1), stampPtr, stampedPtr)
}

// sharedTraces reads all traces, by file name.
func sharedTraces(t testing.TB) map[string]model.Trace {
	t.Helper()
	names, err := filepath.Glob("../../traces/*.trace")
	if err != nil || len(names) < 20 {
		t.Fatalf("found %d traces: %v", len(names), err)
	}
	traces := make(map[string]model.Trace, len(names))
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if traces[filepath.Base(name)], err = model.ParseTrace(string(text)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return traces
}

// The shared traces give the same answers in both languages.
func TestPoolTraces(t *testing.T) {
	for name, trace := range sharedTraces(t) {
		t.Run(name, func(t *testing.T) { replayAll(t, trace) })
	}
}

// BenchmarkFixedTraces replays all traces and compares every answer.
func BenchmarkFixedTraces(b *testing.B) {
	traces := sharedTraces(b)
	for b.Loop() {
		for _, trace := range traces {
			replayAll(b, trace)
		}
	}
}

// FuzzFixedPool replays traces that the model generates from arbitrary bytes.
func FuzzFixedPool(f *testing.F) {
	f.Add([]byte{1, 0, 3, 3, 0, 6, 14, 22, 30})
	f.Add([]byte{2, 0, 0, 0, 3, 4, 7, 15, 3, 3, 0, 0})
	f.Add([]byte{0, 0, 6, 7, 3})
	f.Fuzz(func(t *testing.T, data []byte) { replayAll(t, model.FuzzTrace(data)) })
}
