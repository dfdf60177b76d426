package machine

import (
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// A1: an interface is two words; the first is the type descriptor, one per type. KeyOf depends on it.
func TestAssumption1Interface(t *testing.T) {
	skipHeapOnly(t)
	if s := unsafe.Sizeof(any(nil)); s != 2*unsafe.Sizeof(uintptr(0)) {
		t.Fatalf("an interface has %d bytes", s)
	}
	type other int
	if KeyOf(new(int)) != KeyOf((*int)(nil)) || KeyOf(new(int)) == KeyOf(new(other)) {
		t.Error("descriptors don't tell types apart")
	}
	if KeyOf(reflect.New(reflect.TypeFor[other]()).Interface()) != KeyOf((*other)(nil)) {
		t.Error("a value made by reflection has another descriptor")
	}
}

// A2: a descriptor begins with the size and the length of the prefix with pointers. Otherwise pointers would
// be stored where the collector does not look. The types are more than those of the start-up check.
func TestAssumption2Descriptor(t *testing.T) {
	skipHeapOnly(t)
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
	d := KeyOf((*T)(nil))
	if d.size != typ.Size() {
		t.Errorf("%v: size %d, is %d", typ, d.size, typ.Size())
	}
	// A type of size zero holds no pointer, whatever its elements.
	if has := CanPoint(typ); (d.PtrBytes != 0) != has {
		t.Errorf("%v: pointers in %d bytes, reflect says %v", typ, d.PtrBytes, has)
	}
	if !layoutHolds[T]() {
		t.Errorf("%v: the start-up check would fail", typ)
	}
}

// A3: noscan chunks are aligned for every pointer-free type, whatever their size.
func TestAssumption3Alignment(t *testing.T) {
	for n := uintptr(8); n <= 1<<16; n += 8 + n/8*8 {
		if p := uintptr(MakeNoscan(n)); p%8 != 0 {
			t.Errorf("a chunk of %d bytes begins at %#x", n, p)
		}
	}
	if a := unsafe.Alignof(complex128(0)); a > NoscanAlign {
		t.Errorf("complex128 needs an alignment of %d", a)
	}
}

// A4 is tested in the suite's torture_test.go: pointers to every part of a chunk, across collections.

// A5: a pointer type's descriptor refers to that of its element. KeyOf depends on it. The types include
// interfaces and types that are pointers themselves.
func TestAssumption5PointerDescriptor(t *testing.T) {
	skipHeapOnly(t)
	for _, holds := range []bool{
		leadsTo[int](), leadsTo[**int](), leadsTo[error](), leadsTo[any](), leadsTo[struct{}](),
		leadsTo[[0]string](), leadsTo[map[string]int](), leadsTo[func(int) string](), leadsTo[[1 << 20]string](),
		leadsTo[unsafe.Pointer](), leadsTo[reflect.Value](), leadsTo[chan struct{ a, b string }](),
	} {
		if !holds {
			t.Error("a pointer's descriptor does not lead to its element's")
		}
	}
	if KeyOf((*error)(nil)).Bits() == reflect.ValueOf(reflect.TypeFor[any]()).Pointer() {
		t.Error("two types have one descriptor")
	}
}

// A6: SliceAt builds slices from address, length and capacity.
func TestAssumption6Slice(t *testing.T) {
	skipHeapOnly(t)
	var array [9]uint32
	s := SliceAt[uint32](xunsafe.Pointer(&array), 8, 3, 6)
	if !sliceHolds() || &s[0] != &array[2] || len(s) != 3 || cap(s) != 6 {
		t.Errorf("%v, length %d, capacity %d", &s[0], len(s), cap(s))
	}
}

// The start-up check can fail: it compares with package reflect and finds a type that differs.
func TestStartUpCheckCanFail(t *testing.T) {
	skipHeapOnly(t)
	d := *KeyOf((*string)(nil))
	if d.PtrBytes == 0 || uintptr(d.PtrBytes) > d.size {
		t.Fatalf("string: %+v", d)
	}
	if !checkLayout() {
		t.Error("the check fails on the toolchain that it was written for")
	}
	if r := new(Region); r.InHeapMode() {
		t.Error("a region is in heap mode although the check holds")
	}
}

// If the check fails, no fast path is taken, because it would rely on descriptors.
func TestFailedCheckIsHeapMode(t *testing.T) {
	was := LayoutOK
	LayoutOK = false
	defer func() { LayoutOK = was }()
	var r Region
	r.Init(1024, 0)
	for range 100 {
		New[int](&r)
		New[*int](&r)
		ReserveString(&r, 4)
		if r.Noscan.Hi != 0 || r.Types.slots != &vacantSlots {
			t.Fatal("a fast path has memory")
		}
	}
	if got, want := r.UsedBytes(), 100*(8+RoundUp(unsafe.Sizeof(uintptr(0)), 8)+8); got != want {
		t.Errorf("%d bytes in use, want %d", got, want)
	}
}

func skipHeapOnly(t *testing.T) {
	if HeapOnly {
		t.Skip("this build reads no descriptors")
	}
}

// A8: a slice of another type that is cleared as a slice of pointers during marking keeps alive what a stack
// has taken from it, as with its own type. Words that are not pointers are not treated as pointers, which
// would end the program.
func TestAssumption8Clear(t *testing.T) {
	if !clearsPointers {
		t.Skip("each type is cleared by a function of its own")
	}
	type held struct {
		p    *[4]int
		dead uintptr
	}
	const n, size = 4000, unsafe.Sizeof(held{})
	var dead [64]uintptr // addresses of memory that the heap has freed
	var large [64]xunsafe.Pointer
	for i := range dead {
		large[i] = MakeNoscan(256 << 10)
		dead[i] = xunsafe.Number(large[i])
	}
	type link struct {
		next *link
		last []held
		more *link
	}
	end := new(link)
	list := end // the collector reaches its end some time after it has scanned this stack
	for range 1 << 18 {
		list = &link{next: list}
	}
	clear(large[:])
	runtime.GC()
	began := time.Now()
	runtime.GC()
	collection := time.Since(began)
	// The heap records the words with pointers after the values of small chunks, before those of others, and
	// separately for large ones.
	const small = slotSize * slotSize * 8 / int(size)
	lengths := []int{1, 6, small, small + 1, 1000, 2200}
	for range 20 {
		var freed atomic.Int32
		var chunks [n]uintptr // per value, hidden from the collector
		var offs [n]uintptr
		end.more = nil
		for i, k := 0, 0; i < n; k++ {
			chunk := make([]held, min(lengths[k%len(lengths)], n-i))
			end.more = &link{more: end.more, last: chunk}
			for j := range chunk {
				chunk[j] = held{new([4]int), dead[i%len(dead)]}
				chunks[i], offs[i] = xunsafe.Number(xunsafe.PointerTo(&chunk[0])), uintptr(j)*size
				runtime.SetFinalizer(chunk[j].p, func(*[4]int) { freed.Add(1) })
				i++
			}
		}
		marked := make(chan bool)
		go func() {
			runtime.GC()
			close(marked)
		}()
		var stack [n]*[4]int
		began = time.Now()
		for i := range stack {
			for time.Since(began)*n < collection*time.Duration(i) {
				runtime.Gosched()
			}
			chunk := *(*xunsafe.Pointer)(unsafe.Pointer(&chunks[i]))
			stack[i] = (*held)(unsafe.Add(chunk, offs[i])).p
			clearPointers(chunk, offs[i], offs[i]+size)
		}
		<-marked
		time.Sleep(time.Millisecond) // for the goroutine of finalizers
		if freed.Load() != 0 {
			t.Fatalf("%d of %d values were freed while a stack referred to them", freed.Load(), n)
		}
		for al := end.more; al != nil; al = al.more {
			if !slices.Equal(al.last, make([]held, len(al.last))) {
				t.Fatal("a value is not zero")
			}
		}
		runtime.KeepAlive(stack)
	}
	runtime.KeepAlive(list)
}
