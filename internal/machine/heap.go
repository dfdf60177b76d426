package machine

import (
	"reflect"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// Heap mode. A region in heap mode counts its values and enforces its limits, but takes each value from the Go heap. It
// is used if the runtime's layout is unknown, or if pools are disabled.
//
// Its allocators have no chunks, so every allocation takes a slow path, and each slow path calls onHeap first. The
// region counts the bytes of all values of this cycle, including values that the collector has freed.

// InHeapMode reports whether the region is in heap mode.
func (r *Region) InHeapMode() bool { return r.RegionRecord != nil && r.heap }

// BeginHeap switches a region that was never used to heap mode.
func (r *Region) BeginHeap() { r.heap = true }

// onHeap reports whether r is in heap mode. If so, it counts n bytes, and the caller takes them from the heap.
func (r *Region) onHeap(n uintptr) bool {
	r.prepareSlow()
	if !r.heap {
		return false
	}
	r.Charge(RoundUp(n, NoscanAlign))
	return true
}

// endHeap is Empty in heap mode.
func (r *Region) endHeap() (used uintptr) {
	used = r.others
	if r.maps != nil {
		r.maps.endCycle(0)
	}
	r.Discharge(r.others)
	r.grown = grownSlice{}
	r.highWater = max(r.highWater, used)
	r.resets++
	r.marks.clear(marksRetained)
	return used
}

// rewindHeap is Rewind in heap mode. values is the number of bytes of values at the mark. There may be fewer now,
// because a slice that grows no longer counts its old memory.
func (r *Region) rewindHeap(values uintptr) {
	now := r.noscanPosition().lo
	r.Discharge(now - min(now, values))
	r.grown = grownSlice{}
}

// heapCap returns the capacity of the slice that replaces the slice at data: wanted, or less if a limit is near, but at
// least n. It counts the new slice, whose elements have size bytes, instead of the old one.
func (r *Region) heapCap(data xunsafe.Pointer, size uintptr, n, wanted int) int {
	if q := r.Noscan.ops.quota; q != nil {
		if left := q.Left(); left != noLimit {
			wanted = max(n, min(wanted, int(left/2/size)))
		}
	}
	r.Charge(RoundUp(uintptr(wanted)*size, NoscanAlign))
	if r.grown.at == xunsafe.Number(data) {
		r.Discharge(r.grown.bytes)
	}
	r.grown = grownSlice{}
	return wanted
}

func grownAt(data xunsafe.Pointer, bytes uintptr) grownSlice {
	return grownSlice{xunsafe.Number(data), RoundUp(bytes, NoscanAlign)}
}

// growHeap is GrowSlice in heap mode. The caller copies s, as for GrowSlice.
func growHeap[T any](r *Region, s []T, n, wanted int) []T {
	t := make([]T, n, r.heapCap(xunsafe.DataOf(s), xunsafe.SizeOf[T](), n, wanted))
	r.grown = grownAt(xunsafe.DataOf(t), uintptr(cap(t))*xunsafe.SizeOf[T]())
	return t
}

// growHeapOfType is GrowSliceOfType in heap mode.
func growHeapOfType(r *Region, t *Type, s Slice, n, wanted int) Slice {
	c := r.heapCap(s.Data, t.Size, n, wanted)
	v := reflect.MakeSlice(t.slices, n, c)
	if s.Len != 0 {
		reflect.Copy(v, reflect.SliceAt(t.Reflect, s.Data, s.Len))
	}
	r.grown = grownAt(v.UnsafePointer(), uintptr(c)*t.Size)
	return Slice{v.UnsafePointer(), n, c}
}
