package suite

import (
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenareflect"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

type isoNode struct {
	n    int
	text string
	next *isoNode
}

// isoKept holds a reference of each kind into a cycle, and the cycle's number, which is the content of all
// values.
type isoKept struct {
	n        int
	a, fork  *arena.Arena
	mark     arena.Mark
	handle   arena.Allocator[isoNode]
	node     *isoNode
	flat     *[3]int
	ints     []int
	nodes    []*isoNode
	text     string
	boxed    any
	ofFork   *isoNode
	table    *arena.Map[string, int]
	value    reflect.Value
	values   reflect.Value
	buffer   *arena.Buffer
	buffered string
}

func isoText(n int) string { return "cycle " + strconv.Itoa(n) }

// isoCycle allocates one value of each kind and checks that memory is zero.
func isoCycle(t *testing.T, a *arena.Arena, n int) *isoKept {
	k := &isoKept{n: n, a: a, mark: a.Mark(), handle: arena.AllocatorFor[isoNode](a)}
	node := func(p *isoNode) *isoNode {
		if *p != (isoNode{}) {
			t.Fatalf("cycle %d: a new node is %+v", n, *p)
		}
		p.n, p.text = n, a.AllocString(isoText(n))
		return p
	}
	k.node = node(arena.New[isoNode](a))
	k.node.next = node(k.handle.New())
	k.flat = arena.New[[3]int](a)
	k.ints = arena.MakeSlice[int](a, 3, 3+n%4)
	for i, v := range k.ints[:cap(k.ints)] {
		if v != 0 || k.flat[i%3] != 0 {
			t.Fatalf("cycle %d: new memory is %d", n, v)
		}
	}
	*k.flat = [3]int{n, n, n}
	copy(k.ints, k.flat[:])
	k.nodes = arena.SliceOf(a, k.node, k.node.next)
	k.text = a.AllocString(isoText(n))
	k.boxed = any(k.node)
	k.table = arena.NewMap[string, int](a, n%3)
	k.table.Set(k.text, n)
	k.value = arenareflect.New(a, reflect.TypeFor[isoNode]())
	k.value.Elem().Set(reflect.ValueOf(*k.node))
	k.values = arenareflect.MakeSlice(a, reflect.TypeFor[[]int](), 2, 2)
	k.values.Index(1).SetInt(int64(n))
	k.buffer = arena.NewBuffer(a, n%5)
	k.buffer.WriteString(isoText(n))
	k.buffered = k.buffer.String()
	if n%8 == 0 {
		k.fork = a.Fork()
		k.ofFork = node(arena.New[isoNode](k.fork))
	}
	m := a.Mark() // memory freed by a rewind may be reused by the same cycle only
	arena.New[isoNode](a).n = -1
	a.AllocString("taken back")
	a.Rewind(m)
	return k
}

// foreign describes content of k that is neither its cycle's nor zero, or returns "".
func (k *isoKept) foreign() string {
	n, text := k.n, isoText(k.n)
	number := func(what string, got int) string {
		if got != n && got != 0 {
			return fmt.Sprintf("%s is %d", what, got)
		}
		return ""
	}
	node := func(what string, p *isoNode) string {
		if p == nil {
			return ""
		}
		if p.text != "" && p.text != text {
			return what + " has the text " + strconv.Quote(p.text)
		}
		return number(what, p.n)
	}
	found := []string{
		node("a pointer", k.node), node("what it leads to", k.node.next), node("an interface", k.boxed.(*isoNode)), node("a fork's", k.ofFork),
		number("a value without pointers", k.flat[2]), number("a slice", k.ints[1]),
		node("a Value", k.value.Interface().(*isoNode)),
	}
	for _, p := range k.nodes {
		found = append(found, node("a slice's", p))
	}
	if k.values.Len() == 2 { // otherwise its words, which are in the arena, are zero
		found = append(found, number("a Value of a slice", int(k.values.Index(1).Int())))
	}
	for key, v := range k.table.All() {
		found = append(found, number("a Map", v))
		if key != text && key != "" {
			found = append(found, "a Map has the key "+strconv.Quote(key))
		}
	}
	if k.text != text || k.buffered != text || k.buffer.Len() != 0 && string(k.buffer.Bytes()) != text {
		found = append(found, fmt.Sprintf("texts are %q, %q and %q", k.text, k.buffered, k.buffer.Bytes()))
	}
	for _, f := range found {
		if f != "" {
			return f
		}
	}
	return ""
}

// abuse writes through all references of k and allocates with them while a is in use.
func (k *isoKept) abuse(a *arena.Arena) {
	bad := &isoNode{n: -1, text: "abused"}
	*k.node, *k.flat, *k.value.Interface().(*isoNode) = *bad, [3]int{-1, -1, -1}, *bad
	for i := range k.ints[:cap(k.ints)] {
		k.ints[:cap(k.ints)][i] = -1
	}
	k.nodes[0] = bad
	if k.values.Len() == 2 {
		k.values.Index(0).SetInt(-1)
	}
	for _, b := range []*arena.Arena{a, k.a} {
		grown := arena.Append(b, k.ints[:cap(k.ints)], -1, -1, -1)
		grown[0] = -1
		arena.Append(b, k.nodes, bad, bad)[0] = bad
	}
	*arena.New[isoNode](k.a), *k.handle.New() = *bad, *bad
	arena.MakeSlice[int](k.a, 5, 5)[4] = -1
	k.a.AllocBytes(7)[6] = 0xff
	k.a.AllocString("abused")
	k.a.Sprintf("%d", -1)
	if k.fork != nil {
		*k.ofFork, *arena.New[isoNode](k.fork) = *bad, *bad
		k.fork.Reset()
	}
	k.buffer.WriteString("abused, and more than there is room for, so that it moves elsewhere")
	func() {
		defer func() { _ = recover() }() // a cleared Map panics
		for i := range 20 {
			k.table.Set("abused"+strconv.Itoa(i), -1)
		}
	}()
	m := k.a.Mark()
	k.a.Rewind(m)
	k.a.Fork().AllocString("abused")
	k.a.SetLimit(1 << 20)
	k.a.Stats()
	k.a.Reset()
	k.a.Release()
}

// isoRun runs cycles that each leave a reference of each kind, and returns how many of these showed foreign
// data.
func isoRun(t *testing.T, p *arena.ArenaPool, cycles int) (foreign int) {
	if !hostile() {
		defer debug.SetGCPercent(debug.SetGCPercent(20))
	}
	var late [64]*isoKept
	var ever []*isoKept
	look := func(k *isoKept) {
		if what := k.foreign(); what != "" {
			if foreign++; foreign == 1 {
				t.Logf("of cycle %d %s", k.n, what)
			}
		}
	}
	for n := 1; n <= cycles; n++ {
		a := p.Get()
		k := isoCycle(t, a, n)
		if old := late[n%len(late)]; old != nil {
			look(old)
			old.abuse(a)
			look(k)
			testkit.WantPanic(t, func() { a.Rewind(old.mark) }, "mark")
			testkit.WantPanic(t, func() { p.Put(old.a) }, "twice")
		}
		if late[n%len(late)] = k; n%(cycles/100) == 0 {
			late[n%len(late)], ever = nil, append(ever, k)
		}
		if n%(cycles/20) == 0 {
			runtime.GC()
		}
		p.Put(a)
	}
	for _, k := range ever {
		look(k)
	}
	return foreign
}

// No request ever sees data of another request through references that were kept, whatever is done with them.
func TestGCIsolation(t *testing.T) {
	if check.On {
		t.Skip("nothing is used again, and what is kept can't be looked at")
	}
	cycles := 100_000
	if testing.Short() || check.Race || check.ASan || hostile() {
		cycles = 5_000
	}
	p := arena.NewArenaPool(4<<10, 0)
	p.SetIsolation(true)
	if n := isoRun(t, p, cycles); n != 0 {
		t.Errorf("%d references showed what was not theirs", n)
	}
	if s := p.Stats(); s.UsedLate == 0 {
		t.Error("no arena was seen that is used after its Put")
	}
}

// Without isolation the test above finds foreign data.
func TestWithoutIsolation(t *testing.T) {
	testkit.NeedsReuse(t)
	p := arena.NewArenaPool(4<<10, 0)
	a := p.Get()
	k := isoCycle(t, a, 1)
	p.Put(a)
	b := p.Get()
	isoCycle(t, b, 2)
	if what := k.foreign(); a == b && what == "" {
		t.Error("an arena was used again, and what was kept of it shows nothing")
	}
}

// Isolation may be turned on and off at any time: memory used before or while it is on is not reused.
func TestIsolationOnAndOff(t *testing.T) {
	if check.On {
		t.Skip("nothing is used again")
	}
	p := arena.NewArenaPool(4<<10, 0)
	var kept []*isoKept
	for n := 1; n < 200; n++ {
		switch n % 40 {
		case 0:
			p.SetIsolation(true)
		case 10:
			p.SetIsolation(false)
			arena.SetIsolation(true)
		case 20:
			arena.SetIsolation(false)
		}
		a := p.Get()
		k := isoCycle(t, a, n)
		p.Put(a)
		if n%40 < 20 && n >= 40 {
			kept = append(kept, k)
		}
	}
	for _, k := range kept {
		if what := k.foreign(); what != "" {
			t.Errorf("of cycle %d %s", k.n, what)
		}
	}
	if s := p.Stats(); s.Gets != s.Puts || s.Misses > s.Gets/2 && !check.Race {
		t.Errorf("%+v", s)
	}
}

// A request makes less than a third of the heap allocations of the same request without an arena.
func TestIsolationAllocates(t *testing.T) {
	testkit.NeedsReuse(t)
	if check.Race {
		t.Skip("a sync.Pool loses arenas there")
	}
	p := arena.NewArenaPool(64<<10, 0)
	p.SetIsolation(true)
	serve := func(n int) {
		for range n {
			a := p.Get()
			for range 5 {
				arena.New[isoNode](a).next = arena.New[isoNode](a)
				arena.New[[3]int](a)
				arena.MakeSlice[string](a, 2, 2)[1] = a.AllocString("text")
				arena.MakeSlice[any](a, 2, 2)[1] = a
			}
			p.Put(a)
		}
	}
	serve(5000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	serve(5000)
	runtime.ReadMemStats(&after)
	if n := float64(after.Mallocs-before.Mallocs) / 5000; n > 0.3 {
		t.Errorf("%.2f allocations for each request", n)
	}
	if held := p.Stats().RetainedBytes; held > 640<<10 {
		t.Errorf("an idle arena has %d bytes", held)
	}
}

// EBBPOOL=isolated turns isolation on without a rebuild.
func TestIsolatedByEnvironment(t *testing.T) {
	if check.On {
		t.Skip("nothing is used again")
	}
	if os.Getenv("EBBPOOL_CHILD") != "" {
		p := arena.NewAutoPool(0)
		a := p.Get()
		s := a.AllocString("mine")
		p.Put(a)
		a.AllocString("late")
		b := p.Get()
		defer p.Put(b)
		if b.AllocString("else"); s != "mine" || p.Stats().UsedLate != 1 {
			t.Errorf("%q, used late: %d", s, p.Stats().UsedLate)
		}
		return
	}
	if testkit.Emulated() {
		t.Skip("an emulated processor's programs run nowhere else")
	}
	child := exec.Command(os.Args[0], "-test.run=^TestIsolatedByEnvironment$")
	child.Env = append(os.Environ(), "EBBPOOL=isolated", "EBBPOOL_CHILD=1")
	if out, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The next cycle may begin in the middle of a chunk. A slice that ends there does not grow into it, an
// allocator does not allocate from it, and rewound memory is not reused.
func TestIsolatedCyclesShareNothing(t *testing.T) {
	if check.On {
		t.Skip("nothing is used again")
	}
	p := arena.NewArenaPool(4<<10, 0)
	p.SetIsolation(true)
	for n := range 100 {
		a := p.Get()
		text, kept := a.AllocString("kept"), arena.AllocatorFor[isoNode](a)
		ints, nodes := arena.MakeSlice[int](a, 1, 1), arena.MakeSlice[isoNode](a, 1, 1)
		var back *isoNode
		if n%2 == 0 { // otherwise the slices are the newest
			m := a.Mark()
			back = arena.New[isoNode](a)
			a.AllocString("taken back")
			a.Rewind(m)
		}
		p.Put(a)

		b := p.Get()
		if more := arena.Append(b, ints, 1); &more[0] == &ints[0] {
			t.Fatalf("cycle %d: a slice of the cycle before grew in place", n)
		}
		if more := arena.Append(b, nodes, isoNode{}); &more[0] == &nodes[0] || &more[0] == back {
			t.Fatalf("cycle %d: memory of the cycle before was handed out", n)
		}
		was := b.Stats().UsedBytes
		kept.New().n = -1
		a.AllocBytes(100)
		if now := b.Stats().UsedBytes; now != was {
			t.Fatalf("cycle %d: a handle and an arena of the cycle before took %d bytes", n, now-was)
		}
		for range 4 {
			if x := arena.New[isoNode](b); x == back {
				t.Fatalf("cycle %d: what a rewind took back was handed out again", n)
			}
			b.AllocString("for another one")
		}
		if text != "kept" {
			t.Fatalf("cycle %d: the text of the cycle before is %q", n, text)
		}
		p.Put(b)
	}
}

// An idle arena keeps nothing alive to which its values referred.
func TestIsolatedCyclesPinNothing(t *testing.T) {
	testkit.NeedsReuse(t)
	p := arena.NewArenaPool(4<<10, 0)
	p.SetIsolation(true)
	gone := make(chan bool, 1)
	for range 2 {
		a := p.Get()
		x := new([1 << 10]byte)
		runtime.AddCleanup(x, func(int) { gone <- true }, 0)
		*arena.New[*[1 << 10]byte](a) = x
		p.Put(a)
	}
	a := p.Get()
	defer p.Put(a)
	for range 2 {
		for i := 0; len(gone) == 0; i++ {
			if runtime.GC(); i == 100 {
				t.Fatal("what a cycle led to is still there")
			}
		}
		<-gone
	}
	arena.New[*int](a)
}
