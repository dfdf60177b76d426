package suite

import (
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
)

// Opaque values that refer to the arena are refused with their path.
func TestEscapeRefuses(t *testing.T) {
	type item struct {
		name   string
		raw    unsafe.Pointer
		atomic atomic.Pointer[string]
		number uintptr
		next   *item
	}
	type order struct {
		items [5]*item
		held  any
		table map[string]*item
		lists [][]item
		flat  *struct{ n, at uintptr }
	}
	a := arena.NewArena(1000, 0)
	text := arena.NewOf(a, "in the arena")
	raw := unsafe.Pointer(text)
	bad := func() *item { x := arena.New[item](a); x.raw = raw; return x }
	tests := map[string]struct {
		set   func(o *order)
		parts []string
	}{
		"a pointer":       {func(o *order) { o.items[3] = bad() }, []string{"Escape[*suite.order]: v.items[3].raw", "an unsafe.Pointer"}},
		"one held":        {func(o *order) { o.held = bad() }, []string{"v.held.(*suite.item).raw"}},
		"one in a box":    {func(o *order) { o.held = item{raw: raw} }, []string{"v.held.(suite.item).raw"}},
		"one itself held": {func(o *order) { o.held = raw }, []string{"v.held.(unsafe.Pointer)"}},
		"one in a map":    {func(o *order) { o.table = map[string]*item{"x": bad()} }, []string{`v.table["x"].raw`}},
		"a slice's": {func(o *order) {
			o.lists = arena.MakeSlice[[]item](a, 2, 2)
			o.lists[1] = arena.MakeSlice[item](a, 9, 9)
			o.lists[1][8].raw = raw
		}, []string{"v.lists[1][8].raw"}},
		"an atomic one": {func(o *order) { o.items[1] = arena.New[item](a); o.items[1].atomic.Store(text) }, []string{"v.items[1].atomic.v"}},
		"a long way": {func(o *order) {
			for range 100 {
				x := arena.New[item](a)
				if o.items[0] == nil {
					x.raw = raw
				}
				x.next, o.items[0] = o.items[0], x
			}
		}, []string{"v.items[0].next.next", " more}", ".next.raw"}},
		"around it": {func(o *order) {
			x := bad()
			o.held = &x.name
		}, []string{"v.held.(*string).{the suite.item around it}.raw"}},
	}
	if machine.WideAddresses {
		tests["a number"] = struct {
			set   func(o *order)
			parts []string
		}{func(o *order) { o.items[4] = arena.New[item](a); o.items[4].number = uintptr(raw) }, []string{"v.items[4].number", "a uintptr"}}
		tests["a number among numbers"] = struct {
			set   func(o *order)
			parts []string
		}{func(o *order) { o.flat = arena.New[struct{ n, at uintptr }](a); o.flat.at = uintptr(raw) }, []string{"v.flat.at", "a uintptr"}}
		tests["a number before numbers"] = struct {
			set   func(o *order)
			parts []string
		}{func(o *order) {
			o.held = arena.NewOf(a, [2]struct {
				at uintptr
				n  int
			}{{uintptr(raw), 1}})
		}, []string{"[0].at", "a uintptr"}}
		tests["a number in a box"] = struct {
			set   func(o *order)
			parts []string
		}{func(o *order) { o.held = struct{ n, at uintptr }{1, uintptr(raw)} }, []string{"v.held.(struct { n uintptr; at uintptr }).at", "a uintptr"}}
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := arena.New[order](a)
			test.set(o)
			before, used := *o, a.Stats().UsedBytes
			testkit.WantPanic(t, func() { arena.Escape(a, o) }, test.parts...)
			if a.Stats().UsedBytes != used || o.items != before.items || o.held != before.held && name != "one in a box" {
				t.Error("the original has changed")
			}
		})
	}

	// If they refer to the heap, they are shared.
	heap := "on the heap"
	x := arena.New[item](a)
	x.raw, x.number = unsafe.Pointer(&heap), 5
	x.atomic.Store(&heap)
	if c := escaped(a, x); c.raw != unsafe.Pointer(&heap) || c.atomic.Load() != &heap || c.number != 5 {
		t.Errorf("%+v", c)
	}
	if machine.WideAddresses {
		testkit.WantPanic(t, func() { arena.Escape(a, uintptr(unsafe.Pointer(arena.New[int](a)))) }, "Escape[uintptr]: v holds an address")
	}
}

// A range that begins in the arena and ends after its chunk is not a value of the arena. Copying it would
// read unrelated memory.
//
//go:nocheckptr
func TestEscapeRefusesWhatLiesThereInPart(t *testing.T) {
	a := arena.NewArena(1000, 0)
	s := a.AllocString("at the end of the chunk.") // where the first string goes
	const part = "leads to memory that lies in the arena only in part"
	for _, v := range []any{
		(*[64]byte)(unsafe.Pointer(unsafe.StringData(s))),
		unsafe.String(unsafe.StringData(s), 100),
		unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.StringData(s))), 20),
	} {
		testkit.WantPanic(t, func() { arena.Escape(a, v) }, part)
		testkit.WantPanic(t, func() { arena.Escape(a, [6]any{5: v}) }, "v[5]", part)
	}
	if c := arena.Escape(a, (*[24]byte)(unsafe.Pointer(unsafe.StringData(s)))); string(c[:]) != "at the end of the chunk." {
		t.Errorf("%q", c)
	}
}

// Checked builds follow heap memory and report the path by which it leads into the arena.
func TestEscapeFindsWayBack(t *testing.T) {
	type item struct{ name string }
	type order struct {
		items []*item
		table map[int]*item
		held  any
		up    *order
		own   *arena.Map[int, string]
	}
	type message struct {
		id    int
		order *order
		other *order
	}
	a := arena.NewArena(1000, 0)
	tests := map[string]struct {
		set   func(o *order)
		parts []string
	}{
		"a slice": {func(o *order) {
			o.items = []*item{{}, {}, {}, {a.AllocString("a name")}}
		}, []string{"v.order.items[3].name lies in the arena", "v.order, which"}},
		"a pointer":   {func(o *order) { o.up = &order{up: arena.New[order](a)} }, []string{"v.order.up.up lies in the arena", "v.order, which"}},
		"a box":       {func(o *order) { o.held = item{a.AllocString("a name")} }, []string{"v.order.held.(suite.item).name lies in the arena"}},
		"a map":       {func(o *order) { o.table = map[int]*item{-7: {a.AllocString("a name")}} }, []string{"v.order.table[-7].name lies"}},
		"a Map":       {func(o *order) { o.own = arena.NewMap[int, string](nil, 0); o.own.Set(1, a.AllocString("a name")) }, []string{"v.order.own.table.groups[0].vals[", "lies in the arena"}},
		"the arena's": {func(o *order) { o.own = arena.NewMap[int, string](a, 0) }, []string{"v.order.own lies in the arena"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := arena.NewOf(a, message{order: &order{}})
			m.other = m.order
			test.set(m.order)
			if !check.On {
				if c := arena.Escape(a, m); c.order != m.order || c == m {
					t.Error("memory of the heap is not shared")
				}
				return
			}
			if name == "a map" && check.Race {
				return // not followed
			}
			testkit.WantPanic(t, func() { arena.Escape(a, m) }, test.parts...)
		})
	}
	if !check.Tag || !check.On {
		return
	}
	// Pointers read from poisoned memory are reported as such.
	b := arena.NewArena(1000, 0)
	stale := arena.NewOf(b, message{order: arena.New[order](b)})
	b.Reset()
	testkit.WantPanic(t, func() { arena.Escape(a, stale) }, "v.order was read too late", "took it back")
}

// Two pointers to one address, of which one covers more memory: visiting the smaller one must not mark the
// larger one visited, or a hidden address in it is found too late to report its path.
func TestEscapeRefusesWhatSharesAnAddress(t *testing.T) {
	if !machine.WideAddresses {
		t.Skip("numbers are not told from addresses")
	}
	type two struct{ a, b uintptr }
	a := arena.NewArena(1000, 0)
	x := arena.New[two](a)
	x.b = uintptr(unsafe.Pointer(x))
	testkit.WantPanic(t, func() {
		arena.Escape(a, struct {
			first *uintptr
			whole *two
		}{&x.a, x})
	}, "v.whole.b holds an address in the arena, as a uintptr")
}
