//go:build race

package suite

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// The race detector must report access to another goroutine's memory even if both goroutines use the same
// pool. Shared counters of the pool would order the two and hide the race.
func TestRaceIsSeenThroughThePool(t *testing.T) {
	needsChecks(t)
	if check.Tag {
		t.Skip("a stale read faults")
	}
	const child = "EBBPOOL_TEST_STALE_READ"
	if os.Getenv(child) != "" {
		staleRead()
		return
	}
	cmd := testkit.Self(context.Background(), t, "-test.run=^TestRaceIsSeenThroughThePool$")
	cmd.Env = append(os.Environ(), child+"=1")
	out, _ := cmd.CombinedOutput()
	if text := string(out); !strings.Contains(text, "DATA RACE") || !strings.Contains(text, "Put") {
		t.Errorf("the stale read was not reported:\n%s", text)
	}
}

// staleRead reads memory that another goroutine has put back, after both have served a request. Only time
// orders the two, which the detector does not know.
func staleRead() {
	p := arena.NewArenaPool(1024, 0)
	request := func(then func()) {
		p.Do(func(a *arena.Arena) {
			arena.New[int](a)
			then()
		})
	}
	values, done := make(chan *int, 1), make(chan struct{})
	go func() {
		a := p.Get()
		values <- arena.New[int](a)
		time.Sleep(100 * time.Millisecond)
		p.Put(a)
		request(func() {})
	}()
	go func() {
		defer close(done)
		x := <-values
		time.Sleep(400 * time.Millisecond)
		request(func() { sinkInt = *x })
	}()
	<-done
}

// The race detector does not see the allocator's own accesses. It must still report each exported function as
// a use of the arena, with the caller's line on both sides, and each value that a function copies.
func TestRaceIsSeenInEachFunction(t *testing.T) {
	const child, module = "EBBPOOL_TEST_TWO_GOROUTINES", "github.com/ebbpool/arena."
	a, value := arena.NewArena(1024, 0), []byte("value")
	alone := arena.NewArena(1024, 0) // used by the second goroutine
	uses := map[string][2]func(){
		"New":             twice(func() { arena.New[int](a) }),
		"New, pointers":   twice(func() { arena.New[*int](a) }),
		"MakeSlice":       twice(func() { arena.MakeSlice[int](a, 1, 1) }),
		"MakeSliceUninit": twice(func() { arena.MakeSliceUninit[int](a, 1, 1) }),
		"Append":          twice(func() { arena.Append(a, nil, 1) }),
		"AllocString":     twice(func() { a.AllocString("x") }),
		"AllocBytes":      twice(func() { a.AllocBytes(1) }),
		"Mark":            twice(func() { a.Mark() }),
		"SetLimit":        twice(func() { a.SetLimit(1 << 20) }),
		"Reset":           twice(func() { a.Reset() }),
		"Release":         twice(func() { a.Release() }),

		"Stats": {func() { arena.New[int](a) }, func() { a.Stats() }},

		"bytes for a string": {func() { value[0] = 'x' }, func() { alone.AllocBytesToString(value) }},
		"items of Append":    {func() { value[0] = 'x' }, func() { arena.Append(alone, nil, value...) }},
		"slice of Append":    {func() { value[0] = 'x' }, func() { arena.Append(alone, value, 1, 2, 3, 4, 5, 6, 7, 8, 9) }},
	}
	if name := os.Getenv(child); name != "" {
		done := make(chan struct{})
		go func() {
			time.Sleep(50 * time.Millisecond) // an order that the detector does not know
			uses[name][1]()
			close(done)
		}()
		uses[name][0]()
		<-done
		return
	}
	for name := range uses {
		cmd := testkit.Self(context.Background(), t, "-test.run=^TestRaceIsSeenInEachFunction$")
		cmd.Env = append(os.Environ(), child+"="+name)
		out, _ := cmd.CombinedOutput()
		report, _, _ := strings.Cut(string(out), "created at:")
		// For each side: the call, and the caller of that function.
		if !strings.Contains(report, "DATA RACE") || strings.Count(report, "checked_race_test.go") < 4 {
			t.Errorf("%s: no report with the lines of both goroutines:\n%s", name, out)
		}
		// On at least one side the report must name an exported function of this package above the lines of
		// the program.
		if strings.Count(report, module) == strings.Count(report, module+"Test") {
			t.Errorf("%s: the report names no function of this package:\n%s", name, out)
		}
	}
}

func twice(f func()) [2]func() { return [2]func(){f, f} }

// sinkInt keeps the compiler from removing a read.
var sinkInt int
