package suite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// A tenant writes only one letter: strings repeat it, and each byte of a number is the letter. So every byte
// of pointer-free memory shows whose it is, whatever the memory is reused for.
type tenant byte

const keyedTenants = 50

func (t tenant) letter() byte       { return '0' + byte(t) }
func (t tenant) number() uint64     { return 0x0101010101010101 * uint64(t.letter()) }
func (t tenant) text(n int) string  { return strings.Repeat(string(rune(t.letter())), n) }
func (t tenant) key() string        { return fmt.Sprintf("tenant-%d", t) }
func (t tenant) owns(b []byte) bool { return len(bytes.Trim(b, string(rune(t.letter()))+"\x00")) == 0 }

type keyedNode struct {
	n    uint64
	text string
	next *keyedNode
}

// keyedStale holds references of each kind into the memory of one request.
type keyedStale struct {
	tenant
	a, fork *arena.Arena
	handle  arena.Allocator[keyedNode]
	nodes   []*keyedNode
	flat    *[4]uint64
	numbers []uint64
	texts   []string
	bytes   []byte
	boxed   any
	table   *arena.Map[string, uint64]
	buffer  *arena.Buffer
}

// allocate fills new memory of every kind.
func (k *keyedStale) allocate(a *arena.Arena, size int) {
	node := func(p *keyedNode, a *arena.Arena) *keyedNode {
		p.n, p.text, p.next = k.number(), a.AllocString(k.tenant.text(1+size%50)), p
		return p
	}
	k.a, k.handle = a, arena.AllocatorFor[keyedNode](a)
	k.nodes = arena.SliceOf(a, node(arena.New[keyedNode](a), a), node(k.handle.New(), a), arena.NewOf(a, keyedNode{n: k.number()}))
	k.flat = arena.NewOf(a, [4]uint64{k.number(), k.number(), k.number(), k.number()})
	k.numbers = arena.MakeSliceUninit[uint64](a, size, size)
	for i := range k.numbers {
		k.numbers[i] = k.number()
	}
	k.texts = arena.SliceOf(a, a.AllocString(k.tenant.text(size)), a.Concat(k.tenant.text(3), k.tenant.text(4)), a.Sprintf("%s", k.tenant.text(5)))
	k.bytes = arena.Append(a, k.bytes, []byte(k.tenant.text(size))...)
	k.boxed = arena.BoxOf(a, k.number())
	k.table = arena.NewMap[string, uint64](a, size%20)
	for n := range 3 {
		k.table.Set(a.AllocString(k.tenant.text(1+n)), k.number())
	}
	k.buffer = arena.NewBuffer(a, 8)
	k.buffer.WriteString(k.tenant.text(size))
	if size%4 == 0 {
		k.fork = a.Fork()
		k.nodes = arena.Append(a, k.nodes, node(arena.New[keyedNode](k.fork), k.fork))
	}
}

func wordOf(n uint64) []byte { return binary.NativeEndian.AppendUint64(nil, n) }

// foreign describes content of k that is neither its tenant's nor zero, or returns "".
func (k *keyedStale) foreign() (found string) {
	see := func(what string, b []byte) {
		if !k.owns(b) {
			found = fmt.Sprintf("%s of tenant %q is %q", what, k.letter(), b)
		}
	}
	for _, p := range k.nodes {
		for range 2 {
			if p != nil {
				see("a node's number", wordOf(p.n))
				see("a node's text", []byte(p.text))
				p = p.next
			}
		}
	}
	for _, n := range append(k.numbers, k.flat[:]...) {
		see("a number", wordOf(n))
	}
	for _, s := range k.texts {
		see("a text", []byte(s))
	}
	see("a slice", k.bytes[:cap(k.bytes)])
	see("a buffer", k.buffer.Bytes())
	see("an interface", wordOf(k.boxed.(uint64)))
	for key, n := range k.table.All() {
		see("a key", []byte(key))
		see("a value", wordOf(n))
	}
	return found
}

// abuse writes through the references of k, as late code does, but only what its tenant writes.
func (k *keyedStale) abuse() {
	k.handle.New().n = k.number()
	k.a.AllocString(k.tenant.text(7))
	k.bytes = arena.Append(k.a, k.bytes, []byte(k.tenant.text(30))...)
	for i := range k.numbers {
		k.numbers[i] = k.number()
	}
	if k.nodes[0] != nil { // Put clears memory with pointers
		k.nodes[0].n = k.number()
	}
	if k.fork != nil {
		arena.New[keyedNode](k.fork).n = k.number()
	}
	k.a.Fork().AllocString(k.tenant.text(9))
}

// TestKeyedPoolKeepsTenantsApart runs requests of 50 tenants in random order, keeps references of every kind,
// writes through them, and looks for other tenants' data.
func TestKeyedPoolKeepsTenantsApart(t *testing.T) {
	if check.On {
		t.Skip("nothing is used again, and what is kept can't be looked at")
	}
	for _, test := range []struct {
		name            string
		keys, collected int // maximum number of keys, and requests between collections
	}{{"all keys have memory", keyedTenants, 5000}, {"most keys are evicted", 7, 1000}, {"one key has memory", 1, 3000}} {
		t.Run(test.name, func(t *testing.T) {
			p := arena.NewKeyedPool[string](0)
			p.SetMaxKeys(test.keys)
			random := rand.New(rand.NewPCG(1, uint64(test.keys)))
			var kept [500]*keyedStale
			recycled := 0
			for n := range testkit.Rounds(1_000_000, 15_000) / 3 {
				k := &keyedStale{tenant: tenant(1 + random.IntN(keyedTenants))}
				a := p.Get(k.key())
				if n%97 == 0 {
					p.SetMaxIdleBytes(random.IntN(4) << 18)
				}
				k.allocate(a, 1+random.IntN(1<<random.IntN(8)))
				at := random.IntN(len(kept))
				old := kept[at]
				if old != nil && old.a == a {
					recycled++
				}
				for _, k := range []*keyedStale{k, old} {
					if k == nil {
						continue
					}
					if what := k.foreign(); what != "" {
						t.Fatalf("request %d: %s", n, what)
					}
				}
				kept[at] = k
				p.Put(a)
				if old != nil && n%3 == 0 {
					old.abuse()
				}
				if n%test.collected == 0 {
					runtime.GC()
				}
			}
			for _, k := range kept {
				if what := k.foreign(); what != "" {
					t.Fatal(what)
				}
			}
			if recycled == 0 && test.keys == keyedTenants && !check.Race {
				t.Error("no arena was used again")
			}
		})
	}
}

// keyedPlain skips a test of memory reuse in builds that do not reuse memory.
func keyedPlain(t *testing.T) {
	testkit.NeedsReuse(t)
	if check.Race {
		t.Skip("a sync.Pool loses arenas there")
	}
}

func TestKeyedPoolEvicts(t *testing.T) {
	keyedPlain(t)
	p := arena.NewKeyedPool[int](0)
	p.SetMaxKeys(3)
	serve := func(key int) *arena.Arena {
		a := p.Get(key)
		a.AllocBytes(1000)
		p.Put(a)
		return a
	}
	first := map[int]*arena.Arena{}
	for _, key := range []int{1, 2, 3} {
		first[key] = serve(key)
	}
	for other := 100; other < 106; other++ {
		serve(1)
		serve(other)
	}
	if serve(1) != first[1] {
		t.Error("a key that was used before each eviction was evicted")
	}
	if s := p.Stats(); s.Keys != 3 || s.EvictedKeys != 6 || s.Gets != s.Puts || s.Gets != 3+3*4+1 {
		t.Errorf("Keys, EvictedKeys, Gets, Puts = %d, %d, %d, %d, want 3, 6, 16, 16", s.Keys, s.EvictedKeys, s.Gets, s.Puts)
	}

	a := p.Get(7)
	const size = 1000
	arena.New[[size]byte](a)
	gone := make(chan struct{})
	runtime.AddCleanup(a, func(gone chan struct{}) { close(gone) }, gone)
	for key := 200; key < 210; key++ {
		serve(key)
	}
	if s := p.Stats(); s.InUseBytes < size {
		t.Errorf("the arena of an evicted key counts %d bytes", s.InUseBytes)
	}
	p.Put(a)
	testkit.WantPanic(t, func() { p.Put(a) }, "KeyedPool.Put", "twice")
	a = nil
	collected := func() bool {
		select {
		case <-gone:
			return true
		default:
			return false
		}
	}
	if !testkit.CollectUntil(collected) {
		t.Error("the arena of an evicted key was kept after Put")
	}
	p.SetMaxKeys(1)
	if !testkit.CollectUntil(func() bool { return p.Stats().Arenas <= 1 }) {
		t.Errorf("arenas of evicted keys are kept: %+v", p.Stats())
	}
	s := p.Stats()
	if gets := uint64(16 + 1 + 10); s.Gets != gets || s.Puts != gets || s.Keys != 1 || s.Leaked != 0 {
		t.Errorf("in the end %+v, want %d Gets", s, gets)
	}
	if !testkit.CollectUntil(func() bool { s := p.Stats(); return s.RetainedBytes <= 8<<10 && s.UsedAtPut.Count() == s.Puts }) {
		t.Errorf("in the end %+v", p.Stats())
	}
}

func TestKeyedPoolLimits(t *testing.T) {
	p := arena.NewKeyedPool[string](0)
	p.SetLimit(100<<10, 250<<10)
	if s := p.Stats(); s.LimitPerArena != 100<<10 || s.LimitTotal != 250<<10 {
		t.Errorf("limits of %d and %d", s.LimitPerArena, s.LimitTotal)
	}
	var out []*arena.Arena
	take := func(key string, n int) error {
		a := p.Get(key)
		out = append(out, a)
		err := catchLimit(func() { a.AllocBytes(n) })
		if err == nil {
			return nil
		}
		return err
	}
	var over *arena.LimitError
	if err := take("one", 120<<10); !errors.As(err, &over) || over.Retry {
		t.Errorf("120 KB of 100: %v", err)
	}
	for i := range 3 {
		if err := take(fmt.Sprint("key", i), 75<<10); err != nil {
			t.Errorf("key %d of 75 KB: %v", i, err)
		}
	}
	if err := take("last", 75<<10); !errors.As(err, &over) || !over.Retry {
		t.Errorf("beyond the total of all keys: %v", err)
	}
	if s := p.Stats(); s.Refused != 2 || s.RefusedByTotal != 1 {
		t.Errorf("%d refused, %d by the total", s.Refused, s.RefusedByTotal)
	}
	for _, a := range out {
		p.Put(a)
	}
	out = nil
	if err := take("last", 75<<10); err != nil {
		t.Errorf("after all were put back: %v", err)
	}
	p.SetMaxKeys(1) // evicts keys with an arena in use, which still counts
	if s := p.Stats(); s.InUseBytes < 75<<10 {
		t.Errorf("%d bytes in use", s.InUseBytes)
	}
	for _, a := range out {
		p.Put(a)
	}
	p.SetLimit(0, 0)
	if a := p.Get("large"); catchLimit(func() { a.AllocBytes(1 << 20) }) != nil {
		t.Error("a limit that was removed refuses")
	}
}

func TestKeyedPoolIdleBound(t *testing.T) {
	keyedPlain(t)
	const keys, bound = 1000, 2 << 20
	p := arena.NewKeyedPool[int](0)
	p.SetMaxIdleBytes(bound)
	for range 20 {
		for key := range keys {
			a := p.Get(key)
			a.AllocBytes(5000)
			arena.MakeSlice[string](a, 100, 100)
			if key%50 == 0 {
				a.AllocBytes(200 << 10)
			}
			p.Put(a)
		}
	}
	testkit.Finalizers(t, 5)
	within := func() bool { return p.Stats().RetainedBytes <= bound }
	if !testkit.CollectUntil(within) {
		t.Errorf("%d bytes are idle, want at most %d", p.Stats().RetainedBytes, bound)
	}
	if s := p.Stats(); s.RetainedBytes < bound/2 || s.MaxIdleBytes != bound || s.Keys != keys {
		t.Errorf("%d of %d bytes are kept for %d keys", s.RetainedBytes, s.MaxIdleBytes, s.Keys)
	}
	p.SetMaxIdleBytes(0)
	if !testkit.CollectUntil(func() bool { s := p.Stats(); return s.RetainedBytes == 0 && s.Arenas == 0 }) {
		t.Errorf("with a bound of 0: %+v", p.Stats())
	}
}

// A key that is a string in recycled memory must not change with that memory.
func TestKeyedPoolCopiesKeys(t *testing.T) {
	type pair struct {
		name  string
		parts [2]string
	}
	p := arena.NewKeyedPool[pair](0)
	text := []byte("tenant-a")
	view := func(from, to int) string { return xunsafe.ViewString(text[from:to]) }
	p.Put(p.Get(pair{view(0, 8), [2]string{view(0, 3), view(3, 8)}}))
	copy(text, "TENANT-B")
	p.Put(p.Get(pair{"TENANT-B", [2]string{"TEN", "ANT-B"}}))
	if s := p.Stats(); s.Keys != 2 {
		t.Errorf("%d keys, want 2", s.Keys)
	}
	p.Put(p.Get(pair{"tenant-a", [2]string{"ten", "ant-a"}}))
	if s := p.Stats(); s.Keys != 2 {
		t.Errorf("%d keys after a known one, want 2", s.Keys)
	}
}

// The same holds for strings and numbers in interfaces.
func TestKeyedPoolCopiesInterfaces(t *testing.T) {
	type route struct {
		name  any
		parts [2]any
	}
	p := arena.NewKeyedPool[any](0)
	text, a := []byte("tenant-a"), arena.NewArena(4<<10, 0)
	view := func(from, to int) string { return xunsafe.ViewString(text[from:to]) }
	use := func(keys ...any) int {
		for _, key := range keys {
			p.Put(p.Get(key))
		}
		return p.Stats().Keys
	}
	use(view(0, 8), route{view(0, 8), [2]any{view(0, 3), nil}}, arena.BoxOf(a, uint64(1000)))
	copy(text, "TENANT-B")
	a.Reset()
	arena.BoxOf(a, uint64(2000))
	if n := use("tenant-a", route{"tenant-a", [2]any{"ten", nil}}, uint64(1000)); n != 3 {
		t.Errorf("%d keys, want 3", n)
	}
	if n := use("TENANT-B", route{"TENANT-B", [2]any{"TEN", nil}}, uint64(2000)); n != 6 {
		t.Errorf("%d keys, want 6", n)
	}
}

func TestKeyedPoolOddKeys(t *testing.T) {
	floats := arena.NewKeyedPool[float64](0)
	floats.SetMaxKeys(4)
	for range 100 {
		floats.Put(floats.Get(math.NaN()))
		floats.Put(floats.Get(0))
	}
	if s := floats.Stats(); s.Keys > 4 || s.Gets != 200 || s.Puts != 200 {
		t.Errorf("with NaNs: %+v", s)
	}
	anys := arena.NewKeyedPool[any](0)
	for _, key := range []any{nil, 1, "1", 1.0, [2]int{1, 2}, 1, "1"} {
		anys.Put(anys.Get(key))
	}
	if s := anys.Stats(); s.Keys != 5 {
		t.Errorf("%d keys of 5", s.Keys)
	}
	func() {
		defer func() {
			if err, _ := recover().(runtime.Error); err == nil || !strings.Contains(err.Error(), "unhashable") {
				t.Errorf("a slice as a key panics with %v", err)
			}
		}()
		anys.Get([]int{1})
	}()
	anys.Put(anys.Get(2)) // must not be locked
}

func TestKeyedPoolZeroNilAndOff(t *testing.T) {
	var zero arena.KeyedPool[string]
	zero.Do("a", func(a *arena.Arena) {
		if a == nil {
			t.Error("the zero KeyedPool has no arena")
		}
	})
	if s := zero.Stats(); s.Gets != 1 || s.Puts != 1 || s.Mode != "plain" || s.ChunkSize == 0 || s.MaxRetained != 640<<10 {
		t.Errorf("the zero KeyedPool: %+v", s)
	}

	var p *arena.KeyedPool[string]
	if a := p.Get("a"); a != nil {
		t.Error("a nil pool has an arena")
	}
	p.Put(nil)
	p.Do("a", func(a *arena.Arena) { p.Put(a) })
	p.SetLimit(1, 1)
	p.SetMaxIdleBytes(0)
	p.SetMaxKeys(1)
	p.SetCollectAfter(0)
	p.SetIsolation(true)
	p.SetLeakSampling(1)
	p.SetMisuseSampling(0, nil)
	if p.Stats() != (arena.PoolStats{}) || p.Leaks() != nil || p.SetLimitsFromEnvironment(0.5) != nil || p.SetLimitsFromEnvironment(2) == nil {
		t.Error("a nil pool is not empty")
	}
	for _, p := range []*arena.KeyedPool[string]{nil, new(arena.KeyedPool[string])} {
		testkit.WantPanic(t, func() { p.SetLimit(-1, 0) }, "KeyedPool.SetLimit", "-1")
		testkit.WantPanic(t, func() { p.SetMaxIdleBytes(-1) }, "KeyedPool.SetMaxIdleBytes", "-1")
		testkit.WantPanic(t, func() { p.SetMaxKeys(0) }, "KeyedPool.SetMaxKeys", "0")
		testkit.WantPanic(t, func() { p.SetCollectAfter(-1) }, "KeyedPool.SetCollectAfter", "-1")
		testkit.WantPanic(t, func() { p.SetLeakSampling(-1) }, "KeyedPool.SetLeakSampling", "-1")
		testkit.WantPanic(t, func() { p.SetMisuseSampling(-1, nil) }, "KeyedPool.SetMisuseSampling", "-1")
		testkit.WantPanic(t, func() { p.Put(arena.NewArena(100, 0)) }, "KeyedPool.Put", "not from a pool")
		testkit.WantPanic(t, func() { p.Put(zero.Get("a")) }, "KeyedPool.Put", "another pool")
	}
	plain := arena.NewAutoPool(0)
	testkit.WantPanic(t, func() { zero.Put(plain.Get()) }, "KeyedPool.Put", "another pool")
	testkit.WantPanic(t, func() { plain.Put(zero.Get("a")) }, "ArenaPool.Put", "another pool")
	a := zero.Get("b")
	testkit.WantPanic(t, func() { zero.Put(a.Fork()) }, "KeyedPool.Put", "fork")

	arena.SetEnabled(false)
	defer arena.SetEnabled(true)
	off := arena.NewKeyedPool[string](0)
	off.SetLimit(1000, 0)
	if s := off.Stats(); s.Mode != "heap" {
		t.Errorf("mode %q", s.Mode)
	}
	off.Do("a", func(a *arena.Arena) {
		if catchLimit(func() { a.AllocBytes(2000) }) == nil {
			t.Error("a disabled pool has no limit")
		}
	})
}

// Setters apply to existing and future keys, and stacks begin at the caller of Get.
func TestKeyedPoolSettings(t *testing.T) {
	p := arena.NewKeyedPool[string](0)
	p.Put(p.Get("before"))
	p.SetLeakSampling(1)
	for _, key := range []string{"before", "after"} {
		p.Get(key).AllocString("leaked")
	}
	if !testkit.CollectUntil(func() bool { return p.Stats().Leaked == 2 && len(p.Leaks()) != 0 }) {
		t.Fatalf("%d leaked arenas at %d places", p.Stats().Leaked, len(p.Leaks()))
	}
	leaks := p.Leaks()
	frame, _ := runtime.CallersFrames(leaks[0].Stack).Next()
	if len(leaks) != 1 || leaks[0].Count != 2 || !strings.HasSuffix(frame.Function, ".TestKeyedPoolSettings") {
		t.Errorf("leaks %v, the innermost function is %s", leaks, frame.Function)
	}
	if check.On {
		return
	}
	p.SetIsolation(true)
	if s := p.Stats(); s.Mode != "isolated" {
		t.Errorf("mode %q", s.Mode)
	}
	for _, key := range []string{"before", "new"} {
		a := p.Get(key)
		s := a.AllocString("mine")
		p.Put(a)
		b := p.Get(key)
		b.AllocString("next")
		if p.Put(b); s != "mine" || a == b {
			t.Errorf("key %s: a text of an isolated request is %q", key, s)
		}
	}
	p.SetIsolation(false)
	found := make(chan *arena.MisuseReport, 1)
	p.SetMisuseSampling(1, func(r *arena.MisuseReport) { found <- r })
	defer p.SetMisuseSampling(0, nil)
	a := p.Get("guarded")
	p.Put(a)
	func() {
		defer func() { _ = recover() }()
		a.AllocString("late")
	}()
	select {
	case r := <-found:
		for what, stack := range map[string][]uintptr{"Get": r.Get, "Put": r.Put} {
			f, _ := runtime.CallersFrames(stack).Next()
			if !strings.HasSuffix(f.Function, ".TestKeyedPoolSettings") && what == "Get" {
				t.Errorf("the innermost function of %s is %s", what, f.Function)
			}
		}
	default:
		t.Error("a late allocation was not reported")
	}
}

func TestKeyedPoolAllocatesNothing(t *testing.T) {
	keyedPlain(t)
	p := arena.NewKeyedPool[string](0)
	keys := make([]string, 100)
	for i := range keys {
		keys[i] = fmt.Sprint("key", i)
	}
	i := 0
	serve := func() {
		a := p.Get(keys[i%len(keys)])
		arena.New[keyedNode](a)
		p.Put(a)
		i++
	}
	for range 20 * len(keys) {
		serve()
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	if n := testing.AllocsPerRun(1000, serve); n != 0 {
		t.Errorf("%v allocations for each request", n)
	}
}

// TestKeyedPoolModel compares random sequences of calls with a model. No address may be used by two keys: the
// test keeps all memory alive, so the heap does not reuse addresses.
func TestKeyedPoolModel(t *testing.T) {
	testkit.NeedsReuse(t)
	for seed := range uint64(testkit.Rounds(200, 20)) {
		random := rand.New(rand.NewPCG(seed, 1))
		p := arena.NewKeyedPool[int](64 << 10)
		owner := map[*uint64]int{}
		type out struct {
			a   *arena.Arena
			key int
		}
		var outs []out
		most, gets, puts := 1024, uint64(0), uint64(0)
		seen := map[int]bool{}
		for step := range 2000 {
			switch random.IntN(10) {
			case 0:
				most = 1 + random.IntN(12)
				p.SetMaxKeys(most)
			case 1:
				p.SetMaxIdleBytes(random.IntN(3) << 17)
			case 2, 3, 4, 5:
				key := random.IntN(20)
				a := p.Get(key)
				gets++
				seen[key] = true
				for range random.IntN(20) {
					x := arena.New[uint64](a)
					if was, ok := owner[x]; ok && was != key {
						t.Fatalf("seed %d, step %d: key %d got memory of key %d", seed, step, key, was)
					}
					owner[x] = key
					a.AllocBytes(random.IntN(1 << random.IntN(13)))
				}
				outs = append(outs, out{a, key})
			default:
				if len(outs) != 0 {
					i := random.IntN(len(outs))
					p.Put(outs[i].a)
					outs[i] = outs[len(outs)-1]
					outs = outs[:len(outs)-1]
					puts++
				}
			}
			if step%500 == 0 {
				runtime.GC()
			}
			s := p.Stats()
			if s.Gets != gets || s.Puts != puts || s.Keys > min(most, len(seen)) || s.Keys == 0 && gets != 0 || s.Leaked != 0 {
				t.Fatalf("seed %d, step %d: %d Gets, %d Puts, at most %d keys: %+v", seed, step, gets, puts, most, s)
			}
			if len(outs) == 0 && s.InUseBytes != 0 || s.RetainedBytes < 0 {
				t.Fatalf("seed %d, step %d: %+v", seed, step, s)
			}
		}
		runtime.KeepAlive(owner)
	}
}

// Goroutines use, evict and configure keys concurrently.
func TestKeyedPoolConcurrent(t *testing.T) {
	p := arena.NewKeyedPool[string](0)
	p.SetMaxKeys(10)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(g), 3))
			for n := range testkit.Rounds(20_000, 2_000) {
				key := tenant(1 + random.IntN(15))
				a := p.Get(key.key())
				b := arena.MakeSlice[byte](a, 100, 100)
				for i := range b {
					if b[i] != 0 {
						t.Errorf("new memory is %d", b[i])
						return
					}
					b[i] = key.letter()
				}
				x := arena.NewOf(a, keyedNode{text: a.AllocString(key.text(10))})
				if n%100 == 0 {
					runtime.Gosched()
				}
				if !key.owns(b) || x.text != key.text(10) {
					t.Errorf("another request has written into that of %s", key.key())
				}
				p.Put(a)
				switch {
				case n%501 == 0:
					p.SetMaxKeys(5 + random.IntN(10))
				case n%701 == 0:
					p.SetMaxIdleBytes(random.IntN(1 << 20))
				case n%601 == 0:
					p.SetLimit(1<<20, random.IntN(2)<<30)
				case n%401 == 0:
					p.Stats()
				case n%901 == 0:
					p.SetLeakSampling(random.IntN(3))
				case g == 0 && n%301 == 0:
					runtime.GC()
				}
			}
		})
	}
	wg.Wait()
	s := p.Stats()
	if s.Gets != s.Puts || s.InUseBytes != 0 || s.Gets != uint64(8*testkit.Rounds(20_000, 2_000)) {
		t.Errorf("in the end %+v", s)
	}
	p.SetMaxKeys(1)
	p.SetMaxIdleBytes(0)
	if !testkit.CollectUntil(func() bool { return p.Stats().Arenas == 0 }) {
		t.Errorf("after all, %+v", p.Stats())
	}
	if s := p.Stats(); s.RetainedBytes != 0 || s.Gets != s.Puts {
		t.Errorf("after all, %+v", s)
	}
}

// Large requests of one key do not inflate the arenas of another, as they do in an ArenaPool. A new arena of a key
// begins with the size that its key has learned.
func TestKeyedPoolLearnsSizes(t *testing.T) {
	keyedPlain(t)
	const large, small, most = 4 << 20, 4 << 10, 16 << 10 // of requests, and of arenas for small requests
	keyed, plain := arena.NewKeyedPool[string](8<<20), arena.NewAutoPool(8<<20)
	// serve returns the chunks that the arena has after its first allocation.
	serve := func(a *arena.Arena, n int) (bytes int) {
		a.AllocBytes(1)
		bytes = a.Stats().RetainedBytes
		for range n / 1024 {
			a.AllocBytes(1024)
		}
		return bytes
	}
	requests := func(key string, n int) (inKeyed, inPlain int) {
		keyed.Do(key, func(a *arena.Arena) { inKeyed = serve(a, n) })
		plain.Do(func(a *arena.Arena) { inPlain = serve(a, n) })
		return inKeyed, inPlain
	}
	for range 100 {
		requests("large", large)
		requests("small", small)
	}
	if bytes, inPlain := requests("small", small); bytes > most || inPlain < 4*most {
		t.Errorf("the arena of a small request has %d bytes in a KeyedPool and %d in an ArenaPool, want at most %d and at least %d", bytes, inPlain, most, 4*most)
	}
	if bytes, _ := requests("large", large); bytes < 4*most {
		t.Errorf("the arena of a large request has %d bytes, want at least %d", bytes, 4*most)
	}
	for _, key := range []string{"small", "large"} {
		idle, fresh := keyed.Get(key), keyed.Get(key)
		if bytes := serve(fresh, 0); bytes > most != (key == "large") {
			t.Errorf("a new arena for %s requests has %d bytes", key, bytes)
		}
		keyed.Put(idle)
		keyed.Put(fresh)
	}
}

// The limits of the environment apply to existing and new keys, and follow the runtime's memory limit.
func TestKeyedPoolLimitsFromEnvironment(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(64 << 20))
	p := arena.NewKeyedPool[string](0)
	p.Put(p.Get("old"))
	if err := p.SetLimitsFromEnvironment(0.25); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"old", "new"} {
		p.Do(key, func(a *arena.Arena) {
			var over *arena.LimitError
			if err := catchLimit(func() { a.AllocBytes(5 << 20) }); !errors.As(err, &over) || over.Limit != 4<<20 {
				t.Errorf("key %s: %v, want a limit of 4 MB", key, err)
			}
		})
	}
	debug.SetMemoryLimit(32 << 20)
	if !testkit.CollectUntil(func() bool { s := p.Stats(); return s.LimitTotal == 8<<20 && s.LimitPerArena == 2<<20 }) {
		t.Errorf("limits %d and %d, want 2 and 8 MB", p.Stats().LimitPerArena, p.Stats().LimitTotal)
	}
	if err := p.SetLimitsFromEnvironment(2); err == nil || !strings.Contains(err.Error(), "KeyedPool.SetLimitsFromEnvironment: share 2") {
		t.Error(err)
	}
}

// The memory of evicted keys counts towards SetCollectAfter: at the eviction, or at Put if the arena is in use.
func TestKeyedPoolCollectsAfter(t *testing.T) {
	keyedPlain(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for name, use := range map[string]func(p *arena.KeyedPool[int]){
		"idle": func(p *arena.KeyedPool[int]) {
			for key := range 40 {
				p.Do(key, func(a *arena.Arena) { a.AllocBytes(50 << 10) })
			}
		},
		"in use": func(p *arena.KeyedPool[int]) {
			var out []*arena.Arena
			for key := range 40 {
				a := p.Get(key)
				a.AllocBytes(50 << 10)
				out = append(out, a)
			}
			for _, a := range out {
				p.Put(a)
			}
		},
	} {
		p := arena.NewKeyedPool[int](0)
		p.SetMaxKeys(1)
		p.SetCollectAfter(1 << 20)
		before := collections()
		for tries := 0; collections() == before; tries++ {
			use(p) // again if the collection for the other pool was not over
			if time.Sleep(10 * time.Millisecond); tries == 500 {
				t.Fatalf("%s: no collection after %d MB of evicted keys", name, 2*tries)
			}
		}
	}
}
