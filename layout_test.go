package arena

import (
	"reflect"
	"testing"
	"unsafe"
)

// A1: an interface is two words, the first of which is the descriptor, one
// for each type. Without it keyOf reads something else.
func TestAssumption1Interface(t *testing.T) {
	skipPortable(t)
	if s := unsafe.Sizeof(any(nil)); s != 2*unsafe.Sizeof(uintptr(0)) {
		t.Fatalf("an interface has %d bytes", s)
	}
	type other int
	if keyOf(int(1)) != keyOf(int(2)) || keyOf(int(1)) == keyOf(other(1)) {
		t.Error("descriptors don't tell types apart")
	}
	if keyOf(reflect.New(reflect.TypeFor[other]()).Elem().Interface()) != keyOf(other(0)) {
		t.Error("a value made by reflection has another descriptor")
	}
}

// A2: a descriptor begins with the size and the length of the prefix with
// pointers. Without it pointers end up where the collector doesn't look. The
// types are more, and other ones, than those that the start-up check tries.
func TestAssumption2Descriptor(t *testing.T) {
	skipPortable(t)
	checkDescriptor[struct{}](t)
	checkDescriptor[[0]*int](t)
	checkDescriptor[[100]byte](t)
	checkDescriptor[uintptr](t)
	checkDescriptor[bool](t)
	checkDescriptor[float32](t)
	checkDescriptor[unsafe.Pointer](t)
	checkDescriptor[struct {
		a [1000]byte
		p *int
	}](t)
	checkDescriptor[struct {
		p *int
		a [1000]byte
	}](t)
	checkDescriptor[[3]struct {
		n int
		f func()
	}](t)
	checkDescriptor[reflect.Value](t)
	checkDescriptor[interface{ M() }](t)
	checkDescriptor[chan<- int](t)
	checkDescriptor[map[string]int](t)
}

func checkDescriptor[T any](t *testing.T) {
	t.Helper()
	typ := reflect.TypeFor[T]()
	d := keyOf(box[T]{})
	if d.size != typ.Size() {
		t.Errorf("%v: size %d, is %d", typ, d.size, typ.Size())
	}
	// A type of no size holds no pointer, whatever its elements.
	if has := reflectPointers(typ); (d.ptrBytes != 0) != has {
		t.Errorf("%v: pointers in %d bytes, reflect says %v", typ, d.ptrBytes, has)
	}
	if !layoutHolds[T]() {
		t.Errorf("%v: the start-up check would fail", typ)
	}
}

// A3: flat chunks are aligned for every type without pointers, whatever their
// size.
func TestAssumption3Alignment(t *testing.T) {
	for n := uintptr(8); n <= 1<<16; n += 8 + n/8*8 {
		if p := uintptr(makeFlat(n)); p%8 != 0 {
			t.Errorf("a chunk of %d bytes begins at %#x", n, p)
		}
	}
	if a := unsafe.Alignof(complex128(0)); a > flatAlign {
		t.Errorf("complex128 needs an alignment of %d", a)
	}
}

// A4 is what torture_test.go tries: pointers to every part of a chunk, through
// collections.

// The start-up check must be able to fail: it compares with reflect, so a
// type that reflect sees differently is found.
func TestStartUpCheckCanFail(t *testing.T) {
	skipPortable(t)
	d := *keyOf(box[string]{})
	if d.ptrBytes == 0 || d.ptrBytes > d.size {
		t.Fatalf("string: %+v", d)
	}
	if !checkLayout() {
		t.Error("the check fails on the toolchain that it was written for")
	}
	if portable || *noLayout {
		return
	}
	a := NewArena(1024, 0)
	if a.side != nil {
		t.Error("an arena uses reflection although the check holds")
	}
}

// Where the check fails no fast path may be taken: it would trust what it
// reads from descriptors.
func TestFailedCheckUsesReflection(t *testing.T) {
	if portable {
		t.Skip("there is no check")
	}
	was := layoutOK
	layoutOK = false
	defer func() { layoutOK = was }()
	a := NewArena(1024, 0)
	for range 100 {
		New[int](a)
		New[*int](a)
		a.AllocString("text")
		if a.flat.hi != 0 || a.types.slots != &vacantSlots {
			t.Fatal("a fast path has memory")
		}
	}
	if got, want := a.UsedBytes(), 100*(8+int(unsafe.Sizeof(uintptr(0)))+4); got != want {
		t.Errorf("%d bytes in use, want %d", got, want)
	}
}

func skipPortable(t *testing.T) {
	if portable {
		t.Skip("this build reads no descriptors")
	}
}
