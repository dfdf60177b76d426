//go:build linux || darwin

package suite

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/guard"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
)

type sampledNode struct {
	next *sampledNode
	text string
	list []int
	some any
	n    int
}

// guardedUse makes values with a guarded arena, puts the arena back, and returns the reports of a later use
// of the values.
func guardedUse[T any](t *testing.T, get func(*arena.Arena) T, use func(*arena.Arena, T)) []*arena.MisuseReport {
	t.Helper()
	var reports []*arena.MisuseReport
	p := arena.NewAutoPool(0)
	p.SetMisuseSampling(1, func(r *arena.MisuseReport) { reports = append(reports, r) })
	a := p.Get()
	v := get(a)
	p.Put(a)
	func() {
		defer func() {
			if err, ok := recover().(error); ok && !errors.As(err, new(*arena.FaultError)) {
				t.Errorf("the use ends in %v, and nothing says why", err)
			}
		}()
		defer arena.ExplainFaults()
		use(a, v)
	}()
	runtime.KeepAlive(v)
	return reports
}

var sampledSink any

// SetMisuseSampling finds each documented use after Put in a plain build, once, with three stacks.
func TestMisuseSamplingFinds(t *testing.T) {
	if check.On || !guard.HavePages() || testkit.Emulated() {
		t.Skip("each arena is guarded, or none; an emulated fault may have no address")
	}
	found := func(name string, reports []*arena.MisuseReport) {
		t.Helper()
		if len(reports) != 1 {
			t.Errorf("%s: %d reports, want 1", name, len(reports))
			return
		}
		r := reports[0]
		if text := r.String(); strings.Count(text, "misuse_sampling_test.go") < 3 {
			t.Errorf("%s: the stacks don't lead here:\n%s", name, text)
		}
	}
	none := func(name string, reports []*arena.MisuseReport) {
		t.Helper()
		if len(reports) != 0 {
			t.Errorf("%s is found: say so in the doc comment\n%s", name, reports[0])
		}
	}
	node := func(a *arena.Arena) *sampledNode {
		return arena.NewOf(a, sampledNode{next: arena.New[sampledNode](a), text: a.AllocString("text"), list: arena.SliceOf(a, 1, 2), some: arena.New[int](a), n: 7})
	}
	number := func(a *arena.Arena) *int { return arena.NewOf(a, 7) }
	found("a number, read", guardedUse(t, number, func(_ *arena.Arena, x *int) { sampledSink = *x }))
	found("a number, written", guardedUse(t, number, func(_ *arena.Arena, x *int) { *x = 1 }))
	found("a text", guardedUse(t, func(a *arena.Arena) string { return a.AllocString("some text") }, func(_ *arena.Arena, s string) { sampledSink = strings.ToUpper(s) }))
	found("bytes", guardedUse(t, func(a *arena.Arena) []byte { return a.AllocBytes(100) }, func(_ *arena.Arena, b []byte) { b[99] = 1 }))
	found("a large slice", guardedUse(t, func(a *arena.Arena) []int { return arena.MakeSlice[int](a, 1<<17, 1<<17) }, func(_ *arena.Arena, s []int) { s[1<<16] = 1 }))
	found("the next value", guardedUse(t, node, func(_ *arena.Arena, x *sampledNode) { x.next.n = 1 }))
	found("a text in a value", guardedUse(t, node, func(_ *arena.Arena, x *sampledNode) { sampledSink = strings.ToUpper(x.text) }))
	found("a slice in a value", guardedUse(t, node, func(_ *arena.Arena, x *sampledNode) { x.list[0] = 1 }))
	found("an interface in a value", guardedUse(t, node, func(_ *arena.Arena, x *sampledNode) { sampledSink = x.some.(*int) }))
	found("a value of a slice", guardedUse(t, func(a *arena.Arena) []*int { return arena.SliceOf(a, new(int)) }, func(_ *arena.Arena, s []*int) { *s[0] = 1 }))
	if unsafe.Sizeof(uintptr(0)) == 8 { // otherwise the groups of a dead Map are beyond the recognized addresses
		found("a Map", guardedUse(t, func(a *arena.Arena) *arena.Map[string, int] {
			m := arena.NewMap[string, int](a, 0)
			m.Set("key", 1)
			return m
		}, func(_ *arena.Arena, m *arena.Map[string, int]) { sampledSink, _ = m.Get("key") }))
	}
	found("a Buffer", guardedUse(t, func(a *arena.Arena) *arena.Buffer {
		b := arena.NewBuffer(a, 0)
		b.WriteString("text")
		return b
	}, func(_ *arena.Arena, b *arena.Buffer) { b.WriteByte('!') }))
	found("what a Fork made", guardedUse(t, func(a *arena.Arena) string { return a.Fork().AllocString("text") }, func(_ *arena.Arena, s string) { sampledSink = s + "!" }))
	found("what a Fork of a Fork made", guardedUse(t, func(a *arena.Arena) *sampledNode { return node(a.Fork().Fork()) }, func(_ *arena.Arena, x *sampledNode) { x.next.n = 1 }))
	found("an allocation", guardedUse(t, number, func(a *arena.Arena, _ *int) { arena.New[int](a) }))
	found("an allocation with pointers", guardedUse(t, number, func(a *arena.Arena, _ *int) { arena.New[sampledNode](a) }))
	found("a text's allocation", guardedUse(t, number, func(a *arena.Arena, _ *int) { a.AllocString("text") }))
	found("an allocation from a Fork", guardedUse(t, func(a *arena.Arena) *arena.Arena { return a.Fork() }, func(_, f *arena.Arena) { f.AllocBytes(8) }))
	found("an Allocator's", guardedUse(t, func(a *arena.Arena) arena.Allocator[*int] { return arena.AllocatorFor[*int](a) }, func(_ *arena.Arena, l arena.Allocator[*int]) { l.New() }))
	found("memory of a Rewind", guardedUse(t, func(a *arena.Arena) *int {
		m := a.Mark()
		x := arena.New[int](a)
		a.Rewind(m)
		return x
	}, func(_ *arena.Arena, x *int) { *x = 1 }))
	none("a number beside pointers", guardedUse(t, node, func(_ *arena.Arena, x *sampledNode) { sampledSink = x.n }))
	none("a write beside pointers", guardedUse(t, node, func(_ *arena.Arena, x *sampledNode) { x.next = nil }))
	none("nothing", guardedUse(t, number, func(*arena.Arena, *int) {}))
}

// Reset and Release of a guarded arena and its forks protect memory in the middle of a request, as Put does.
// Otherwise new values would occupy the memory of stale pointers and nothing would be found. Other arenas are
// unaffected.
func TestGuardedReset(t *testing.T) {
	if check.On || !guard.HavePages() || testkit.Emulated() {
		t.Skip("each arena is guarded, or none; an emulated fault may have no address")
	}
	for name, end := range map[string]func(*arena.Arena){"Reset": (*arena.Arena).Reset, "Release": (*arena.Arena).Release} {
		for _, which := range []string{"arena", "fork", "fork's fork"} {
			var reports []*arena.MisuseReport
			found := func(want int, what string, use func()) {
				t.Helper()
				func() {
					defer func() { recover() }()
					defer arena.ExplainFaults()
					use()
				}()
				if len(reports) != want {
					t.Fatalf("%s of the %s: %s: %d reports, want %d", name, which, what, len(reports), want)
				}
			}
			p := arena.NewArenaPool(4096, 0)
			p.SetMisuseSampling(1, func(r *arena.MisuseReport) { reports = append(reports, r) })
			a := p.Get()
			x, other := a, a.Fork()
			if which != "arena" {
				x, other = other, x
			}
			child := x.Fork()
			if which == "fork's fork" {
				x = child
			}
			handle := arena.AllocatorFor[sampledNode](x)
			stale, late := handle.New(), child.AllocString("late")
			stale.text = x.AllocString("stale")
			text := stale.text
			kept := other.AllocString("kept")
			end(x)
			fresh := x.AllocString("fresh")
			for range 1000 { // more than one chunk holds
				if n := handle.New(); n == stale || n.text != "" || n.next != nil {
					t.Fatal("memory is handed out twice, or not zero")
				}
			}
			found(0, "what is made later", func() { sampledSink = fresh + x.Fork().AllocString("!") })
			if which != "arena" {
				found(0, "what the arena has", func() { sampledSink = kept + "!" })
			}
			found(1, "a text", func() { sampledSink = text + "!" })
			found(1, "another use of the same", func() { sampledSink = stale.text + "!" })
			found(1, "what a fork had", func() { sampledSink = late + "!" })
			if r := reports[0].String(); !strings.Contains(r, "TestGuardedReset") || strings.Count(r, "misuse_sampling_test.go") < 3 || strings.Contains(r, "*Arena)."+name) {
				t.Errorf("the stacks don't lead here:\n%s", r)
			}
			p.Put(a)
			found(2, "what is made later, after Put", func() { sampledSink = fresh + "!" })
			if s := p.Stats(); s.Gets != s.Puts || s.InUseBytes != 0 || s.RetainedBytes != 0 {
				t.Errorf("%s of the %s: %+v", name, which, s)
			}
		}
	}
	var reports []*arena.MisuseReport
	p := arena.NewAutoPool(0)
	p.SetMisuseSampling(1, func(r *arena.MisuseReport) { reports = append(reports, r) })
	p.Do(func(a *arena.Arena) {
		f := a.Fork()
		a.Reset()
		f.AllocBytes(8)
		a.Fork().AllocBytes(8)
	})
	if len(reports) != 1 || reports[0].Text != "arena: an allocation from a fork that Reset has ended" {
		t.Errorf("a fork that is used later: %v", reports)
	}
}

// Put leaves debug.SetPanicOnFault as Get found it, in the goroutine of the Get. After a guarded arena it
// stays on: what sampling looks for comes then.
func TestPutRestoresPanicOnFault(t *testing.T) {
	if check.On {
		t.Skip("no Get is sampled")
	}
	run := func(f func()) { // a new goroutine, in which the setting is off
		done := make(chan bool)
		go func() { defer close(done); f() }()
		<-done
	}
	isOn := func() bool {
		on := debug.SetPanicOnFault(true)
		debug.SetPanicOnFault(on)
		return on
	}
	p, guarded := arena.NewAutoPool(0), arena.NewAutoPool(0)
	p.SetMisuseSampling(1<<30, nil)
	guarded.SetMisuseSampling(1, nil)
	for name, f := range map[string]func() (want bool){
		"Get": func() bool { p.Get(); return true }, //arenavet:ignore it never comes back
		"Put": func() bool { p.Put(p.Get()); return false },
		"Do":  func() bool { p.Do(func(*arena.Arena) {}); return false },
		"isolated": func() bool {
			isolated := arena.NewAutoPool(0)
			isolated.SetIsolation(true)
			isolated.SetMisuseSampling(1<<30, nil)
			isolated.Put(isolated.Get())
			isolated.Put(isolated.Get())
			return false
		},
		"sampling ends": func() bool {
			p := arena.NewAutoPool(0)
			p.SetMisuseSampling(1<<30, nil)
			a := p.Get()
			p.SetMisuseSampling(0, nil)
			p.Put(a)
			return false
		},
		"on before":      func() bool { debug.SetPanicOnFault(true); p.Put(p.Get()); return true },
		"guarded":        func() bool { guarded.Put(guarded.Get()); return true },
		"Put in another": func() bool { a := p.Get(); run(func() { p.Put(a) }); return true },
		"Put for another": func() bool {
			debug.SetPanicOnFault(true)
			var a *arena.Arena
			run(func() { a = p.Get() })
			p.Put(a)
			return true
		},
		"a second request":    func() bool { a := p.Get(); run(func() { p.Put(a) }); p.Put(p.Get()); return true },
		"without sampling":    func() bool { p := arena.NewAutoPool(0); p.SetLeakSampling(1); p.Put(p.Get()); return false },
		"while pools are off": func() bool { arena.SetEnabled(false); defer arena.SetEnabled(true); p.Put(p.Get()); return false },
	} {
		run(func() {
			if want := f(); isOn() != want {
				t.Errorf("%s: debug.SetPanicOnFault is %t, want %t", name, !want, want)
			}
		})
	}
}

// Any sequence of Get and Put in two goroutines: debug.SetPanicOnFault is on in a goroutine while an arena that it
// got is in use, and afterwards as the comment of SetMisuseSampling says.
func TestPanicOnFaultOfManyArenas(t *testing.T) {
	if check.On {
		t.Skip("no Get is sampled")
	}
	sampled, guarded := arena.NewAutoPool(0), arena.NewAutoPool(0)
	sampled.SetMisuseSampling(1<<30, nil)
	guarded.SetMisuseSampling(1, nil)
	type held struct {
		arena  *arena.Arena
		pool   *arena.ArenaPool
		getter int
	}
	const goroutines = 2
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		var do [goroutines]chan func()
		var done sync.WaitGroup
		for g := range do {
			do[g] = make(chan func())
			done.Go(func() {
				for f := range do[g] {
					f()
				}
			})
		}
		run := func(g int, f func()) {
			ran := make(chan bool)
			do[g] <- func() { f(); close(ran) }
			<-ran
		}
		var inUse []held
		var count [goroutines]int
		var stays [goroutines]bool
		if r.IntN(4) == 0 {
			stays[0] = true
			run(0, func() { debug.SetPanicOnFault(true) })
		}
		for step := range 40 {
			g := r.IntN(goroutines)
			if len(inUse) == 0 || r.IntN(5) < 2 {
				x := held{pool: sampled, getter: g}
				if r.IntN(12) == 0 {
					x.pool = guarded
				}
				run(g, func() { x.arena = x.pool.Get() })
				inUse = append(inUse, x)
				count[g]++
			} else {
				i := r.IntN(len(inUse))
				x := inUse[i]
				inUse = slices.Delete(inUse, i, i+1)
				if r.IntN(4) != 0 {
					g = x.getter
				}
				run(g, func() { x.pool.Put(x.arena) })
				count[x.getter]--
				if x.pool == guarded || count[x.getter] == 0 && g != x.getter {
					stays[x.getter] = true
				}
			}
			for g := range do {
				var on bool
				run(g, func() { on = debug.SetPanicOnFault(true); debug.SetPanicOnFault(on) })
				if want := count[g] != 0 || stays[g]; on != want {
					t.Fatalf("seed %d, step %d: debug.SetPanicOnFault is %t in goroutine %d, want %t", seed, step, on, g, want)
				}
			}
		}
		for _, x := range inUse {
			run(x.getter, func() { x.pool.Put(x.arena) })
		}
		for _, c := range do {
			close(c)
		}
		done.Wait()
	}
}

// A leaked arena does not keep debug.SetPanicOnFault on in its goroutine for good.
func TestLeakedArenaEndsPanicOnFault(t *testing.T) {
	if check.On {
		t.Skip("no Get is sampled")
	}
	p := arena.NewAutoPool(0)
	p.SetMisuseSampling(1<<30, nil)
	func() { p.Get().AllocBytes(8) }() //arenavet:ignore it is leaked
	kept := p.Get()
	for range 100 {
		if runtime.GC(); p.Stats().Leaked == 1 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	p.Put(kept)
	if debug.SetPanicOnFault(false) {
		t.Error("debug.SetPanicOnFault stays on after the last Put")
	}
}

// One Get in n is guarded, and others behave as without sampling. Statistics, limits and leaks include
// guarded arenas.
func TestMisuseSamplingCounts(t *testing.T) {
	if check.On || !guard.HavePages() || testkit.Emulated() {
		t.Skip("each arena is guarded, or none; an emulated fault may have no address")
	}
	p := arena.NewArenaPool(4096, 0)
	p.SetMisuseSampling(10, nil)
	p.SetLimit(1<<20, 4<<20)
	const gets = 5000
	for range gets {
		p.Do(func(a *arena.Arena) {
			arena.New[sampledNode](a)
			arena.New[int](a.Fork())
			func() {
				defer func() {
					if _, ok := recover().(*arena.LimitError); !ok {
						t.Fatal("the limit does not hold")
					}
				}()
				a.AllocBytes(2 << 20)
			}()
		})
	}
	s := p.Stats()
	if s.Gets != gets || s.Puts != gets || s.Leaked != 0 || s.InUseBytes != 0 {
		t.Errorf("after %d Gets and Puts: %+v", gets, s)
	}
	if s.Guarded < 380 || s.Guarded > 620 { // six standard deviations
		t.Errorf("%d of %d Gets are guarded, with a rate of 10", s.Guarded, gets)
	}
	if s.Misses > gets/10 && !check.Race { // under the race detector a sync.Pool drops some values
		t.Errorf("%d Gets found no arena: guarded ones count as that, or the arenas that they replace don't go back", s.Misses)
	}
	p.SetMisuseSampling(0, nil)
	for range 100 {
		p.Put(p.Get())
	}
	if again := p.Stats(); again.Guarded != s.Guarded {
		t.Errorf("%d Gets are guarded while sampling is off", again.Guarded-s.Guarded)
	}
	// Arenas count their Gets down from a number of the current rate, and the first Get is not more likely
	// than others.
	p.SetMisuseSampling(1<<30, nil)
	p.Put(p.Get())
	p.SetMisuseSampling(1, nil)
	p.Put(p.Get())
	if again := p.Stats(); again.Guarded != s.Guarded+1 {
		t.Errorf("%d of 2 Gets are guarded, want the second", again.Guarded-s.Guarded)
	}
	first := 0
	for range 1000 {
		p := arena.NewArenaPool(4096, 0)
		p.SetMisuseSampling(10, nil)
		p.Put(p.Get())
		first += int(p.Stats().Guarded)
	}
	if first < 50 || first > 200 {
		t.Errorf("the first Gets of %d of 1,000 pools are guarded, with a rate of 10", first)
	}
	defer func() {
		if recover() == nil {
			t.Error("a negative rate is accepted")
		}
	}()
	p.SetMisuseSampling(-1, nil)
}

// Putting a guarded arena twice panics, or it would count as two arenas.
func TestGuardedArenaPutTwice(t *testing.T) {
	p := arena.NewAutoPool(0)
	p.SetMisuseSampling(1, nil)
	a := p.Get()
	p.Put(a)
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "put twice") {
			t.Errorf("the second Put ends in %q", text)
		}
	}()
	p.Put(a)
}

// The memory of guarded arenas is bounded. Beyond the bound no Get is guarded until the collector has freed
// some of it.
func TestGuardedMemoryIsBounded(t *testing.T) {
	if check.On || !guard.HavePages() || testkit.Emulated() {
		t.Skip("each arena is guarded, or none; an emulated fault may have no address")
	}
	collectGuarded() // guarded by other tests
	p := arena.NewArenaPool(1<<20, 0)
	p.SetMisuseSampling(1, func(*arena.MisuseReport) {})
	var kept [][]byte
	for range 100 {
		a := p.Get()
		kept = append(kept, a.AllocBytes(1<<20))
		p.Put(a)
	}
	if n := guard.Bytes(); n > machine.MostGuarded {
		t.Errorf("%d bytes are guarded, the bound is %d", n, machine.MostGuarded)
	}
	if n := p.Stats().Guarded; n < 5 || n > 17 {
		t.Errorf("%d arenas are guarded", n)
	}
	runtime.KeepAlive(kept)
	kept = nil
	if n := collectGuarded(); n >= machine.MostGuarded/4 {
		t.Errorf("%d bytes are guarded still", n)
	}
}

// collectGuarded collects guarded arenas and returns the number of bytes still guarded. At MostGuarded, no
// further arena is guarded.
func collectGuarded() int {
	for range 100 {
		runtime.GC()
		time.Sleep(time.Millisecond)
		if guard.Bytes() < machine.MostGuarded/4 {
			break
		}
	}
	return int(guard.Bytes())
}

// A bug in one request of a thousand is found in ten million requests, of which one in a thousand is guarded:
// about ten times, for each kind of bug.
func TestMisuseSamplingRate(t *testing.T) {
	if check.On || !guard.HavePages() || testkit.Emulated() {
		t.Skip("each arena is guarded, or none; an emulated fault may have no address")
	}
	requests, rate, every := 10_000_000, 1000, 1000
	if testing.Short() {
		requests, rate, every = 100_000, 100, 100
	}
	for name, serve := range map[string]func(a *arena.Arena) (use func()){
		"a text":   func(a *arena.Arena) func() { s := a.AllocString("text"); return func() { sampledSink = s + "!" } },
		"a number": func(a *arena.Arena) func() { x := arena.New[int](a); return func() { *x = 1 } },
		"a value with pointers": func(a *arena.Arena) func() {
			x := arena.NewOf(a, sampledNode{text: a.AllocString("text")})
			return func() { sampledSink = x.text + "!" }
		},
		"the arena": func(a *arena.Arena) func() { return func() { a.AllocBytes(8) } },
	} {
		collectGuarded()
		found := 0
		p := arena.NewAutoPool(0)
		p.SetMisuseSampling(rate, func(*arena.MisuseReport) { found++ })
		for i := range requests {
			a := p.Get()
			use := serve(a)
			p.Put(a)
			if i%every == 0 {
				func() {
					defer func() { recover() }()
					defer arena.ExplainFaults()
					use()
				}()
			}
		}
		if found < 1 || found > 40 {
			t.Errorf("%s: found %d times in %d requests, want about 10", name, found, requests)
		}
	}
}
