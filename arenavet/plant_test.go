package arenavet_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// carrier is a program that mistakes are added to.
type carrier struct {
	name   string
	module string            // its folder
	folder string            // of the package with the mistakes, in module
	pkg    string            // that package's name: an existing one if its parser isn't exported
	files  map[string][]byte // further files that differ
	lib    []string          // imports
	makes  string            // makes d in arena a, from in
	values [][2]string       // types and expressions of memory that d leads to
}

// mistake is a kind of mistake, with correct code that looks like it. GET takes an arena and defers its Put, and VALUE
// makes v, of type T, in arena a.
type mistake struct{ name, sig, bad, good string }

var mistakes = []mistake{
	{"return", "(in string) T", "GET; VALUE; return v", "VALUE_OF_CALLER; return v"},
	{"returnOfDo", "(in string) (out T)", "plantedPool.Do(func(a *arena.Arena) { VALUE; out = v }); return out", "plantedPool.Do(func(a *arena.Arena) { VALUE; w := v; _ = fmt.Sprint(w) }); return out"},
	{"returnStruct", "(in string) PLANTEDHOLDER", "GET; VALUE; return PLANTEDHOLDER{v: v}", "GET; VALUE; h := PLANTEDHOLDER{v: v}; _ = fmt.Sprint(h.v); return PLANTEDHOLDER{}"},
	{"returnClosure", "(in string) func() string", "GET; VALUE; return func() string { return fmt.Sprint(v) }", "GET; VALUE; s := fmt.Sprint(v); return func() string { return s }"},
	{"returnError", "(in string) error", "GET; VALUE; return &plantedError{v}", "GET; VALUE; return &plantedError{fmt.Sprint(v)}"},
	{"returnContext", "(ctx context.Context, in string) context.Context", "GET; VALUE; return context.WithValue(ctx, plantedKey{}, v)", "GET; VALUE; return context.WithValue(ctx, plantedKey{}, fmt.Sprint(v))"},
	{"global", "(in string)", "GET; VALUE; plantedAny = v", "GET; VALUE; plantedAny = fmt.Sprint(v)"},
	{"globalMap", "(in string)", "GET; VALUE; plantedMap[in] = v", "GET; VALUE; m := map[string]any{}; m[in] = v; plantedMap[in] = len(m)"},
	{"parameter", "(h *PLANTEDHOLDER, in string)", "GET; VALUE; h.v = v", "GET; VALUE; k := *h; k.v = v; _ = fmt.Sprint(k.v)"},
	{"parameterSlice", "(to *[]T, in string)", "GET; VALUE; *to = append(*to, v)", "GET; VALUE; s := *to; s = append(s[:len(s):len(s)], v); _ = fmt.Sprint(s)"},
	{"parameterMap", "(to map[string]T, in string)", "GET; VALUE; to[in] = v", "GET; VALUE; m := map[string]T{in: v}; _ = fmt.Sprint(m)"},
	{"syncMap", "(in string)", "GET; VALUE; plantedCache.Store(in, v)", "GET; VALUE; plantedCache.Store(in, fmt.Sprint(v))"},
	{"syncPool", "(in string)", "GET; VALUE; plantedSpare.Put(v)", "GET; VALUE; plantedSpare.Put(fmt.Sprint(v))"},
	{"atomic", "(in string)", "GET; VALUE; plantedCurrent.Store(v)", "GET; VALUE; plantedCurrent.Store(fmt.Sprint(v))"},
	{"list", "(in string)", "GET; VALUE; plantedQueue.PushBack(v)", "GET; VALUE; plantedQueue.PushBack(fmt.Sprint(v))"},
	{"channel", "(c chan<- T, in string)", "GET; VALUE; c <- v", "GET; VALUE; own := make(chan T, 1); own <- v; _ = fmt.Sprint(<-own)"},
	{"goroutine", "(in string)", "GET; VALUE; go func() { fmt.Println(v) }()", "GET; VALUE; done := make(chan bool); go func() { fmt.Println(v); close(done) }(); <-done"},
	{"goroutineCall", "(in string)", "GET; VALUE; go fmt.Println(v)", "GET; VALUE; go fmt.Println(fmt.Sprint(v))"},
	{"timer", "(in string)", "GET; VALUE; time.AfterFunc(time.Second, func() { fmt.Println(v) })", "GET; VALUE; s := fmt.Sprint(v); time.AfterFunc(time.Second, func() { fmt.Println(s) })"},
	{"hook", "(in string)", "GET; VALUE; plantedHook = func() { fmt.Println(v) }", "GET; VALUE; f := func() { fmt.Println(v) }; f()"},
	{"afterPut", "(in string) string", "a := plantedPool.Get(); VALUE; plantedPool.Put(a); return fmt.Sprint(v)", "a := plantedPool.Get(); VALUE; s := fmt.Sprint(v); plantedPool.Put(a); return s"},
	{"afterReset", "(a *arena.Arena, in string) string", "VALUE; a.Reset(); return fmt.Sprint(v)", "VALUE; s := fmt.Sprint(v); a.Reset(); return s"},
	{"afterRelease", "(a *arena.Arena, in string) string", "VALUE; a.Release(); return fmt.Sprint(v)", "VALUE; s := fmt.Sprint(v); a.Release(); return s"},
	{"afterRewind", "(a *arena.Arena, in string) string", "m := a.Mark(); VALUE; a.Rewind(m); return fmt.Sprint(v)", "VALUE; m := a.Mark(); a.AllocString(in); a.Rewind(m); return fmt.Sprint(v)"},
	{"afterHelper", "(in string) string", "a := plantedPool.Get(); VALUE; plantedEnd(a); return fmt.Sprint(v)", "a := plantedPool.Get(); VALUE; s := fmt.Sprint(v); plantedEnd(a); return s"},
	{"afterDefer", "(in string)", "a := plantedPool.Get(); VALUE; defer func() { fmt.Println(v) }(); defer plantedPool.Put(a)", "a := plantedPool.Get(); VALUE; defer plantedPool.Put(a); defer func() { fmt.Println(v) }()"},
	{"afterBranch", "(in string) string", "a := plantedPool.Get(); VALUE; if in == \"\" { plantedPool.Put(a); return fmt.Sprint(v) }; plantedPool.Put(a); return \"\"", "a := plantedPool.Get(); VALUE; s := \"\"; if in == \"\" { s = fmt.Sprint(v) }; plantedPool.Put(a); return s"},
	{"nextTurn", "(all []string)", "GET; var last T; for i, in := range all { a.Reset(); if i > 0 { fmt.Println(last) }; VALUE; last = v }", "GET; var last T; for i, in := range all { if i > 0 { fmt.Println(last) }; a.Reset(); VALUE; last = v }"},
	{"fieldAfterPut", "(in string) string", "a := plantedPool.Get(); VALUE; h := PLANTEDHOLDER{v: v}; plantedPool.Put(a); return fmt.Sprint(h.v)", "a := plantedPool.Get(); VALUE; h := PLANTEDHOLDER{v: v}; s := fmt.Sprint(h.v); plantedPool.Put(a); return s"},
	{"lost", "(in string) string", "a := plantedPool.Get(); VALUE; s := fmt.Sprint(v); if s == in { return s }; plantedPool.Put(a); return s", "a := plantedPool.Get(); VALUE; s := fmt.Sprint(v); if s == in { plantedPool.Put(a); return s }; plantedPool.Put(a); return s"},
	{"twice", "(in string)", "GET; VALUE; if fmt.Sprint(v) == in { plantedPool.Put(a) }", "a := plantedPool.Get(); VALUE; if fmt.Sprint(v) == in { plantedPool.Put(a); return }; plantedPool.Put(a)"},
	{"shared", "(in string)", "GET; go func() { a.AllocString(in) }(); VALUE; fmt.Println(v)", "GET; go plantedPool.Do(func(a *arena.Arena) { a.AllocString(in) }); VALUE; fmt.Println(v)"},
	{"weak", "(in string) any", "GET; VALUE; p := POINTER; return weak.Make(p)", "GET; VALUE; s := fmt.Sprint(v); return weak.Make(&s)"},
	{"finalizer", "(in string)", "GET; VALUE; p := POINTER; runtime.SetFinalizer(p, nil)", "GET; VALUE; s := fmt.Sprint(v); runtime.SetFinalizer(&s, nil)"},
	{"cleanup", "(in string)", "GET; VALUE; p := POINTER; runtime.AddCleanup(p, func(int) {}, 1)", "GET; VALUE; s := fmt.Sprint(v); runtime.AddCleanup(&s, func(int) {}, 1)"},
}

// ways lists the ways to v, of type T, from the carrier's value: through calls and through holders. K is the value's
// number.
var ways = [][2]string{
	{"direct", "MAKE; v := EXPR"},
	{"helper", "v := plantedMadeK(a, in)"},
	{"helpers", "v := plantedTwiceK(a, in)"},
	{"method", "v := (&plantedSession{a: a}).madeK(in)"},
	{"filled", "var filled PLANTEDHOLDER; plantedFillK(&filled, a, in); v := filled.v"},
	{"literal", "v := func() T { MAKE; return EXPR }()"},
	{"generic", "MAKE; v := plantedPass(EXPR)"},
	{"slice", "MAKE; vs := []T{EXPR}; v := vs[0]"},
	{"map", "MAKE; vs := map[string]T{}; vs[in] = EXPR; v := vs[in]"},
	{"struct", "MAKE; var deep struct{ in struct{ v T } }; deep.in.v = EXPR; v := deep.in.v"},
	{"branch", "var v T; if len(in) > 3 { v = plantedMadeK(a, in) } else { MAKE; v = EXPR }"},
	{"box", "MAKE; var x any = EXPR; v := x.(T)"},
	{"results", "_, v, _ := plantedThreeK(a, in)"},
	{"context", "v := plantedFromK(arena.NewContext(context.Background(), a), in)"},
	{"methodValue", "made := (&plantedSession{a: a}).madeK; v := made(in)"},
	{"embedded", "deep := plantedDeep{plantedSession{a: a}}; v := deep.madeK(in)"},
	{"array", "MAKE; vs := [2]T{EXPR, EXPR}; v := vs[len(in)%2]"},
	{"loop", "var v T; for range 2 { MAKE; v = EXPR }"},
	{"channel", "MAKE; vs := make(chan T, 1); vs <- EXPR; v := <-vs"},
	{"pointer", "MAKE; x := EXPR; y := &x; v := *y"},
	{"iterator", "var v T; for x := range plantedAllK(a, in) { v = x }"},
	{"variadic", "MAKE; v := plantedLast(EXPR, EXPR)"},
	{"genericStruct", "MAKE; v := (&plantedBox[T]{EXPR}).get()"},
	{"interface", "var maker interface{ madeK(string) T } = &plantedSession{a: a}; v := maker.madeK(in)"},
	{"funcField", "made := struct{ by func(string) T }{func(in string) T { return plantedMadeK(a, in) }}; v := made.by(in)"},
	{"recursion", "v := plantedDownK(a, in, 3)"},
	{"typeSwitch", "MAKE; var v T; switch x := any(EXPR).(type) { case T: v = x }"},
}

const preamble = `
var plantedPool = arena.NewAutoPool(0)

var (
	plantedAny     any
	plantedMap     = map[string]any{}
	plantedCache   sync.Map
	plantedSpare   sync.Pool
	plantedCurrent atomic.Value
	plantedQueue   = list.New()
	plantedHook    func()
)

type plantedKey struct{}
type plantedError struct{ v any }
func (e *plantedError) Error() string { return "planted" }
type plantedSession struct{ a *arena.Arena }
func plantedEnd(a *arena.Arena) { plantedPool.Put(a) }
func plantedPass[X any](x X) X { return x }
func plantedLast[X any](all ...X) X { return all[len(all)-1] }
type plantedDeep struct{ plantedSession }
type plantedBox[X any] struct{ x X }
func (b *plantedBox[X]) get() X { return b.x }

var _ = weak.Make[int]
var _ = runtime.GC
var _ = time.Now
var _ context.Context
`

const helpers = `
type plantedHolderK struct { n int; v T }
func plantedMadeK(a *arena.Arena, in string) T { MAKE; return EXPR }
func plantedTwiceK(a *arena.Arena, in string) T { if in == "" { in = "none" }; return plantedMadeK(a, in) }
func (s *plantedSession) madeK(in string) T { return plantedMadeK(s.a, in) }
func plantedFillK(to *plantedHolderK, a *arena.Arena, in string) { to.n++; to.v = plantedTwiceK(a, in) }
func plantedThreeK(a *arena.Arena, in string) (int, T, error) { return len(in), plantedMadeK(a, in), nil }
func plantedFromK(ctx context.Context, in string) T { return plantedMadeK(arena.FromContext(ctx), in) }
func plantedAllK(a *arena.Arena, in string) func(func(T) bool) { return func(yield func(T) bool) { yield(plantedMadeK(a, in)) } }
func plantedDownK(a *arena.Arena, in string, n int) T { if n > 0 { return plantedDownK(a, in, n-1) }; return plantedMadeK(a, in) }
`

// plant returns a file with n functions bad_..., each with a mistake, and a correct twin good_... of each. If n is 0, it
// has all mistakes.
func (c carrier) plant(n int, random *rand.Rand) string {
	type choice struct {
		m     mistake
		way   [2]string
		value int
	}
	var all []choice
	for _, m := range mistakes {
		for _, w := range ways {
			for k := range c.values {
				if strings.Contains(m.bad, "POINTER") && !strings.HasPrefix(c.values[k][0], "*") {
					continue // only pointers have finalizers
				}
				all = append(all, choice{m, w, k})
			}
		}
	}
	if n > 0 {
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:min(n, len(all))]
	}
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport (\n", c.pkg)
	for _, p := range append(strings.Fields("container/list context fmt runtime sync sync/atomic time weak github.com/ebbpool/arena"), c.lib...) {
		fmt.Fprintf(&b, "\t%q\n", p)
	}
	b.WriteString(")\n" + preamble)
	fill := func(text string, way string, k int) string {
		text = strings.NewReplacer("VALUE_OF_CALLER", strings.ReplaceAll(way, "; v :=", "; v :="), "VALUE", way).Replace(text)
		return strings.NewReplacer("GET", "a := plantedPool.Get(); defer plantedPool.Put(a)", "MAKE", c.makes, "EXPR", c.values[k][1],
			"PLANTEDHOLDER", fmt.Sprint("plantedHolder", k), "POINTER", "v", "K(", fmt.Sprint(k, "("), "madeK;", fmt.Sprint("made", k, ";"), "HolderK", fmt.Sprint("Holder", k), "[T]", "["+c.values[k][0]+"]").Replace(text)
	}
	typed := func(text string, k int) string { return typeName.ReplaceAllString(text, c.values[k][0]) }
	for k := range c.values {
		b.WriteString(typed(fill(helpers, "", k), k))
	}
	for i, x := range all {
		for _, side := range [][2]string{{"bad", x.m.bad}, {"good", x.m.good}} {
			sig := x.m.sig
			if side[0] == "good" && strings.Contains(side[1], "VALUE_OF_CALLER") {
				sig = strings.Replace(sig, "(", "(a *arena.Arena, ", 1)
			}
			fmt.Fprintf(&b, "\nfunc %s_%d_%s_%s_%d%s {\n\t%s\n}\n", side[0], i, x.m.name, x.way[0], x.value, typed(fill(sig, "", x.value), x.value),
				strings.ReplaceAll(typed(fill(side[1], x.way[1], x.value), x.value), "; ", "\n\t"))
		}
	}
	return b.String()
}
