package machine

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// heapRegion returns a region in heap mode with a limit, 0 for none.
func heapRegion(limit uintptr) *Region {
	r, _, _ := quota(limit, 0)
	r.BeginHeap()
	return r
}

// used fails the test unless n bytes are in use.
func used(t *testing.T, r *Region, n uintptr) {
	t.Helper()
	if got := r.UsedBytes(); got != n || r.Quota(nil).Held() != n {
		t.Errorf("%d bytes in use, the quota counts %d, want %d", got, r.Quota(nil).Held(), n)
	}
}

func TestHeapModeCountsWholeWords(t *testing.T) {
	r := heapRegion(0)
	MakeSlice[byte](r, 3, 3)
	used(t, r, 8)
	s := GrowBytesTo(r, nil, 3, 3)
	used(t, r, 16)
	GrowBytesTo(r, s, 5, 5) // replaces s
	used(t, r, 16)
	if n := r.Empty(); n != 16 {
		t.Errorf("the cycle used %d bytes, want 16", n)
	}
	used(t, r, 0)
}

func TestHeapModeEndsCycle(t *testing.T) {
	r := heapRegion(0)
	MakeSlice[byte](r, 3000, 3000)
	m := r.Mark()
	r.Empty()
	if n := r.Stats(); n.HighWater != 3000 || n.Resets != 1 || n.Held != 0 {
		t.Errorf("after a cycle of 3000 bytes: %+v", n)
	}
	if !r.IsStale(m) {
		t.Error("a mark of the last cycle is valid")
	}
}

// A slice of an earlier cycle, or from before a rewind, no longer counts. If it grows again, only the new slice counts.
func TestHeapModeGrowsStaleSlice(t *testing.T) {
	for name, end := range map[string]func(r *Region, m Mark){
		"Empty":  func(r *Region, _ Mark) { r.Empty() },
		"Rewind": func(r *Region, m Mark) { r.Rewind(m) },
	} {
		t.Run(name, func(t *testing.T) {
			r := heapRegion(0)
			m := r.Mark()
			s := GrowBytesTo(r, nil, 64, 64)
			end(r, m)
			used(t, r, 0)
			GrowBytesTo(r, s, 100, 104)
			used(t, r, 104)
		})
	}
	// A second growth of a slice that was replaced.
	r := heapRegion(0)
	s := GrowBytesTo(r, nil, 64, 64)
	GrowBytesTo(r, s, 100, 104)
	GrowBytesTo(r, s, 100, 104)
	used(t, r, 208)
}

// Near a limit, a slice that grows gets at most half of the remaining bytes as capacity, but as many elements as needed.
func TestHeapModeGrowsNearLimit(t *testing.T) {
	for _, tt := range []struct{ n, wanted, want int }{
		{10, 100, 100}, {10, 500, 500}, {10, 900, 500}, {700, 900, 700}, {1000, 2000, 1000},
	} {
		r := heapRegion(1000)
		if s := GrowBytesTo(r, nil, tt.n, tt.wanted); len(s) != tt.n || cap(s) != tt.want {
			t.Errorf("GrowBytesTo(%d, %d) with a limit of 1000 = len %d, cap %d, want cap %d", tt.n, tt.wanted, len(s), cap(s), tt.want)
		}
		used(t, r, RoundUp(uintptr(tt.want), NoscanAlign))
	}
}

// Values of every function that allocates bytes are whole and do not overlap, at every size and alignment.
func TestHeapModeKeepsBytesApart(t *testing.T) {
	r := heapRegion(0)
	var all [][]byte
	for i := range 4000 {
		n := 1 + i/4%40
		var b []byte
		switch i % 4 {
		case 0:
			align := uintptr(8) << (i / 160 % 4)
			if b = ReserveText(r, n, align); xunsafe.Number(xunsafe.DataOf(b))%align != 0 {
				t.Fatalf("ReserveText(%d, %d): address %x", n, align, xunsafe.Number(xunsafe.DataOf(b)))
			}
		case 1:
			base, off := ReserveString(r, uintptr(n))
			b = xunsafe.BytesAt(base, off, uintptr(n))
		case 2:
			b = GrowBytes(r, nil, n)
		case 3:
			b = MakeSliceUninit[byte](r, n, n)
		}
		b = b[:cap(b)]
		for j := range b {
			b[j] = byte(i)
		}
		all = append(all, b)
	}
	for i, b := range all {
		if bytes.Count(b, []byte{byte(i)}) != len(b) {
			t.Fatalf("value %d of %d bytes was overwritten", i, len(b))
		}
	}
}

func TestHeapModeGrowsSliceOfType(t *testing.T) {
	r, typ := heapRegion(0), TypeOf(reflect.TypeFor[[2]*int]())
	s := GrowSliceOfType(r, typ, Slice{}, 1, 2)
	p := (*[2]*int)(s.Data)
	p[1] = new(int)
	used(t, r, uintptr(s.Cap)*typ.Size)
	larger := GrowSliceOfType(r, typ, s, s.Cap+1, 0)
	if got := (*[2]*int)(larger.Data); got == p || got[1] != p[1] {
		t.Error("the new slice has no copy of the elements")
	}
	used(t, r, uintptr(larger.Cap)*typ.Size)
}
