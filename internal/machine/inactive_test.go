package machine

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// manyTypes returns n types with pointers, each of which begins with a pointer.
func manyTypes(n int) []*Type {
	all := make([]*Type, n)
	for i := range all {
		all[i] = TypeOf(reflect.ArrayOf(1+i, reflect.TypeFor[*int]()))
	}
	return all
}

// Cycles of any types count each byte once, while allocators become inactive and active again.
func TestInactiveAllocatorsCount(t *testing.T) {
	types := manyTypes(40)
	seeds := uint64(20)
	if testing.Short() || check.On {
		seeds = 5
	}
	inactive := 0
	for seed := range seeds {
		rnd := rand.New(rand.NewPCG(seed, 5))
		var r Region
		r.Init([]uintptr{512, 4096}[seed%2], []uintptr{1 << 30, 40 << 10, 8 << 10, 700}[seed%4])
		few := types[:3]
		for range 800 {
			if rnd.IntN(20) == 0 {
				few = types[rnd.IntN(36):][:4]
			}
			use, used := few, uintptr(0)
			if rnd.IntN(30) == 0 {
				use = types
			}
			for range rnd.IntN(20) {
				x := use[rnd.IntN(len(use))]
				n := 1 + rnd.IntN(10)<<rnd.IntN(8)
				words := SliceAt[*int](MakeSliceOfType(&r, x, n, n).Data, 0, n*int(x.Size/slotSize), n*int(x.Size/slotSize))
				for i := range words {
					if words[i] != nil {
						t.Fatal("memory was handed out that is not zero")
					}
					words[i] = new(int)
				}
				used += uintptr(n) * x.Size
			}
			if n := r.UsedBytes(); n != used {
				t.Fatalf("%d bytes are in use, want %d", n, used)
			}
			if r.Empty() != used || r.UsedBytes() != 0 {
				t.Fatalf("%d bytes are in use after a cycle of %d", r.UsedBytes(), used)
			}
			r.Types.check()
			held := r.Noscan.HeldBytes() + r.ownCache().Bytes()
			for _, al := range r.Types.allocators {
				held += al.HeldBytes()
			}
			if n := r.Stats(); n.Held != held || held > r.MaxRetained {
				t.Fatalf("%d bytes are held, %d are counted, of %d", held, n.Held, r.MaxRetained)
			}
			inactive += len(r.Types.allocators) - r.Types.activeLen
		}
	}
	if inactive == 0 {
		t.Error("no allocator was ever inactive")
	}
}

// Every kind of allocation reactivates its allocator. Otherwise Reset would not free its values.
func TestInactiveAllocatorsAreFound(t *testing.T) {
	typ := TypeOf(reflect.TypeFor[*int]())
	for name, take := range map[string]func(r *Region){
		"New":             func(r *Region) { New[*int](r) },
		"MakeSlice":       func(r *Region) { MakeSlice[*int](r, 1, 1) },
		"GrowSlice":       func(r *Region) { GrowSlice(r, []*int(nil), 1) },
		"CurrentOf":       func(r *Region) { CurrentOf[*int](r); New[*int](r) },
		"NewOfType":       func(r *Region) { NewOfType(r, typ) },
		"MakeSliceOfType": func(r *Region) { MakeSliceOfType(r, typ, 1, 1) },
		"SomeOfType":      func(r *Region) { SomeOfType(r, typ, 1) },
		"GrowSliceOfType": func(r *Region) { GrowSliceOfType(r, typ, Slice{}, 1, 0) },
	} {
		var r Region
		r.Init(1024, 1<<20)
		c := CurrentOf[*int](&r)
		for range 3 {
			take(&r)
			r.Empty()
			for range idleCycles {
				r.Empty()
			}
			if len(r.Types.active()) != 0 || c.Lo != c.Hi {
				t.Fatalf("%s: the allocator is not inactive", name)
			}
			take(&r)
			if n := r.Stats(); n.Types != 1 || n.Used < xunsafe.SizeOf[*int]() || len(r.Types.active()) != 1 {
				t.Fatalf("%s: %+v, and %d active ones", name, n, len(r.Types.active()))
			}
			r.Types.check()
		}
	}
}

// Alternating cycles keep their allocators active: an allocator becomes inactive after consecutive cycles
// without use.
func TestAllocatorsInTurnsStayActive(t *testing.T) {
	var r Region
	r.Init(1024, 1<<30)
	types := manyTypes(idleCycles)
	for i := range 50 {
		m := r.Mark()
		NewOfType(&r, types[i%idleCycles])
		if i%2 == 0 {
			r.Rewind(m) // counts as used
		}
		r.Empty()
		if len(r.Types.active()) != len(r.Types.allocators) {
			t.Fatalf("an allocator is inactive after %d cycles", i+1)
		}
	}
}

// A small cycle pays for its own types, and at most idleCycles times for those of an earlier large cycle.
func TestCyclesLeaveOthersAllocatorsAlone(t *testing.T) {
	for _, n := range []int{80, 800} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			var r Region
			r.Init(1024, 1<<30)
			types := manyTypes(n)
			for round := range 4 {
				for i, x := range types {
					MakeSliceOfType(&r, x, 1+200/(1+i), 1+200/(1+i))
				}
				r.Empty()
				looks := 0
				for range 20 {
					looks += len(r.Types.active()) - 1
					NewOfType(&r, types[0])
					r.Empty()
				}
				most := idleCycles * n
				if round > 1 {
					most = 0 // rarely used: inactive immediately
				}
				if got := len(r.Types.active()); got != 1 || looks > most {
					t.Fatalf("round %d: %d allocators are active, of which cycles use one; cycles visited others %d times", round, got, looks)
				}
			}
			if got := r.Stats().Types; got != n {
				t.Errorf("%d allocators for %d types", got, n)
			}
		})
	}
}

// An inactive allocator keeps a small chunk, and no large one.
func TestInactiveAllocatorsKeepLittle(t *testing.T) {
	if check.On || check.Race {
		t.Skip("no chunk is kept")
	}
	var r Region
	r.Init(1024, 1<<30)
	types := manyTypes(2)
	MakeSliceOfType(&r, types[0], 10, 10)
	MakeSliceOfType(&r, types[1], 10_000, 10_000)
	for range idleCycles + 1 {
		r.Empty()
	}
	small, large := r.Types.find(types[0].key), r.Types.find(types[1].key)
	if len(r.Types.active()) != 0 || small.cap == 0 || large.cap != 0 || r.ownCache().Bytes() < 10_000*types[1].Size {
		t.Fatalf("%d active ones, chunks of %d and %d, %d bytes in the cache", len(r.Types.active()), small.cap, large.cap, r.ownCache().Bytes())
	}
	cached := r.ownCache().Bytes()
	if MakeSliceOfType(&r, types[1], 10_000, 10_000); r.ownCache().Bytes() >= cached {
		t.Error("it comes back without its chunk")
	}
}

// emptyUsual, which ends the cycle of an allocator in place, learns and keeps the same as empty.
func TestCyclesEndInPlaceAsElse(t *testing.T) {
	if check.Watched || !clearsPointers {
		t.Skip("no cycle is ended in place")
	}
	usual := 0
	rnd := rand.New(rand.NewPCG(3, 8))
	typ := manyTypes(3)[2]
	for range 3000 {
		var x [2]*Allocator
		var r [2]Region
		chunk, n, target := uintptr(256)<<rnd.IntN(6), 1+rnd.IntN(1<<rnd.IntN(8)), uintptr(rnd.IntN(6000))
		for i := range r {
			r[i].Init(chunk, 1<<20)
			MakeSliceOfType(&r[i], typ, n, n)
			r[i].Empty()
			MakeSliceOfType(&r[i], typ, 1+n/2, 1+n/2)
			x[i] = r[i].Types.allocators[0]
			x[i].retention.target = target
		}
		if !x[0].isUsual(x[0].used(), 1<<20) {
			continue
		}
		usual++
		x[0].emptyUsual(x[0].used())
		x[1].empty(1 << 20)
		x[0].Base, x[1].Base = nil, nil
		a, b := *x[0].allocatorRecord, *x[1].allocatorRecord
		a.home, b.home = nil, nil
		if !reflect.DeepEqual(x[0].chunk, x[1].chunk) || !reflect.DeepEqual(a, b) {
			t.Fatalf("ended in place\n%+v %+v, and else\n%+v %+v", x[0].chunk, a, x[1].chunk, b)
		}
	}
	if usual < 500 {
		t.Errorf("%d cycles were ended in place", usual)
	}
}

// The records of a type have the sizes documented by NewArena. Another pointer in each would cost an arena
// with ten types half a kilobyte.
func TestRecordsAreSmall(t *testing.T) {
	if xunsafe.SizeOf[check.Allocator]() != 0 || xunsafe.SizeOf[uintptr]() != 8 {
		t.Skip("the checks add to them, and 32 bits have less")
	}
	if allocator := xunsafe.SizeOf[typedAllocator](); allocator > 448 {
		t.Errorf("%d bytes for each type", allocator)
	}
}
