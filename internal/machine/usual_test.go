package machine

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/ebbpool/arena/internal/check"
)

// copied is a copy of a lane of a type with pointers, with memory of its own.
func (l *Lane) copied() *Lane {
	x := &bareLane{Lane: *l, record: *l.laneRecord}
	c := &x.Lane
	c.laneRecord = &x.record
	c.older, c.free = slices.Clone(l.older), slices.Clone(l.free)
	if l.Base != nil {
		c.Base = l.ops.make(l.cap)
		l.ops.move(c.Base, l.Base, l.cap)
	}
	return c
}

// endLanes has copies of the region's lanes end their epochs in both ways that there are,
// where they may be ended in place, and compares all that a lane says of itself: where one
// word differed, arenas would retain or learn something else than the pages say. It returns
// for how many lanes it did.
func endLanes(t *testing.T, r *Region) (usual int) {
	t.Helper()
	if r.retired != nil {
		return 0
	}
	for _, l := range r.Types.inUse() {
		used := l.used()
		if !l.isUsual(used, r.MaxRetained) {
			continue
		}
		usual++
		a, b := l.copied(), l.copied()
		if used != b.UserBytes() || b.isIdle() {
			t.Fatalf("%d bytes of %d are in use", used, b.UserBytes())
		}
		a.emptyUsual(used)
		held := b.empty(r.MaxRetained)
		b.retention.idle = 0 // as Region.Empty has it then
		a.check()
		if a.Base == nil || b.Base == nil || held != a.cap || !isZero(a.Base, 0, a.cap) || !isZero(b.Base, 0, b.cap) {
			t.Fatalf("%d bytes are held of %d, or memory is not zero", held, a.cap)
		}
		a.Base, a.watch, a.chunk.watch = nil, check.Lane{}, check.Chunk{}
		b.Base, b.watch, b.chunk.watch = nil, check.Lane{}, check.Chunk{}
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("ended in place\n%+v %+v, and else\n%+v %+v", a.chunk, *a.laneRecord, b.chunk, *b.laneRecord)
		}
	}
	return usual
}

// Epochs of all kinds end alike in place and else: with more and less than is retained,
// in pools that share chunks and arenas that don't, after rewinds, with limits that change.
func TestEpochsEndInPlaceAsElse(t *testing.T) {
	usual := 0
	for seed := range uint64(24) {
		rnd := rand.New(rand.NewPCG(seed, 8))
		s := newSimulation(1, 1<<(8+seed%5), 1<<(10+seed%8))
		if seed%2 == 0 {
			s.stats.Bound(0)
		}
		r := s.regions[0]
		types := manyTypes(5)
		size := 40
		for epoch := range 700 {
			if epoch%150 == 149 {
				size = 4 << rnd.IntN(9)
			}
			if rnd.IntN(60) == 0 {
				r.MaxRetained = 1 << (8 + rnd.IntN(12))
			}
			m := r.Mark()
			for i, x := range types {
				if i != 0 && rnd.IntN(1+i) != 0 {
					continue
				}
				n := 1 + rnd.IntN(size)
				if rnd.IntN(50) == 0 {
					n *= 8
				}
				v := MakeSliceOfType(r, x, n, n)
				for i := range uintptr(n) {
					w := SliceAt[*int](v.Data, i*x.Size, 1, 1)
					w[0] = new(int)
				}
				if rnd.IntN(20) == 0 {
					r.Rewind(m)
					m = r.Mark()
				}
			}
			usual += endLanes(t, r)
			used, most, each := r.UsedBytes(), uintptr(0), map[*Lane]uintptr{}
			for _, l := range r.Types.inUse() {
				each[l] = l.UserBytes()
				most = max(most, each[l])
			}
			if got := r.Empty(); got != used {
				t.Fatalf("an epoch of %d bytes counts as one of %d", used, got)
			}
			if got := each[r.Types.Busiest]; most != 0 && got != most {
				t.Fatalf("the busiest lane had %d bytes, and one had %d", got, most)
			}
		}
	}
	if usual < 10_000 && clearsPointers && !check.Watched {
		t.Errorf("%d lanes were ended in place", usual)
	}
}

// Chunks that an epoch did not come to count as well where its end is looked at in place:
// what an arena may retain would be less than what it has.
func TestFreeChunksCountBesideEpochsLikeMost(t *testing.T) {
	if check.On {
		t.Skip("no chunk is kept")
	}
	var r Region
	r.Init(1024, 1<<20)
	for _, x := range manyTypes(2) {
		NewOfType(&r, x)
	}
	r.Empty()
	for _, l := range r.Types.lanes {
		l.retention.want = 2048
		l.addFree(chunk{Base: l.ops.make(1024), Hi: 1024, cap: 1024, cleanEnd: 1024}) // as shrink leaves them
	}
	r.MaxRetained = r.Numbers().Held - 512 // not too much for one
	for _, x := range manyTypes(2) {
		NewOfType(&r, x)
	}
	endLanes(t, &r)
	if r.Empty(); r.Numbers().Held > r.MaxRetained {
		t.Errorf("%d bytes are retained, more than %d", r.Numbers().Held, r.MaxRetained)
	}
}

// What epochs like most leave counts together, and where that is too much it is cut; a lane that
// then has several chunks, and came to all of them, is not like most: what it had in full ones
// would stay there.
func TestEpochsLikeMostAreCut(t *testing.T) {
	if check.Watched || !clearsPointers {
		t.Skip("no epoch is ended in place")
	}
	var r Region
	r.Init(1024, 1<<20)
	types := manyTypes(10)
	epoch := func() {
		for _, x := range types {
			NewOfType(&r, x)
		}
	}
	for range 3 {
		epoch()
		r.Empty()
	}
	r.MaxRetained = r.Numbers().Held - 1 // not too much for one
	epoch()
	if n := endLanes(t, &r); n != len(types) {
		t.Fatalf("%d of %d lanes are like most", n, len(types))
	}
	if r.Empty(); r.Numbers().Held > r.MaxRetained {
		t.Errorf("%d bytes are retained, more than %d", r.Numbers().Held, r.MaxRetained)
	}

	r.MaxRetained = 1 << 20
	epoch()
	r.Empty()
	l, x := r.Types.lanes[0], types[0]
	l.retention.want = 2048
	l.addFree(chunk{Base: l.ops.make(1024), Hi: 1024, cap: 1024, cleanEnd: 1024}) // as cut leaves them
	for len(l.older) == 0 {
		NewOfType(&r, x)
	}
	if len(l.free) != 0 || l.retention.top != 0 || l.isUsual(l.used(), r.MaxRetained) {
		t.Fatalf("%d chunks are free, and an epoch that filled one is like most: %+v", len(l.free), l.retention)
	}
	if r.Empty(); len(l.older) != 0 || r.UsedBytes() != 0 {
		t.Errorf("%d chunks of an epoch that has ended", len(l.older))
	}
}
