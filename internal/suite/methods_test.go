package suite

import (
	"context"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
)

// argument returns a valid argument of type t.
func argument(t reflect.Type, n int64) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(n)
	case reflect.Uint, reflect.Uint64, reflect.Uint8:
		v.SetUint(uint64(n))
	case reflect.Float64:
		v.SetFloat(float64(n) / 2)
	case reflect.String:
		v.SetString(strings.Repeat("x", int(n)))
	case reflect.Func:
		v.Set(reflect.MakeFunc(t, func([]reflect.Value) (out []reflect.Value) {
			for i := range t.NumOut() {
				out = append(out, reflect.Zero(t.Out(i)))
			}
			return out
		}))
	case reflect.Interface:
		for _, x := range []any{io.Discard, strings.NewReader("text"), error(nil)} {
			if x != nil && reflect.TypeOf(x).Implements(t) && t.NumMethod() != 0 {
				v.Set(reflect.ValueOf(x))
			}
		}
	}
	return v
}

// call calls a method with valid arguments, iterates over a returned iterator, and returns the value of its
// panic.
func call(receiver reflect.Value, m reflect.Method, n int64) (panicked any) {
	defer func() { panicked = recover() }()
	args := []reflect.Value{receiver}
	for i := 1; i < m.Type.NumIn(); i++ {
		if m.Type.IsVariadic() && i == m.Type.NumIn()-1 {
			continue
		}
		x := n
		if strings.HasPrefix(m.Name, "AppendInt") || strings.HasPrefix(m.Name, "AppendUint") || m.Name == "SetMaxKeys" {
			x = 10 // a valid base, or number of keys
		}
		args = append(args, argument(m.Type.In(i), x))
	}
	for _, out := range m.Func.Call(args) {
		if out.Kind() == reflect.Func && out.Type().NumIn() == 1 {
			out.Call([]reflect.Value{reflect.MakeFunc(out.Type().In(0), func([]reflect.Value) []reflect.Value {
				return []reflect.Value{reflect.ValueOf(true)}
			})})
		}
	}
	return nil
}

// Every method of a nil Arena and a nil pool works. A method of a zero value works, or its panic names the
// misused function; it is never a bare nil dereference.
func TestMethodsOfNilAndZeroValues(t *testing.T) {
	for name, c := range map[string]struct {
		receiver func() any
		works    bool
	}{
		"nil Arena":      {func() any { return (*arena.Arena)(nil) }, true},
		"zero Arena":     {func() any { return new(arena.Arena) }, true},
		"nil ArenaPool":  {func() any { return (*arena.ArenaPool)(nil) }, true},
		"zero ArenaPool": {func() any { return new(arena.ArenaPool) }, true},
		"nil KeyedPool":  {func() any { return (*arena.KeyedPool[string])(nil) }, true},
		"zero KeyedPool": {func() any { return new(arena.KeyedPool[string]) }, true},
		"zero Buffer":    {func() any { return new(arena.Buffer) }, false},
		"nil Map":        {func() any { return (*arena.Map[string, *int])(nil) }, false},
		"zero Map":       {func() any { return new(arena.Map[string, *int]) }, false},
		"zero Allocator": {func() any { return arena.Allocator[*int]{} }, false},
		"of ints":        {func() any { return arena.Allocator[int]{} }, false},
		"nil arena's":    {func() any { return arena.AllocatorFor[*int](nil) }, true},
		"nil Map's":      {func() any { return arena.NewMap[string, int](nil, 0) }, true},
	} {
		typ := reflect.TypeOf(c.receiver())
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			if m.Name == "AppendFloat" || name == "zero Arena" && m.Name == "Rewind" {
				continue // there is no zero argument; a Mark belongs to one arena
			}
			for _, n := range []int64{0, 1} {
				p := call(reflect.ValueOf(c.receiver()), m, n)
				if s, ok := p.(string); p != nil && (c.works || !ok || !strings.HasPrefix(s, "arena: ") || !strings.Contains(s, "."+m.Name)) {
					t.Errorf("%s: %s(%d) panicked: %v", name, m.Name, n, p)
				}
			}
		}
	}
	for name, f := range map[string]func(a *arena.Arena){
		"New":             func(a *arena.Arena) { arena.New[int](a) },
		"New of pointers": func(a *arena.Arena) { arena.New[*int](a) },
		"NewOf":           func(a *arena.Arena) { arena.NewOf(a, "x") },
		"BoxOf":           func(a *arena.Arena) { arena.BoxOf(a, "x") },
		"MakeSlice":       func(a *arena.Arena) { arena.MakeSlice[*int](a, 1, 1) },
		"MakeSliceUninit": func(a *arena.Arena) { arena.MakeSliceUninit[int](a, 1, 1) },
		"Append":          func(a *arena.Arena) { arena.Append(a, []*int(nil), nil) },
		"SliceOf":         func(a *arena.Arena) { arena.SliceOf(a, "x", "y") },
		"CloneSlice":      func(a *arena.Arena) { arena.CloneSlice(a, []string{"x"}) },
		"Collect":         func(a *arena.Arena) { arena.Collect(a, slices.Values([]string{"x"})) },
		"NewContext":      func(a *arena.Arena) { arena.FromContext(arena.NewContext(context.Background(), a)).AllocString("x") },
		"NewMap":          func(a *arena.Arena) { arena.NewMap[string, int](a, 9).Set("x", 1) },
		"NewBuffer":       func(a *arena.Arena) { arena.NewBuffer(a, 0).WriteString("x") },
		"AllocatorFor":    func(a *arena.Arena) { arena.AllocatorFor[*int](a).New() },
		"Escape":          func(a *arena.Arena) { arena.Escape(a, []string{"x"}) },
		"ReadAll":         func(a *arena.Arena) { arena.ReadAll(a, strings.NewReader("x")) },
	} {
		for range 2 {
			f(nil)
			f(new(arena.Arena))
		}
		a := new(arena.Arena)
		for range 3 {
			f(a)
			a.Reset()
		}
		if n := a.Stats().Resets; n != 3 {
			t.Errorf("%s: %d resets", name, n)
		}
	}
}

// A program can disable its pool by setting it to nil: setters check their arguments and do nothing, and
// results are empty.
func TestNilPoolIsAPool(t *testing.T) {
	var p *arena.ArenaPool
	if err := p.SetLimitsFromEnvironment(0.5); err != nil {
		t.Error(err)
	}
	if p.SetLimitsFromEnvironment(2) == nil {
		t.Error("a share of 2")
	}
	p.Do(func(a *arena.Arena) {
		if a != nil {
			t.Error("an arena")
		}
	})
	if p.Leaks() != nil || p.Stats() != (arena.PoolStats{}) {
		t.Errorf("%v, %+v", p.Leaks(), p.Stats())
	}
}
