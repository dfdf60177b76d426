package guard

import (
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/ebbpool/arena/internal/testkit/turns"
)

// A large buffer beside a pointer has no words for dead values. Examining each of its bytes would take half a
// minute here.
func TestDeadValuesSkipBuffers(t *testing.T) {
	type value struct {
		buffer [1 << 30]byte
		p      *int
	}
	began := turns.ProcessorTime()
	words := wordsOf(reflect.TypeFor[value](), 0, nil)
	if took := turns.ProcessorTime() - began; took > 5*time.Second {
		t.Errorf("looking at a type of 1 GB took %v", took)
	}
	if len(words) != 1 || words[0] != (word{off: 1 << 30}) {
		t.Errorf("words = %v, want the pointer behind the buffer", words)
	}
}

// An address computed from a dead value is inside its cycle's slot. An element of a large type at a dead
// index must not be in another cycle's slot, or outside of all slots.
func TestDeadValuesStayInTheirSlot(t *testing.T) {
	type large [quarantineSlot / 3]byte
	type beyond [quarantineSlot + 1]byte
	type value struct {
		texts  []string
		larges []large
		next   *large
		far    *beyond
		fars   []beyond
		none   []struct{}
	}
	const word = unsafe.Sizeof(uintptr(0))
	kept := new(beyond)
	v := value{far: kept, fars: make([]beyond, 1)}
	dead := unsafe.Pointer(new(large))
	DeadFiller(reflect.TypeFor[value]())(unsafe.Pointer(&v), 0, unsafe.Sizeof(v), dead)
	if len(v.larges) != 3 || cap(v.larges) != 3 || unsafe.Pointer(unsafe.SliceData(v.larges)) != dead || unsafe.Pointer(v.next) != dead {
		t.Errorf("large elements: %d of %d", len(v.larges), cap(v.larges))
	}
	if want := min(DeadLen, quarantineSlot/(2*word)); uintptr(len(v.texts)) != want || len(v.none) != DeadLen {
		t.Errorf("%d texts, want %d; %d of no size", len(v.texts), want, len(v.none))
	}
	if v.far != kept || len(v.fars) != 1 {
		t.Errorf("what is larger than a slot has changed: %p, %d", v.far, len(v.fars))
	}
}
