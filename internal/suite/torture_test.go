package suite

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// TestUnderHostileCollector runs the tests named TestGC... again in processes whose collector runs all the
// time, overwrites freed memory and checks every pointer. An ordinary run may read freed memory with its old
// content; these do not.
func TestUnderHostileCollector(t *testing.T) {
	const child = "ARENA_TEST_HOSTILE"
	if os.Getenv(child) != "" {
		t.Skip("this is the child")
	}
	variants := map[string][]string{
		"clobberfree": {"GOGC=1", "GODEBUG=clobberfree=1,invalidptr=1"},
		"checkmark":   {"GOGC=20", "GODEBUG=gccheckmark=1,clobberfree=1,invalidptr=1"},
	}
	for name, env := range variants {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "clobberfree" {
				t.Skip("short")
			}
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
			defer cancel()
			args := []string{"-test.run=^TestGC", "-test.v"}
			cmd := testkit.Self(ctx, t, args...)
			cmd.Env = append(append(os.Environ(), env...), child+"="+name)
			out, err := cmd.CombinedOutput()
			if err != nil || strings.Count(string(out), "--- PASS: TestGC") < 10 {
				t.Fatalf("%v\n%s", err, out)
			}
		})
	}
}

// hostile reports whether this is a process of TestUnderHostileCollector, in which collections are frequent
// and slow.
func hostile() bool { return os.Getenv("ARENA_TEST_HOSTILE") != "" }

// Promise 1: everything that an arena object refers to stays alive, whichever function allocated the object.
// An arena made of bytes fails this.
func TestGCSeesArenaObjects(t *testing.T) {
	n := 300
	if hostile() || check.Race {
		n = 100
	}
	ways := map[string]func() []*allKinds{
		"New": func() (out []*allKinds) {
			a := arena.NewArena(1000, 0)
			for range n {
				out = append(out, arena.New[allKinds](a))
			}
			return
		},
		"MakeSlice": func() (out []*allKinds) {
			a := arena.NewArena(1000, 0)
			for i := 0; len(out) < n; i++ {
				s := arena.MakeSlice[allKinds](a, i%5, 5)[:5]
				for j := range s {
					out = append(out, &s[j])
				}
			}
			return
		},
		"Append": func() (out []*allKinds) {
			a := arena.NewArena(1000, 0)
			var s []allKinds
			for i := range n {
				var x allKinds
				x.set(uint64(i))
				s = arena.Append(a, s, x)
			}
			for i := range s {
				out = append(out, &s[i])
			}
			return
		},
		"used arena": func() (out []*allKinds) {
			a := arena.NewArena(4096, 1<<20)
			for range 3 {
				out = out[:0]
				for i := range n {
					out = append(out, arena.New[allKinds](a))
					out[i].set(uint64(i) + 1000)
				}
				a.Reset()
			}
			out = out[:0]
			for range n {
				out = append(out, arena.New[allKinds](a))
			}
			return
		},
		"rewound arena": func() (out []*allKinds) {
			a := arena.NewArena(512, 0)
			for len(out) < n {
				out = append(out, arena.New[allKinds](a))
				m := a.Mark()
				for i := range len(out) % 7 {
					arena.New[allKinds](a).set(uint64(i))
				}
				a.Rewind(m)
			}
			return
		},
	}
	for name, objects := range ways {
		t.Run(name, func(t *testing.T) {
			all := objects() // the arena is dropped; only its objects are held
			for i, x := range all {
				if name != "Append" && (x.n != 0 || x.text != "" || x.list != nil || x.table != nil || x.iface != nil ||
					x.f != nil || x.ch != nil || x.raw != nil || x.next != nil || x.array != [2]*[3]string{}) {
					t.Fatalf("object %d is not zero: %+v", i, *x)
				}
				x.set(uint64(i))
			}
			testkit.Collect(3)
			for i, x := range all {
				if err := x.check(uint64(i)); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// Arenas made of bytes lose 5,000 of these 5,000 strings.
func TestGCFiveThousandStrings(t *testing.T) {
	type record struct {
		id   uint64
		text string
	}
	a := arena.NewArena(64<<10, 0)
	var records []*record
	for i := range uint64(5000) {
		r := arena.New[record](a)
		r.id, r.text = i, testkit.HeapText(i)
		records = append(records, r)
	}
	testkit.Collect(5)
	wrong := 0
	for i, r := range records {
		if r.id != uint64(i) || r.text != testkit.HeapText(uint64(i)) {
			wrong++
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d objects were read back wrong", wrong, len(records))
	}
}

// Promise 2: a pointer into a chunk keeps the chunk and everything reachable from it: values in other chunks,
// of other types, of other arenas, and text, after the arenas are gone.
func TestGCObjectsOutliveArena(t *testing.T) {
	type node struct {
		next  *node
		flat  *[2]uint64
		text  string
		bytes []byte
	}
	const n = 200
	head := func() *node {
		arenas := []*arena.Arena{arena.NewArena(64, 0), arena.NewArena(300, 0), arena.NewArenaPool(100, 0).Get(), arena.NewAutoPool(0).Get()}
		var head *node
		for i := range uint64(n) {
			a := arenas[i%4]
			x := arena.New[node](a)
			x.next, head = head, x
			x.flat = arena.New[[2]uint64](arenas[(i+1)%4])
			*x.flat = [2]uint64{i, ^i}
			x.text = arenas[(i+2)%4].AllocString(testkit.HeapText(i))
			x.bytes = arena.Append(a, a.AllocBytes(0), []byte(testkit.HeapText(i))...)
		}
		return head
	}()
	testkit.Collect(4)
	i := uint64(n)
	for x := head; x != nil; x = x.next {
		i--
		if *x.flat != [2]uint64{i, ^i} || x.text != testkit.HeapText(i) || string(x.bytes) != testkit.HeapText(i) {
			t.Fatalf("node %d holds %v, %q, %q", i, *x.flat, x.text, x.bytes)
		}
	}
	if i != 0 {
		t.Errorf("the list lost %d nodes", i)
	}

	if check.On {
		return // the rest would not finish in time
	}

	// A pointer also keeps its target after Release, and after Reset until the memory is reused.
	a := arena.NewArena(1024, 0)
	p := arena.New[node](a)
	p.text = testkit.HeapText(7)
	q := a.AllocString(testkit.HeapText(8))
	a.Release()
	a = nil
	testkit.Collect(2)
	if p.text != testkit.HeapText(7) || q != testkit.HeapText(8) {
		t.Errorf("after Release: %q, %q", p.text, q)
	}
}

// Promise 3: numbers written to recycled memory never become pointers, because memory with pointers is never
// reused for another type. The collector ends the process if it finds a number in place of a pointer.
func TestGCStaleWritesForgeNothing(t *testing.T) {
	testkit.NeedsReuse(t)
	type two struct{ a, b *uint64 }
	rounds := 30
	if hostile() || check.Race {
		rounds = 6
	}
	a := arena.NewArena(512, 1<<16)
	traced := map[uintptr]string{} // words that held pointers, and their type
	flat := map[uintptr]bool{}     // words that held none
	var keepAll []any              // keeps all chunks alive, so that addresses stay unique
	note := func(p unsafe.Pointer, n int, typ string) {
		for w := uintptr(p); w < uintptr(p)+uintptr(n); w += unsafe.Sizeof(w) {
			w := w &^ (unsafe.Sizeof(w) - 1)
			if was := traced[w]; typ == "" && was != "" || typ != "" && (flat[w] || was != "" && was != typ) {
				t.Fatalf("word %#x, now of %q, was of %q, flat %t", w, typ, was, flat[w])
			}
			if typ == "" {
				flat[w] = true
			} else {
				traced[w] = typ
			}
		}
	}
	for round := range rounds {
		var stale [][]uint64
		for i := range 20 {
			s := arena.MakeSlice[uint64](a, 8, 8+i)
			stale = append(stale, s[:cap(s)])
			note(unsafe.Pointer(&s[0]), 8*cap(s), "")
			p := arena.New[[3]uint64](a)
			stale = append(stale, p[:])
			note(unsafe.Pointer(p), 24, "")
			text := a.AllocString("some text with pointers next to it")
			note(unsafe.Pointer(unsafe.StringData(text)), len(text), "")
			keepAll = append(keepAll, s, p, text)
		}
		if round%3 == 0 {
			a.Release()
		} else {
			a.Reset()
		}
		for i := range 20 {
			for _, s := range stale {
				for j := range s {
					s[j] = 0xdead0001 + uint64(j)<<32
				}
			}
			x, y, z := arena.New[two](a), arena.New[*uint64](a), arena.MakeSlice[any](a, 2, 4)
			u := arena.Append(a, arena.MakeSlice[*uint64](a, 1, 1), nil, nil)
			if *x != (two{}) || *y != nil || z[0] != nil || z[:4][3] != nil || u[0] != nil {
				t.Fatalf("round %d: a pointer is not nil", round)
			}
			note(unsafe.Pointer(x), int(unsafe.Sizeof(*x)), "two")
			note(unsafe.Pointer(y), int(unsafe.Sizeof(*y)), "*uint64")
			note(unsafe.Pointer(&u[0]), int(unsafe.Sizeof(u[0]))*cap(u), "*uint64")
			note(unsafe.Pointer(&z[0]), int(unsafe.Sizeof(z[0]))*cap(z), "any")
			x.a, x.b, *y, z[1] = heapInt(1), heapInt(2), heapInt(uint64(i)), testkit.HeapText(4)
			for _, s := range stale {
				clear(s)
			}
			if *x.a != 1 || *x.b != 2 || **y != uint64(i) || z[1] != testkit.HeapText(4) {
				t.Fatalf("round %d: a stale write shows in an object with pointers", round)
			}
			keepAll = append(keepAll, x, y, z, u)
		}
		if round%5 == 0 {
			testkit.Collect(1)
		}
		if round%2 == 0 {
			a.Reset()
		}
	}
	runtime.KeepAlive(keepAll)
}

// A stale pointer may show any value of its type, but always a valid one, because the collector follows it.
func TestGCStaleReadsAreWhole(t *testing.T) {
	testkit.NeedsReuse(t)
	a := arena.NewArena(2048, 1<<16)
	var stale []*allKinds
	for round := range uint64(8) {
		for i := range uint64(30) {
			x := arena.New[allKinds](a)
			x.set(round<<32 + i)
			stale = append(stale, x)
		}
		m := a.Mark()
		arena.New[allKinds](a).set(1)
		a.Rewind(m)
		a.Reset()
		for i, x := range stale {
			x.next = stale[(i+1)%len(stale)] // stale links between stale objects
			x.text, x.iface = testkit.HeapText(uint64(i)), any(x)
		}
		testkit.Collect(1)
		for i, x := range stale { // the same memory may occur more than once
			if y, ok := x.iface.(*allKinds); !ok || y != x || x.next == nil || !strings.HasPrefix(x.text, "heap text ") {
				t.Fatalf("round %d: stale object %d holds %+v", round, i, *x)
			}
		}
		for _, x := range stale {
			*x = allKinds{}
		}
	}
}

// A pool passes memory from one owner to the next. A collection at any time finds everything that the current
// owner stored.
func TestGCPooledArenas(t *testing.T) {
	cycles := 60
	if hostile() || check.Race {
		cycles = 15
	}
	p := arena.NewAutoPool(0)
	for cycle := range uint64(cycles) {
		p.Do(func(a *arena.Arena) {
			var held []*allKinds
			for i := range 20 + cycle {
				x := arena.New[allKinds](a)
				x.set(cycle + i)
				held = arena.Append(a, held, x)
			}
			if cycle%5 == 0 {
				testkit.Collect(1)
			}
			for i, x := range held {
				if err := x.check(cycle + uint64(i)); err != nil {
					t.Fatalf("cycle %d: %v", cycle, err)
				}
			}
		})
	}
}

// Objects of many sizes, so that the rounding of every size class occurs: the heap may return more bytes than
// a chunk requests. The collector must not find pointers in pointer-free memory, nor miss the last pointer of
// a chunk.
func TestGCLastPointerOfChunk(t *testing.T) {
	for _, chunk := range []int{1, 24, 100, 520, 1000, 4096, 33000} {
		a := arena.NewArena(chunk, 0)
		var held []*[3]*uint64
		for i := range uint64(chunk/12 + 10) {
			x := arena.New[[3]*uint64](a)
			x[2] = heapInt(i)
			held = append(held, x)
		}
		testkit.Collect(1)
		for i, x := range held {
			if x[0] != nil || *x[2] != uint64(i) {
				t.Fatalf("chunk size %d: object %d of %d", chunk, i, len(held))
			}
		}
	}
}
