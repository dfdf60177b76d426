package suite

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// Marks serve temporary memory within a request: Rewind keeps all earlier memory and frees all later memory,
// at each level.
func TestMarkNested(t *testing.T) {
	for _, chunk := range []int{64, 4096} {
		a := arena.NewArena(chunk, 0)
		var marks []arena.Mark
		var used []int
		var texts []string
		var objects []*textPair
		for depth := range 12 {
			texts = append(texts, a.AllocString(strings.Repeat(fmt.Sprint(depth), 20)))
			p := arena.New[textPair](a)
			p.a = testkit.HeapText(uint64(depth))
			objects = append(objects, p)
			marks, used = append(marks, a.Mark()), append(used, a.Stats().UsedBytes)
		}
		for depth := len(marks) - 1; depth >= 0; depth-- {
			for range 2 { // a mark may be used again
				for range 9 {
					arena.New[textPair](a).b = "scratch"
					testkit.Dirty(a.AllocBytes(50))
				}
				a.Rewind(marks[depth])
				if a.Stats().UsedBytes != used[depth] {
					t.Fatalf("chunk %d, depth %d: UsedBytes = %d, want %d", chunk, depth, a.Stats().UsedBytes, used[depth])
				}
			}
			for i := range depth + 1 {
				if texts[i] != strings.Repeat(fmt.Sprint(i), 20) || *objects[i] != (textPair{a: testkit.HeapText(uint64(i))}) {
					t.Fatalf("chunk %d, depth %d: level %d holds %q, %+v", chunk, depth, i, texts[i], *objects[i])
				}
			}
			if p := arena.New[textPair](a); *p != (textPair{}) || !testkit.AllZero(a.AllocBytes(200)) {
				t.Fatalf("chunk %d, depth %d: rewound memory is not zero", chunk, depth)
			}
			a.Rewind(marks[depth])
		}
	}
}

// A mark has no position for types first used after it.
func TestMarkNewTypes(t *testing.T) {
	a := arena.NewArena(256, 0)
	m0 := a.Mark()
	x := arena.New[*int](a)
	*x = new(int)
	m1 := a.Mark()
	for range 3 {
		*arena.New[string](a), *arena.New[any](a) = "new", 1
		arena.MakeSlice[map[int]int](a, 100, 100)[99] = map[int]int{}
		*arena.New[*int](a) = new(int)
		a.Rewind(m1)
		if a.Stats().UsedBytes != 8 && a.Stats().UsedBytes != 4 || *x == nil {
			t.Fatalf("UsedBytes = %d, x = %v", a.Stats().UsedBytes, *x)
		}
		if *arena.New[string](a) != "" || *arena.New[any](a) != nil || arena.MakeSlice[map[int]int](a, 100, 100)[99] != nil || *arena.New[*int](a) != nil {
			t.Fatal("rewound memory of a new type is not zero")
		}
	}
	a.Rewind(m0)
	if a.Stats().UsedBytes != 0 || *arena.New[*int](a) != nil || *arena.New[string](a) != "" {
		t.Error("Rewind to the beginning left something")
	}
}

// Rewind across the end of a chunk returns to the former chunk and offset, and keeps the chunks in between.
func TestMarkAcrossChunks(t *testing.T) {
	for _, chunk := range []int{64, 100, 512} {
		for first := range 70 {
			a := arena.NewArena(chunk, 0)
			b := a.AllocBytes(first)
			testkit.Dirty(b)
			p := arena.MakeSlice[*int](a, first/3, first/3)
			for i := range p {
				p[i] = new(int)
			}
			m, used := a.Mark(), a.Stats().UsedBytes
			for round := range 4 {
				for i := range 10 + round*5 {
					testkit.Dirty(a.AllocBytes(i * 13))
					q := arena.MakeSlice[*int](a, i, i+1)
					if q = q[:i+1]; q[i] != nil || q[0] != nil {
						t.Fatalf("chunk %d, first %d, round %d: a pointer is not nil", chunk, first, round)
					}
					q[i], q[0] = new(int), new(int)
					a.AllocString("text")
				}
				a.Rewind(m)
				if a.Stats().UsedBytes != used || string(b) != strings.Repeat("\xa5", first) {
					t.Fatalf("chunk %d, first %d, round %d: used %d, want %d; b = %q", chunk, first, round, a.Stats().UsedBytes, used, b)
				}
				for i := range p {
					if p[i] == nil {
						t.Fatalf("chunk %d, first %d, round %d: pointer %d was cleared", chunk, first, round, i)
					}
				}
			}
		}
	}
}

// A long-lived arena with a loop that marks and rewinds must stop allocating chunks.
func TestMarkLoopsRest(t *testing.T) {
	testkit.NeedsReuse(t)
	for _, tt := range []struct{ chunk, first, pieces int }{
		{1024, 0, 2}, {1024, 0, 20}, {1024, 100, 20}, {1024, 1000, 40}, {4096, 1, 20},
		{64, 0, 200}, {64, 10, 200}, // far more than the largest chunk
		{64, 0, 1000},
	} {
		t.Run(fmt.Sprintf("%+v", tt), func(t *testing.T) {
			a := arena.NewArena(tt.chunk, 0)
			a.AllocBytes(tt.first)
			kept := arena.New[textPair](a)
			kept.a = testkit.HeapText(3)
			loop := func() {
				m := a.Mark()
				for range tt.pieces {
					arena.New[textPair](a).a = "scratch"
					testkit.Dirty(a.AllocBytes(100))
					m2 := a.Mark()
					a.AllocString("scratch text")
					arena.MakeSlice[any](a, 3, 9)
					a.Rewind(m2)
				}
				a.Rewind(m)
			}
			for range 20 {
				loop()
			}
			before := a.Stats()
			for range 200 {
				loop()
			}
			if after := a.Stats(); after != before || kept.a != testkit.HeapText(3) {
				t.Errorf("after 200 more rounds %+v, before %+v", after, before)
			}
			if check.Race || check.ASan {
				return
			}
			if n := testing.AllocsPerRun(50, loop); n != 0 {
				t.Errorf("a round allocates %v times", n)
			}
			// Marks at the same position without a rewind are one mark.
			if n := testing.AllocsPerRun(200, func() { a.Mark() }); n != 0 {
				t.Errorf("marking in one place allocates %v times", n)
			}
		})
	}
}

// Rewind undoes growth in place since the mark.
func TestMarkUndoesAppend(t *testing.T) {
	a := arena.NewArena(4096, 0)
	s := arena.Append(a, arena.MakeSlice[byte](a, 0, 4), []byte("abcd")...)
	m, used := a.Mark(), a.Stats().UsedBytes
	x := arena.Append(a, s, []byte("efghijklmnop")...)
	a.Rewind(m)
	if a.Stats().UsedBytes != used || string(s) != "abcd" {
		t.Errorf("UsedBytes = %d, want %d; s = %q", a.Stats().UsedBytes, used, s)
	}
	b := a.AllocBytes(100)
	if !testkit.AllZero(b) {
		t.Error("rewound memory is not zero")
	}
	testkit.Dirty(b)
	if string(s) != "abcd" || len(x) != 16 {
		t.Errorf("s = %q", s)
	}
	// After the rewind the slice is not the newest, or it grows correctly.
	y := arena.Append(a, s, []byte("EFGHIJKLM")...)
	if string(y) != "abcdEFGHIJKLM" || strings.Trim(string(b), "\xa5") != "" {
		t.Errorf("y = %q, b = %q", y, b)
	}
}

// Rewind to an invalid mark is reported, because it would hand out live memory again.
func TestMarkMisusePanics(t *testing.T) {
	a, b := arena.NewArena(256, 0), arena.NewArena(256, 0)
	p := arena.NewArenaPool(256, 0)
	stale := func(a *arena.Arena, m arena.Mark) {
		t.Helper()
		kept := a.AllocString("kept")
		stats := a.Stats()
		testkit.WantPanic(t, func() { a.Rewind(m) }, "Rewind", "stale")
		if a.Stats() != stats || kept != "kept" {
			t.Errorf("the panic changed something: %+v, was %+v", a.Stats(), stats)
		}
	}
	fill := func(a *arena.Arena) { arena.New[string](a); a.AllocBytes(300) }

	fill(a)
	m1 := a.Mark()
	fill(a)
	m2 := a.Mark()
	fill(a)
	m3 := a.Mark()
	a.Rewind(m2)
	stale(a, m3)
	fill(a)
	a.Rewind(m1)
	stale(a, m2)
	a.Rewind(m1)
	fill(a)
	m4 := a.Mark() // at the position of m2
	stale(a, m2)
	a.Rewind(m4)
	a.Reset()
	stale(a, m1)
	stale(a, m4)
	m5 := a.Mark()
	stale(a, m1)
	a.Release()
	stale(a, m5)
	a.Mark()
	stale(a, m5)

	var none *arena.Arena
	testkit.WantPanic(t, func() { b.Rewind(a.Mark()) }, "Rewind", "different arena")
	testkit.WantPanic(t, func() { none.Rewind(a.Mark()) }, "Rewind", "different arena")
	testkit.WantPanic(t, func() { b.Rewind(none.Mark()) }, "Rewind")
	testkit.WantPanic(t, func() { b.Rewind(arena.Mark{}) }, "Rewind")

	c := p.Get()
	m6 := c.Mark()
	p.Put(c)
	for range 10 {
		if d := p.Get(); d == c {
			stale(d, m6)
			break
		}
	}
}
