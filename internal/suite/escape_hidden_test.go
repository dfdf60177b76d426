package suite

import (
	"bytes"
	"container/list"
	"context"
	"fmt"
	"net/netip"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unique"
	"unsafe"
	"weak"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
)

// A hider is a type whose fields do not fully show which memory it refers to. Every type of the language and
// the standard library belongs here whose pointer is not a pointer, string, slice, interface or map in its
// fields.
type hider struct {
	make    func(p *string) any // returns a value that refers to p
	follow  func(v any) *string // returns the target, or nil if it cannot be determined
	refused bool                // refused if p is in the arena; otherwise the copy refers to a copy of p
	shared  bool                // the target is reached through heap memory, which only checked builds follow

}

type key struct{ p *string }

// Types defined as one of the standard library have no method Value, or another one.
type (
	ownHandle unique.Handle[*string]
	ownWeak   weak.Pointer[string]
)

func (ownHandle) Value(int) {}

var hiders = map[string]hider{
	"unsafe.Pointer": {func(p *string) any { return unsafe.Pointer(p) }, func(v any) *string { return (*string)(v.(unsafe.Pointer)) }, true, false},
	"weak.Pointer":   {func(p *string) any { return weak.Make(p) }, func(v any) *string { return v.(weak.Pointer[string]).Value() }, true, false},
	"unique.Handle of a pointer": {func(p *string) any { return unique.Make(p) },
		func(v any) *string { return v.(unique.Handle[*string]).Value() }, true, false},
	"unique.Handle of a struct": {func(p *string) any { return unique.Make([2]key{1: {p}}) },
		func(v any) *string { return v.(unique.Handle[[2]key]).Value()[1].p }, true, false},
	"unique.Handle of an interface": {func(p *string) any { return unique.Make[any](p) },
		func(v any) *string { return v.(unique.Handle[any]).Value().(*string) }, true, false},
	"a type defined as unique.Handle": {func(p *string) any { return ownHandle(unique.Make(p)) },
		func(v any) *string { return unique.Handle[*string](v.(ownHandle)).Value() }, true, false},
	"reflect.Value": {func(p *string) any { return reflect.ValueOf(p) },
		func(v any) *string { return v.(reflect.Value).Interface().(*string) }, true, false},
	"atomic.Pointer": {func(p *string) any { x := new(atomic.Pointer[string]); x.Store(p); return x },
		func(v any) *string { return v.(*atomic.Pointer[string]).Load() }, true, true},
	"atomic.Value": {func(p *string) any { x := new(atomic.Value); x.Store(p); return x },
		func(v any) *string { return v.(*atomic.Value).Load().(*string) }, false, true},
	"sync.Map": {func(p *string) any { x := new(sync.Map); x.Store(1, p); return x }, nil, false, true},
	"list.List": {func(p *string) any { x := list.New(); x.PushBack(p); return x },
		func(v any) *string { return v.(*list.List).Front().Value.(*string) }, false, true},
	"chan": {func(p *string) any { c := make(chan *string, 1); c <- p; return c }, nil, false, true},
	"func": {func(p *string) any { return func() *string { return p } }, func(v any) *string { return v.(func() *string)() }, false, true},
	"context": {func(p *string) any { return context.WithValue(context.Background(), key{}, p) },
		func(v any) *string { return v.(context.Context).Value(key{}).(*string) }, false, true},
	"pointer":   {func(p *string) any { return p }, func(v any) *string { return v.(*string) }, false, false},
	"interface": {func(p *string) any { return [1]any{p} }, func(v any) *string { return v.([1]any)[0].(*string) }, false, false},
}

func init() {
	if machine.WideAddresses {
		hiders["uintptr"] = hider{func(p *string) any { return uintptr(unsafe.Pointer(p)) }, nil, true, false}
	}
}

// A value that hides a pointer into the arena is refused with its path, or its copy refers to a copy. A value
// that refers to the heap is copied unchanged. Both hold at every place of a value.
func TestEscapeHiders(t *testing.T) {
	type holder struct {
		Name string
		Held any
	}
	holders := map[string]struct {
		put func(a *arena.Arena, v any) any
		get func(v any) any
	}{
		"a field":      {func(a *arena.Arena, v any) any { return arena.NewOf(a, holder{"x", v}) }, func(v any) any { return v.(*holder).Held }},
		"an interface": {func(a *arena.Arena, v any) any { return arena.NewOf(a, v) }, func(v any) any { return *v.(*any) }},
		"a slice":      {func(a *arena.Arena, v any) any { return arena.SliceOf(a, nil, v) }, func(v any) any { return v.([]any)[1] }},
		"an array":     {func(a *arena.Arena, v any) any { return arena.NewOf(a, [9]any{7: v}) }, func(v any) any { return v.(*[9]any)[7] }},
		"a map":        {func(a *arena.Arena, v any) any { return map[string]any{"x": v} }, func(v any) any { return v.(map[string]any)["x"] }},
		"a typed field": {func(a *arena.Arena, v any) any {
			x := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "N", Type: reflect.TypeFor[string]()}, {Name: "V", Type: reflect.TypeOf(v)}}))
			x.Elem().Field(1).Set(reflect.ValueOf(v))
			return x.Elem().Interface()
		}, func(v any) any { return reflect.ValueOf(v).Field(1).Interface() }},
	}
	for name, h := range hiders {
		for where, in := range holders {
			for _, lies := range []string{"arena", "heap"} {
				a := arena.NewArena(4096, 0)
				p := new(string)
				if lies == "arena" {
					p = arena.New[string](a)
				}
				*p = "text"
				if check.On && h.shared && lies == "arena" {
					continue // see TestEscapeFindsWayBack
				}
				v := in.put(a, h.make(p))
				var copied any
				refusal := func() (v1 any) {
					defer func() { v1 = recover() }()
					copied = arena.Escape(a, v)
					return nil
				}()
				text := fmt.Sprint(refusal)
				switch wantRefusal := h.refused && !h.shared && lies == "arena"; {
				case wantRefusal && (refusal == nil || !strings.Contains(text, "]: v") || !strings.Contains(text, "in") || !strings.Contains(text, "arena")):
					t.Errorf("%s in %s, of the %s: %v, want a refusal with the path", name, where, lies, refusal)
				case !wantRefusal && refusal != nil:
					t.Errorf("%s in %s, of the %s: %v", name, where, lies, refusal)
				case !wantRefusal && h.follow != nil:
					got := h.follow(in.get(copied))
					if lies == "arena" && !h.shared && (got == p || *got != "text") || lies == "heap" && got != p {
						t.Errorf("%s in %s, of the %s: leads to %p, the original to %p", name, where, lies, got, p)
					}
				}
				runtime.KeepAlive(v)
				runtime.KeepAlive(p)
			}
		}
	}
}

// Values of these types that are stored in the arena are copied or refused.
func TestEscapeHidersInTheArena(t *testing.T) {
	type all struct {
		atomic atomic.Pointer[string]
		held   atomic.Value
		list   list.List
		buf    bytes.Buffer
		text   strings.Builder
		addr   netip.Addr
		zero   weak.Pointer[string]
		none   unique.Handle[string]
		name   unique.Handle[string]
	}
	a := arena.NewArena(4096, 0)
	heap := "heap"
	x := arena.New[all](a)
	x.atomic.Store(&heap)
	x.held.Store(arena.NewOf(a, "held"))
	x.list.PushBack("element")
	x.buf.WriteString("buffer")
	x.text.WriteString("builder")
	x.addr = netip.MustParseAddr(a.AllocString("fe80::1%eth0"))
	x.name = unique.Make(a.AllocString("name"))
	if check.On {
		x.list = list.List{}
	}
	c := arena.Escape(a, x)
	a.Reset()
	for range 100 {
		*arena.New[all](a) = all{}
		a.AllocString("other text")
	}
	if c.atomic.Load() != &heap || *c.held.Load().(*string) != "held" || c.buf.String() != "buffer" || c.addr.String() != "fe80::1%eth0" ||
		c.zero.Value() != nil || c.none != (unique.Handle[string]{}) || c.name.Value() != "name" {
		t.Errorf("the copy is %v", c)
	}
	if c.text.WriteString("x"); c.text.String() != "builderx" { // a Builder that was copied by value would panic
		t.Errorf("the copied Builder has %q", c.text.String())
	}

	y := arena.New[all](a)
	y.zero = weak.Make(arena.New[string](a))
	func() {
		defer func() {
			if text := fmt.Sprint(recover()); !strings.Contains(text, "v.zero leads to the arena, as a weak.Pointer[string]") {
				t.Errorf("Escape panicked with %s", text)
			}
		}()
		arena.Escape(a, y)
	}()
}

// The target of a type defined as weak.Pointer is unknown, so a value that is not nil is refused.
func TestEscapeDefinedWeakPointer(t *testing.T) {
	a := arena.NewArena(4096, 0)
	x := arena.New[struct{ W ownWeak }](a)
	if c := arena.Escape(a, x); c.W != x.W {
		t.Errorf("%v, want %v", c.W, x.W)
	}
	for _, p := range []*string{arena.New[string](a), new(string)} {
		x.W = ownWeak(weak.Make(p))
		testkit.WantPanic(t, func() { arena.Escape(a, x) }, "v.W leads to the arena, as a suite.ownWeak")
		runtime.KeepAlive(p)
	}
}

// A weak pointer to a collected value refers to nothing.
func TestEscapeDeadWeakPointer(t *testing.T) {
	a := arena.NewArena(4096, 0)
	w := weak.Make(new([64]int))
	runtime.GC()
	if w.Value() != nil {
		t.Skip("the value is not collected")
	}
	x := arena.NewOf(a, struct{ w weak.Pointer[[64]int] }{w})
	if c := arena.Escape(a, x); c.w != w {
		t.Errorf("%v, want %v", c.w, w)
	}
}
