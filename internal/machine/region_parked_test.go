package machine

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// A lane that epochs do not use is parked, and what it keeps, gives back and knows is
// what it would be if it had counted each epoch: with limits, marks and releases, in
// every order. Where a parked lane missed the end of a window, an arena would keep for
// ever what one epoch needed; where it was not found, it would have two lanes of a type.
func TestParkedLanesMissNothing(t *testing.T) {
	types := manyTypes(40)
	seeds, epochs := uint64(40), 1500
	if testing.Short() {
		seeds = 12
	}
	if check.On {
		seeds, epochs = seeds/3, 400 // they are slow
	}
	parked := 0
	for seed := range seeds {
		w := &counterpart{Rand: rand.New(rand.NewPCG(seed, 5)), t: t, types: types}
		retained := []uintptr{1 << 30, 40 << 10, 8 << 10, 700}[seed%4]
		for i := range w.r {
			w.r[i] = new(Region)
			w.r[i].Init([]uintptr{512, 4096}[seed/4%2], retained)
		}
		limited := seed%5 == 4
		refuse := func(Refusal) { panic(counterpartRefused{}) }
		few := types[:3]
		for n := 0; n < epochs; n++ {
			switch k := w.IntN(100); {
			case k < 1:
				w.epoch(types, 2000)
			case k < 4:
				w.epoch(types, 60)
			case k < 8:
				few = types[w.IntN(len(types)-4):][:4]
			case k < 9:
				for range w.IntN(300) {
					n++
					w.end()
				}
			case k < 10 && w.IntN(6) == 0:
				w.both(func(_ int, r *Region) { r.Release() })
				w.cut(0)
				w.marks[0], w.marks[1], w.until, w.used, w.newest.typ = nil, nil, nil, nil, nil
			case k < 12:
				limit := retained >> w.IntN(4)
				if limited {
					w.both(func(_ int, r *Region) { r.Quota(refuse).SetLimit(2 * limit) })
				} else {
					w.r[0].MaxRetained, w.r[1].MaxRetained = limit, limit
				}
			}
			w.epoch(few, 20)
			w.end()
			if p := w.r[0].Types.parked; p != nil {
				parked += len(w.r[0].Types.lanes) - p.first
			}
		}
	}
	if parked == 0 {
		t.Error("no lane was ever parked")
	}
}

// Whoever asks for a parked lane gets it back, by every way that there is: else the arena
// would have values that Reset does not take back.
func TestParkedLanesAreFound(t *testing.T) {
	typ := TypeOf(reflect.TypeFor[*int]())
	for name, take := range map[string]func(r *Region){
		"New":             func(r *Region) { New[*int](r) },
		"MakeSlice":       func(r *Region) { MakeSlice[*int](r, 1, 1) },
		"GrowSlice":       func(r *Region) { GrowSlice(r, []*int(nil), 1) },
		"CurrentOf":       func(r *Region) { CurrentOf[*int](r); New[*int](r) },
		"NewOfType":       func(r *Region) { NewOfType(r, typ) },
		"MakeSliceOfType": func(r *Region) { MakeSliceOfType(r, typ, 1, 1) },
		"SomeOfType":      func(r *Region) { SomeOfType(r, typ, 1) },
		"GrowSliceOfType": func(r *Region) { GrowSliceOfType(r, typ, Slice{}, 1) },
	} {
		var r Region
		r.Init(1024, 1<<20)
		c := CurrentOf[*int](&r)
		for range 3 {
			take(&r)
			r.Empty()
			for range patience {
				r.Empty()
			}
			if len(r.Types.inUse()) != 0 || c.Lo != c.Hi {
				t.Fatalf("%s: the lane is not parked", name)
			}
			take(&r)
			if n := r.Numbers(); n.Types != 1 || n.Used < xunsafe.SizeOf[*int]() || len(r.Types.inUse()) != 1 {
				t.Fatalf("%s: %+v, and %d lanes in use", name, n, len(r.Types.inUse()))
			}
			r.Types.check()
		}
	}
}

// Epochs that take turns with others keep their lanes in use: a lane is parked when epochs
// in a row did not use it, not when many did not.
func TestLanesInTurnsAreNotParked(t *testing.T) {
	var r Region
	r.Init(1024, 1<<30)
	types := manyTypes(patience)
	for i := range 50 {
		m := r.Mark()
		NewOfType(&r, types[i%patience])
		if i%2 == 0 {
			r.Rewind(m) // it was used even so
		}
		r.Empty()
		if r.Types.parked != nil {
			t.Fatalf("a lane is parked after %d epochs", i+1)
		}
	}
}

// A lane that some epochs use, one in so many, is in use after the last of these for as many
// ends of epochs as are named: else a small epoch looks at the lanes of a large one before it.
func TestLanesThatAreUsedSeldomAreParkedAtOnce(t *testing.T) {
	var r Region
	r.Init(1024, 1<<30)
	types := manyTypes(1)
	for _, c := range []struct{ every, want int }{
		{patience, patience},
		{16, 0},
		{patience + 1, patience}, // parked by the epoch that wants it
		{2*patience + 1, 0},      // it has missed as many as it is waited for
		{2 * patience, patience},
	} {
		looks := 0
		for epoch := range 10 * c.every {
			if epoch%c.every == 0 {
				NewOfType(&r, types[0])
				looks = 0
			}
			r.Empty()
			looks += len(r.Types.inUse())
		}
		if looks != c.want {
			t.Errorf("used by one epoch in %d, the lane was in use at the end of %d, not of %d", c.every, looks, c.want)
		}
	}
}

// Nobody looks at a parked lane that has one small chunk: it would keep that. Else one small
// epoch in each window looks at the lanes of all large ones. A larger chunk is looked at, and so
// are two, which a limit may leave.
func TestSmallParkedLanesHaveNoTurn(t *testing.T) {
	if check.On {
		t.Skip("no chunk is kept")
	}
	var r Region
	r.Init(1024, 1<<30)
	for _, typ := range manyTypes(40) {
		NewOfType(&r, typ)
	}
	for range patience + 1 {
		r.Empty()
	}
	p := r.Types.parked
	if p == nil || p.first != 0 || p.held == 0 {
		t.Fatalf("the lanes are not parked: %+v", p)
	}
	if p.due != [Window]*Lane{} {
		t.Error("lanes of one small chunk have a turn")
	}
	for range 3 * Window {
		r.Empty()
	}
	if n := p.chunks; n != 40 {
		t.Errorf("%d chunks are left, not one of each lane", n)
	}
	MakeSliceOfType(&r, manyTypes(1)[0], 10_000, 10_000)
	for range patience + 1 {
		r.Empty()
	}
	if p.due == [Window]*Lane{} {
		t.Error("a lane with a large chunk has no turn")
	}

	var two Region
	two.Init(1024, 1<<30)
	NewOfType(&two, manyTypes(1)[0])
	two.Empty()
	l := two.Types.lanes[0]
	l.addFree(l.newChunk(l.align(), l.align()))
	l.retention.fresh, l.retention.top = false, 0 // as after an epoch that kept both
	for range patience {
		two.Empty()
	}
	if p := two.Types.parked; l.Chunks() != 2 || l.HeldBytes() > notWorthIt || p.first != 0 || p.due == [Window]*Lane{} {
		t.Errorf("a lane with %d chunks of %d bytes has no turn", l.Chunks(), l.HeldBytes())
	}
}

// A lane all of whose values are in chunks that came beside its current one is in use.
func TestLanesWithoutUseOfTheirChunkAreNotParked(t *testing.T) {
	if check.On {
		t.Skip("no chunk is kept")
	}
	var r Region
	r.Init(1024, 1<<30)
	typ := manyTypes(1)[0]
	NewOfType(&r, typ)
	MakeSliceOfType(&r, typ, 3000, 3000)
	r.Empty()
	l := r.Types.lanes[0]
	for i := range 10 {
		MakeSliceOfType(&r, typ, 3000, 3000)
		if l.used() != 0 || len(l.older) != 1 {
			t.Skip("the slice has not got a chunk beside the current one")
		}
		if r.Empty(); r.Types.parked != nil {
			t.Fatalf("it is parked after %d epochs", i+1)
		}
	}
}

// What is let go of because a limit is near takes no lane back that has nothing.
func TestOnlyLanesThatHoldSomethingComeBack(t *testing.T) {
	if check.On {
		t.Skip("no chunk is kept")
	}
	var r Region
	r.Init(1024, 1<<30)
	m := r.Quota(func(Refusal) {})
	for _, x := range manyTypes(200) {
		MakeSliceOfType(&r, x, 1, 1)
	}
	for range 3 * Window {
		r.Empty()
	}
	holds := 0
	for _, l := range r.Types.lanes {
		if l.HeldBytes() != 0 {
			holds++
		}
	}
	m.dropIdle(nil)
	if got := len(r.Types.inUse()); holds == 0 || holds == 200 || got != holds || r.Numbers().Held != 0 {
		t.Errorf("%d lanes came back, and %d held something; %d bytes are left", got, holds, r.Numbers().Held)
	}
}

// An epoch pays for the lanes that it uses: the others are out of sight after a few epochs,
// have no list to be looked through for what is due, and come back when they are needed.
func TestEpochsLeaveOthersLanesAlone(t *testing.T) {
	for _, n := range []int{80, 800} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			var r Region
			r.Init(1024, 1<<30)
			types := manyTypes(n)
			for i, x := range types {
				MakeSliceOfType(&r, x, 1+200/(1+i), 1+200/(1+i)) // more than a small chunk, which nobody looks at
			}
			r.Empty()
			for range patience {
				NewOfType(&r, types[0])
				r.Empty()
			}
			if got := len(r.Types.inUse()); got != 1 {
				t.Fatalf("%d lanes are in use, of which epochs use one", got)
			}
			looked := 0
			for range 10 * Window {
				for _, due := range r.Types.parked.due {
					for l := due; l != nil && l != vacant; l = l.ops.next {
						looked++
					}
				}
				NewOfType(&r, types[0])
				r.Empty()
			}
			if !check.On && looked == 0 || looked > 3*Window*n {
				t.Errorf("in %d epochs lanes waited %d times", 10*Window, looked)
			}
			for _, due := range r.Types.parked.due {
				if due != nil {
					t.Fatal("a lane is looked at for ever")
				}
			}
			for i, x := range types {
				NewOfType(&r, x)
				if want := max(i+1, 1); len(r.Types.inUse()) != want {
					t.Fatalf("%d lanes are in use, want %d", len(r.Types.inUse()), want)
				}
			}
			if got := r.Numbers().Types; got != n {
				t.Errorf("%d lanes for %d types", got, n)
			}
		})
	}
}

// What an epoch that needs nothing of a lane would have changed can be made up for, for
// any number of epochs.
func TestMissedEpochs(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for range 3000 {
		a := newTypedRetention(1024, 24)
		for range r.IntN(200) {
			a.endEpoch(uintptr(r.IntN(5000))>>r.IntN(13), []uintptr{500, 1 << 20}[r.IntN(2)])
		}
		b, n := a, r.IntN(1+1<<r.IntN(11))
		for range n {
			b.endEpoch(0, 1<<20)
		}
		if a.missed(uint32(n)); n != 0 {
			a.fresh = false
		}
		if a != b {
			t.Fatalf("after %d epochs\n%+v, and if each is counted\n%+v", n, a, b)
		}
	}
}

// The records of a type, and those of parked lanes, have the sizes that NewArena tells:
// a pointer more in each would cost an arena of ten types a half of a kilobyte.
func TestRecordsAreSmall(t *testing.T) {
	if xunsafe.SizeOf[check.Lane]() != 0 || xunsafe.SizeOf[uintptr]() != 8 {
		t.Skip("the checks add to them, and 32 bits have less")
	}
	if lane, parked := xunsafe.SizeOf[typedLane](), xunsafe.SizeOf[parking](); lane > 448 || parked > 576 {
		t.Errorf("%d bytes for each type, %d for parked lanes", lane, parked)
	}
}
