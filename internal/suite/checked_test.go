//go:build arenacheck || race || asan

package suite

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// needsChecks skips the test in builds without checks.
func needsChecks(t *testing.T) {
	if !check.On {
		t.Skip("EBBPOOL_CHECKED=off")
	}
}

// panicOf returns the text of f's panic, or "".
func panicOf(f func()) (text string) {
	defer func() {
		if e := recover(); e != nil {
			text = fmt.Sprint(e)
		}
	}()
	f()
	return ""
}

// Use of an arena after Put panics, immediately and also after others have called Get. If pools reused arenas
// in these builds, the arena could be another request's by then and the misuse would not be detectable.
func TestCheckedUseAfterPut(t *testing.T) {
	needsChecks(t)
	p := arena.NewArenaPool(1024, 0)
	a := p.Get()
	p.Put(a)
	for range 10 {
		p.Do(func(b *arena.Arena) {
			if a == b {
				t.Fatal("an arena came back")
			}
		})
	}
	for name, use := range map[string]func(){
		"New":             func() { arena.New[int](a) },
		"MakeSlice":       func() { arena.MakeSlice[*int](a, 1, 1) },
		"MakeSliceUninit": func() { arena.MakeSliceUninit[int](a, 1, 1) },
		"Append":          func() { arena.Append(a, nil, 1) },
		"AllocString":     func() { a.AllocString("x") },
		"AllocBytes":      func() { a.AllocBytes(1) },
		"SetLimit":        func() { a.SetLimit(1 << 20) },
		"Mark":            func() { a.Mark() },
		"Reset":           func() { a.Reset() },
		"Release":         func() { a.Release() },
	} {
		want := "arena: " + name + ": arena was put back in its pool"
		if got := panicOf(use); !strings.HasPrefix(got, want) {
			t.Errorf("%s after Put: %q, want %q", name, got, want)
		}
	}
	if st := p.Stats(); st.Gets != 11 || st.Puts != 11 {
		t.Errorf("Stats = %+v", st)
	}
}

// The arena must also stay unusable while the arena that replaces it, and shares its statistics, is in use.
func TestCheckedUseAfterPutWhileAnotherIsOut(t *testing.T) {
	needsChecks(t)
	p := arena.NewArenaPool(1024, 0)
	a := p.Get()
	p.Put(a)
	b := p.Get()
	for name, use := range map[string]func(){
		"New":   func() { arena.New[int](a) },
		"Reset": func() { a.Reset() },
		"Put":   func() { p.Put(a) },
	} {
		if got := panicOf(use); !strings.Contains(got, "put back in its pool") && !strings.Contains(got, "put twice") {
			t.Errorf("%s after Put: %q", name, got)
		}
	}
	arena.New[int](b)
	p.Put(b)
	if st := p.Stats(); st.Gets != 2 || st.Puts != 2 {
		t.Errorf("%+v", st)
	}
}

// The panic of a second Put shows the stack of the first.
func TestCheckedStacks(t *testing.T) {
	needsChecks(t)
	if check.Race {
		t.Skip("what would print the stacks is the other side of a race")
	}
	p := arena.NewArenaPool(1024, 0)
	a := p.Get()
	p.Put(a)
	text := panicOf(func() { p.Put(a) })
	if strings.Count(text, "checked_test.go") < 2 || !strings.Contains(text, "Put took memory back at:") {
		t.Errorf("the message does not say where the arena was got and put:\n%s", text)
	}
	b := arena.NewArena(1024, 0)
	m := b.Mark()
	b.Reset()
	if text := panicOf(func() { b.Rewind(m) }); !strings.Contains(text, "Reset took memory back at:") {
		t.Errorf("the message does not say where the arena was reset:\n%s", text)
	}
}

// Checked builds never reuse memory, so that every use of a stale pointer can be found, not only the first.
func TestCheckedMemoryIsNotReused(t *testing.T) {
	needsChecks(t)
	type both struct {
		p *int
		n int
	}
	a := arena.NewArena(1024, 0)
	seen := map[uintptr]bool{}
	var keep []any // reachable, because the collector may reuse the address of anything else
	for cycle := range 100 {
		m := a.Mark()
		x, y, b := arena.New[int64](a), arena.New[both](a), a.AllocBytes(10)
		keep = append(keep, x, y, b)
		for _, at := range []uintptr{xunsafe.Offset(nil, xunsafe.PointerTo(x)), xunsafe.Offset(nil, xunsafe.PointerTo(y)), xunsafe.Number(xunsafe.DataOf(b))} {
			if seen[at] {
				t.Fatalf("cycle %d: memory was handed out again", cycle)
			}
			seen[at] = true
		}
		if cycle%2 == 0 {
			a.Rewind(m)
		} else {
			a.Reset()
		}
		if used := a.Stats().UsedBytes; used != 0 {
			t.Fatalf("cycle %d: UsedBytes = %d", cycle, used)
		}
	}
	runtime.KeepAlive(keep)
}

// Redzones do not count: statistics are the same in all builds.
func TestCheckedStatisticsAreThoseOfPlainBuilds(t *testing.T) {
	needsChecks(t)
	a := arena.NewArena(1024, 0)
	m := a.Mark()
	arena.New[int64](a)
	arena.New[*int](a)
	a.AllocString("seven..")
	arena.MakeSlice[int32](a, 3, 3)
	want := 8 + int(xunsafe.SizeOf[*int]()) + 7 + 16
	if got := a.Stats().UsedBytes; got != want {
		t.Errorf("UsedBytes = %d, want %d", got, want)
	}
	a.Rewind(m)
	if got := a.Stats(); got.UsedBytes != 0 || got.HighWater != want {
		t.Errorf("after Rewind: %+v, want a high-water mark of %d", got, want)
	}

	// Chunks begin small here, also if a large value follows for which a plain build's chunk has room.
	a = arena.NewArena(64<<10, 0)
	for range 10 {
		a.AllocBytes(8)
		a.Reset()
		a.AllocBytes(8)
		a.AllocBytes(10_000)
		a.Reset()
		m := a.Mark()
		a.AllocBytes(10_000)
		a.Rewind(m)
		a.AllocBytes(200)
		a.Reset()
	}
	if got := a.Stats().Oversize; got != 0 {
		t.Errorf("Oversize = %d", got)
	}
	p := arena.NewArenaPool(64<<10, 0)
	for range 100 {
		p.Do(func(a *arena.Arena) { a.AllocBytes(100) })
	}
	if st := p.Stats(); st.Oversize != 0 || st.Arenas != 1 && !check.Race || st.Misses != 1 && !check.Race {
		t.Errorf("pool: %+v", st)
	}
	p = arena.NewAutoPool(0)
	for range 300 {
		p.Do(func(a *arena.Arena) { a.AllocBytes(3000) })
	}
	if got := p.Stats().ChunkSize; got < 3000 || got > 5000 {
		t.Errorf("an automatic pool learned a chunk size of %d", got)
	}
}

// Memory that is never used again must be collectable, or these builds would run out of memory.
func TestCheckedMemoryIsFreed(t *testing.T) {
	needsChecks(t)
	before := heapBytes()
	p := arena.NewArenaPool(64<<10, 0)
	for range 2000 {
		p.Do(func(a *arena.Arena) {
			a.AllocBytes(60 << 10)
			arena.New[*int](a)
		})
	}
	for range 10 { // finalizers run in another goroutine
		runtime.GC()
		runtime.Gosched()
	}
	if grown := heapBytes() - before; grown > 20<<20 {
		t.Errorf("%d bytes are kept of 2000 cycles of 64 KB", grown)
	}
}
