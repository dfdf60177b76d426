package suite

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unicode"
	"unsafe"
	"weak"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
)

// textProgram compares each text function with the standard library's, in an arena and on the heap.
func textProgram(a *arena.Arena, s, sep string) error {
	elems := strings.SplitAfter(s, "\n")
	for _, c := range []struct{ name, got, want, from string }{
		{"ToLower", a.ToLower(s), strings.ToLower(s), s},
		{"ToUpper", a.ToUpper(s), strings.ToUpper(s), s},
		{"Join", a.Join(elems, sep), strings.Join(elems, sep), elems[0]},
		{"Join of none", a.Join(nil, sep), "", ""},
		{"Join of one", a.Join(elems[:1], sep), elems[0], elems[0]},
		{"Concat", a.Concat(elems...), s, elems[0]},
		{"Concat of one", a.Concat("", s, ""), s, s},
		{"Sprintf", a.Sprintf("%q %s %x %d %v", s, sep, s, len(s), elems), fmt.Sprintf("%q %s %x %d %v", s, sep, s, len(s), elems), ""},
		{"Sprintf of nothing", a.Sprintf(""), "", ""},
		{"AllocBytesToString", a.AllocBytesToString([]byte(s)), s, ""},
	} {
		if c.got != c.want {
			return fmt.Errorf("%s of %q with %q: %q, want %q", c.name, s, sep, c.got, c.want)
		}
		// An unchanged text is not copied.
		if c.got == c.from && len(c.got) > 0 && unsafe.StringData(c.got) != unsafe.StringData(c.from) && a != nil {
			return fmt.Errorf("%s of %q is a copy", c.name, s)
		}
	}
	return nil
}

// Concat and Join equal the standard library's for any number of parts, with and without an arena. If all
// parts but one are empty, that part is not copied.
func TestConcatOfAnyNumber(t *testing.T) {
	all := []string{"a", "bc", "", "def", "ghij", "k", "lm"}
	for _, a := range []*arena.Arena{nil, arena.NewArena(4096, 0)} {
		for n := range len(all) + 1 {
			for _, sep := range []string{"", "; "} {
				if got := a.Join(all[:n], sep); got != strings.Join(all[:n], sep) {
					t.Errorf("Join of %q by %q is %q", all[:n], sep, got)
				}
			}
			if got := a.Concat(all[:n]...); got != strings.Join(all[:n], "") {
				t.Errorf("Concat of %q is %q", all[:n], got)
			}
			for k := range n {
				parts := make([]string, n)
				parts[k] = testkit.HeapText(uint64(k))
				if got := a.Concat(parts...); got != parts[k] || unsafe.StringData(got) != unsafe.StringData(parts[k]) {
					t.Errorf("Concat of %q is %q, a copy", parts, got)
				}
			}
		}
	}
}

// FuzzText compares ToLower, ToUpper, Join, Concat and Sprintf with the standard library's.
func FuzzText(f *testing.F) {
	a := arena.NewArena(4096, 0)
	for _, s := range texts {
		f.Add(s, ",")
	}
	f.Fuzz(func(t *testing.T, s, sep string) {
		a.Reset()
		for _, a := range []*arena.Arena{a, nil} {
			if err := textProgram(a, s, sep); err != nil {
				t.Fatal(err)
			}
		}
	})
}

var texts = []string{
	"", "a", "A", "@[`{AZaz", "lower case\nonly", "UPPER\nCASE\n", "Grüße, ÄÖÜ ß ẞ", "İstanbul ıI", "ſ K Å", "ǅ ǆ", "\xff", "A\xffB", "\uFFFD", "a\uFFFD\xc3", "日本語",
	"\U00010400\U00010428", "\u0250 \u2C6F", // the two cases have different lengths
}

// TestTextRandom runs FuzzText's programs with fixed seeds, in every test run.
func TestTextRandom(t *testing.T) {
	a := arena.NewArena(256, 0)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 2000 {
		s, sep := "", ""
		for range rnd.IntN(8) {
			s += texts[rnd.IntN(len(texts))]
			if rnd.IntN(3) == 0 {
				s += string(rune(rnd.IntN(unicode.MaxRune)))
			}
		}
		if i%2 == 0 {
			sep = texts[rnd.IntN(len(texts))]
		}
		a.Reset()
		for _, a := range []*arena.Arena{a, nil} {
			if err := textProgram(a, s, sep); err != nil {
				t.Fatal(err)
			}
		}
	}
	for r := rune(0); r <= unicode.MaxRune; r++ { // all runes
		if r%4096 == 0 {
			a.Reset()
		}
		if s := string(r); a.ToLower(s) != strings.ToLower(s) || a.ToUpper(s) != strings.ToUpper(s) {
			t.Fatalf("%q: %q and %q", s, a.ToLower(s), a.ToUpper(s))
		}
	}
}

// Texts use exactly their length.
func TestTextUse(t *testing.T) {
	a := arena.NewArena(4096, 0)
	want := 0
	for _, s := range []string{a.Concat("ab", "c"), a.Join([]string{"a", "b"}, ", "), a.ToLower("ABC"), a.ToUpper("äb"), a.Sprintf("%d-%s", 12345, "x"),
		a.Sprintf("%s", strings.Repeat("long", 2000))} {
		want += len(s)
	}
	a.ToLower("nothing changes")
	if used := a.Stats().UsedBytes; used != want {
		t.Errorf("%d bytes used, want %d", used, want)
	}
}

// A String method may use the arena that its result is printed into, including Sprintf.
func TestSprintfNested(t *testing.T) {
	a := arena.NewArena(64, 0)
	if got := a.Sprintf("<%v|%v>", nested{a, 3}, nested{a, 2}); got != "<3:<2:<1:<0>>>|2:<1:<0>>>" {
		t.Errorf("%q", got)
	}
}

type nested struct {
	a *arena.Arena
	n int
}

func (n nested) String() string {
	if n.n == 0 {
		return "0"
	}
	return n.a.Sprintf("%d:<%v>", n.n, nested{n.a, n.n - 1})
}

// Sprintf must not keep its result: the chunk would live as long as the arena.
func TestSprintfKeepsNothing(t *testing.T) {
	testkit.NeedsReuse(t)
	a := arena.NewArena(4096, 0)
	text := weak.Make(unsafe.StringData(a.Sprintf("%s", strings.Repeat("x", 200))))
	a.Release()
	testkit.Collect(3)
	if text.Value() != nil {
		t.Error("the text is still there after Release")
	}
	runtime.KeepAlive(a)
}

// Texts that exceed a limit panic and change nothing.
func TestTextLimit(t *testing.T) {
	long := strings.Repeat("LONG", 10_000)
	for name, f := range map[string]func(a *arena.Arena){
		"Concat":    func(a *arena.Arena) { a.Concat(long, "x") },
		"Join":      func(a *arena.Arena) { a.Join([]string{long, long}, "") },
		"ToLower":   func(a *arena.Arena) { a.ToLower(long) },
		"ToUpper":   func(a *arena.Arena) { a.ToUpper(long + "ä") },
		"Sprintf":   func(a *arena.Arena) { a.Sprintf("%s", long) },
		"Buffer":    func(a *arena.Arena) { fmt.Fprint(arena.NewBuffer(a, 8), long) },
		"NewBuffer": func(a *arena.Arena) { arena.NewBuffer(a, len(long)) },
		"NewOf":     func(a *arena.Arena) { arena.NewOf(a, [40_000]byte{1}) },
		"BoxOf": func(a *arena.Arena) {
			if arena.BoxOf(a, [5_000]string{}); !machine.LayoutOK {
				a.AllocString(long) // boxes are on the heap
			}
		},
		"SliceOf":    func(a *arena.Arena) { arena.SliceOf(a, make([]string, 4000)...) },
		"CloneSlice": func(a *arena.Arena) { arena.CloneSlice(a, []byte(long)) },
	} {
		a := arena.NewArena(512, 0)
		a.SetLimit(8 << 10)
		a.AllocString("before")
		func() {
			defer func() {
				err, _ := recover().(error)
				var limit *arena.LimitError
				if !errors.As(err, &limit) {
					t.Errorf("%s: %v", name, err)
				}
			}()
			f(a)
		}()
		if a.Concat("a", "fter") != "after" {
			t.Errorf("%s: the arena is of no use", name)
		}
	}
}

func TestTextTooLong(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("there are no such texts")
	}
	// A string with an impossible length is refused by its length alone.
	header := struct {
		data *byte
		len  int
	}{unsafe.StringData("x"), machine.MaxAlloc}
	huge := *(*string)(unsafe.Pointer(&header))
	a := arena.NewArena(64, 0)
	testkit.WantPanic(t, func() { a.Concat(huge, "x") }, "Concat", "more bytes than can be allocated")
	testkit.WantPanic(t, func() { a.Join([]string{huge, huge}, "x") }, "Join", "more bytes than can be allocated")
	if a.Stats().UsedBytes != 0 {
		t.Error("something was allocated")
	}
}

// In checked builds the text functions panic for an arena that was put back.
func TestTextAfterPut(t *testing.T) {
	if !checksOn() {
		t.Skip("the checks for misuse are off")
	}
	p := arena.NewArenaPool(4096, 0)
	for name, f := range map[string]func(a *arena.Arena){
		"Concat":  func(a *arena.Arena) { a.Concat("a", "b") },
		"Join":    func(a *arena.Arena) { a.Join([]string{"a", "b"}, "") },
		"ToLower": func(a *arena.Arena) { a.ToLower("A") },
		"ToUpper": func(a *arena.Arena) { a.ToUpper("ä") },
		"Sprintf": func(a *arena.Arena) { a.Sprintf("x") },
		"ReadAll": func(a *arena.Arena) { arena.ReadAll(a, strings.NewReader("x")) },
		"NewOf":   func(a *arena.Arena) { arena.NewOf(a, 1) },
		"BoxOf":   func(a *arena.Arena) { arena.BoxOf(a, 1) },
	} {
		a := p.Get()
		//arenavet:ignore on purpose
		p.Put(a)
		testkit.WantPanic(t, func() { f(a) }, name, "put back")
	}
}

// Sprintf formats strings and integers itself, with the same result as fmt.
func TestSprintfIsThatOfFmt(t *testing.T) {
	type named string
	type number int
	a := arena.NewArena(4096, 0)
	r := rand.New(rand.NewPCG(1, 2))
	formats := []string{"", "a", "text: ", "%s", "%d", "%v", "%%", "%", "%5d", "%x", "%[1]d", "%!", "é", strings.Repeat("y", 60)}
	args := []any{0, -1, math.MinInt, int64(math.MinInt64), uint64(math.MaxUint64), uint8(7), "", "s", "%d", strings.Repeat("x", 50), strings.Repeat("x", 129),
		named("n"), number(3), 1.5, nil, []byte("b"), errors.New("e"), 'r'}
	for range 20_000 {
		format, list := "", []any{}
		for range r.IntN(5) {
			format += formats[r.IntN(len(formats))]
		}
		for range r.IntN(5) {
			list = append(list, args[r.IntN(len(args))])
		}
		if got, want := a.Sprintf(format, list...), fmt.Sprintf(format, list...); got != want {
			t.Fatalf("%q of %v: %q, want %q", format, list, got, want)
		}
		a.Reset()
	}
	if got := testing.AllocsPerRun(100, func() { a.Reset(); a.Sprintf("%s %d", "a", 200) }); got != 0 && !check.On && !check.Race && !check.ASan {
		t.Errorf("%v allocations", got)
	}
}
