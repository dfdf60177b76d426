package subjects

import (
	"unsafe"

	"github.com/dgraph-io/ristretto/v2/z"

	"github.com/ebbpool/arena/lab/workloads"
)

// ristretto is the allocator of Badger and Ristretto. AllocateAligned zeroes memory; Copy and Allocate do
// not.
type ristretto struct {
	a     *z.Allocator
	apart *ristretto
}

func newRistretto() *ristretto { return &ristretto{a: z.NewAllocator(regionChunk, "lab")} }

func (r *ristretto) End() { r.a.Reset() }

func ristrettoNew[T any](a *z.Allocator) *T {
	return (*T)(unsafe.Pointer(unsafe.SliceData(a.AllocateAligned(int(unsafe.Sizeof(*new(T)))))))
}

// EndsByCall marks End as doing work.
func (*ristretto) EndsByCall() {}

func (r *ristretto) Flats(dst []*workloads.Flat) {
	for i := range dst {
		dst[i] = ristrettoNew[workloads.Flat](r.a)
	}
}

func (r *ristretto) Links(dst []*workloads.Link) {
	for i := range dst {
		dst[i] = ristrettoNew[workloads.Link](r.a)
	}
}

func (r *ristretto) Simples(dst []*workloads.Simple) {
	for i := range dst {
		dst[i] = ristrettoNew[workloads.Simple](r.a)
	}
}

func (r *ristretto) Texts(dst []string, src string) {
	for i := range dst {
		b := r.a.Copy(unsafe.Slice(unsafe.StringData(src), len(src)))
		dst[i] = unsafe.String(unsafe.SliceData(b), len(b))
	}
}

func (r *ristretto) MakeInts(n, capacity int) []int {
	b := r.a.AllocateAligned(8 * capacity)
	return unsafe.Slice((*int)(unsafe.Pointer(unsafe.SliceData(b))), capacity)[:n]
}

// ReserveInts also zeroes, because there is no aligned memory without zeroing.
func (r *ristretto) ReserveInts(n int) []int { return r.MakeInts(n, n) }

func (r *ristretto) AppendInts(s []int, first, n int) []int {
	for i := range n {
		if len(s) == cap(s) {
			bigger := r.MakeInts(len(s), grownCapacity(cap(s)))
			copy(bigger, s)
			s = bigger
		}
		s = append(s, first+i)
	}
	return s
}

func (r *ristretto) Tree(depth int) *workloads.Node {
	n := ristrettoNew[workloads.Node](r.a)
	if depth > 0 {
		n.Left, n.Right = r.Tree(depth-1), r.Tree(depth-1)
	}
	return n
}

// Apart is always the same allocator, because package z keeps every allocator in a list.
func (r *ristretto) Apart() workloads.Nodes {
	if r.apart == nil {
		r.apart = newRistretto()
	}
	return r.apart
}
