//go:build arenacheck && !asan && (linux || darwin)

package suite

import (
	"runtime"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/guard"
)

// Stale values with pointers contain recognizable pointers that refer to no memory.
func TestDeadValues(t *testing.T) {
	needsChecks(t)
	type value struct {
		p    *int
		s    string
		b    []byte
		i    any
		n    int
		m    map[int]int
		many [2]*int
	}
	a := arena.NewArena(1024, 0)
	x := arena.New[value](a)
	x.p, x.s, x.b, x.i, x.n = new(int), "text", []byte("bytes"), 5, 7
	x.many[1] = new(int)
	a.Reset()
	runtime.GC() // the collector must be able to scan it
	if len(x.s) != guard.DeadLen || len(x.b) != guard.DeadLen || x.n != guard.DeadLen || x.p == nil || x.many[1] == nil || x.m == nil {
		t.Errorf("len(s) %d, len(b) %d, n %d, p %p", len(x.s), len(x.b), x.n, x.p)
	}
	for name, access := range map[string]func(){
		"pointer":   func() { *x.p = 1 },
		"string":    func() { sink = x.s[10] },
		"slice":     func() { x.b[0] = 1 },
		"interface": func() { _ = x.i.(error).Error() },
		"map":       func() { x.m[1] = 1 },
		"array":     func() { *x.many[1] = 1 },
	} {
		fault := faultOf(access)
		if fault == nil {
			t.Errorf("%s: no fault", name)
		} else if text := fault.Error(); !strings.Contains(text, "TestDeadValues") || !strings.Contains(text, "Reset took memory back at:") {
			t.Errorf("%s: the text does not say which cycle the memory was of:\n%s", name, text)
		}
	}
}

// All objects of a chunk are overwritten with dead values, not only the first.
func TestEveryObjectGetsDeadValues(t *testing.T) {
	needsChecks(t)
	type value struct {
		n int
		p *int
		s string
	}
	a := arena.NewArena(4096, 0)
	var values []*value
	for range 20 {
		for _, x := range []*value{arena.New[value](a), &arena.MakeSlice[value](a, 3, 3)[2]} {
			x.n, x.p, x.s = 1, new(int), "text"
			values = append(values, x)
		}
	}
	a.Reset()
	for i, x := range values {
		if x.n != guard.DeadLen || len(x.s) != guard.DeadLen || faultOf(func() { *x.p = 1 }) == nil {
			t.Fatalf("value %d goes on as n %d, p %p", i, x.n, x.p)
		}
	}
}

type tree struct {
	left, right *tree
	name        string
}

func grow(a *arena.Arena, depth int) *tree {
	if depth == 0 {
		return nil
	}
	x := arena.New[tree](a)
	x.left, x.right, x.name = grow(a, depth-1), grow(a, depth-1), a.AllocString("node")
	return x
}

//go:noinline
func takeBack(a *arena.Arena) { a.Reset() }

//go:noinline
func takeBackToo(a *arena.Arena) { a.Release() }

// The message for a dead pointer names the request that it belongs to. After many cycles it says that it
// cannot be sure.
func TestDeadPointersTellTheirCycle(t *testing.T) {
	needsChecks(t)
	a := arena.NewArena(1024, 0)
	first := grow(a, 3)
	takeBack(a)
	second := grow(a, 3)
	takeBackToo(a)
	for i, stale := range []*tree{first, second} {
		fault := faultOf(func() { sink = stale.left.left.name[0] })
		if fault == nil {
			t.Fatal("no fault")
		}
		want, other := "suite.takeBack\n", "suite.takeBackToo\n"
		if i == 1 {
			want, other = other, want
		}
		if text := fault.Error(); !strings.Contains(text, want) || strings.Contains(text, other) {
			t.Errorf("tree %d: %s", i, text)
		}
	}
	for range guard.QuarantineSlots {
		arena.New[*int](a)
		a.Reset()
	}
	if fault := faultOf(func() { sink = first.left.name[0] }); fault == nil || !strings.Contains(fault.Error(), "cycles before it") {
		t.Errorf("after %d cycles: %v", guard.QuarantineSlots, fault)
	}
}
