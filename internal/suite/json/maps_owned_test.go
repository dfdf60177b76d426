package json

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

func mustRead(t *testing.T, a *arena.Arena, doc string, v any) {
	t.Helper()
	if err := arenajson.Unmarshal(a, []byte(doc), v); err != nil {
		t.Fatalf("Unmarshal(%.60q): %v", doc, err)
	}
}

func addressOf(m any) uintptr { return reflect.ValueOf(m).Pointer() }

// Escape copies the maps of an arena, also empty ones and maps of numbers, wherever it finds them, because
// the next cycle reuses the originals.
func TestEscapeCopiesMaps(t *testing.T) {
	type all struct {
		Any    any
		Counts map[string]int
		Empty  map[string]string
		Ints   map[int]bool
		Nested map[string]map[string]int
		List   []map[string]uint8
		Large  map[string]struct{ A, B int }
	}
	large := ""
	for i := range 100 {
		large += fmt.Sprintf(`,"%d":{"A":%d}`, i, i)
	}
	doc := `{"Any":{"user":"ann","tags":{}},"Counts":{"a":1},"Empty":{},"Ints":{"1":true},"Nested":{"x":{},"y":{"z":1}},"List":[{"b":1},{}],"Large":{` + large[1:] + `}}`
	other := strings.NewReplacer("ann", "bob", `"tags":{`, `"tags":{"password":"hunter2"`, `"a":1`, `"secret":2`, `"Empty":{`, `"Empty":{"secret":"hunter2"`,
		`"1":true`, `"7":true`, `"x":{`, `"x":{"secret":4`, `{"b":1},{`, `{"secret":5},{"secret":6`, `"99"`, `"secret"`).Replace(doc)
	for _, mode := range []string{"plain", "fork"} {
		t.Run(mode, func(t *testing.T) {
			p := arena.NewArenaPool(4<<10, 1<<20)
			a := p.Get()
			in := a
			if mode == "fork" {
				in = a.Fork()
			}
			var v, want all
			mustRead(t, in, doc, &v)
			mustRead(t, nil, doc, &want)
			kept := arena.Escape(a, v)
			counts := arena.Escape(a, v.Counts) // a second walk over the same maps
			if !reflect.DeepEqual(kept, want) {
				t.Fatalf("Escape = %+v, want %+v", kept, want)
			}
			if !check.On && (addressOf(kept.Counts) == addressOf(v.Counts) || addressOf(kept.Empty) == addressOf(v.Empty) || addressOf(counts) == addressOf(v.Counts)) {
				t.Error("a map of the arena is shared")
			}
			mine := map[string]int{"mine": 1}
			if got := arena.Escape(a, mine); addressOf(got) != addressOf(mine) {
				t.Error("a map of the heap was copied")
			}
			p.Put(a)
			a = p.Get()
			if in = a; mode == "fork" {
				in = a.Fork()
			}
			var next all
			mustRead(t, in, other, &next)
			if !reflect.DeepEqual(kept, want) || !reflect.DeepEqual(counts, want.Counts) {
				t.Errorf("after the next request the copy is %+v, want %+v", kept, want)
			}
			p.Put(a)
		})
	}
}

// Maps are reused by arenas of plain builds, after Reset, Put, Rewind and the end of a fork. They are not
// reused after Release, with isolation, by guarded arenas, or without an arena.
func TestWhichMapsAreTakenAgain(t *testing.T) {
	take := func(a *arena.Arena) (m map[string]int) {
		if mustRead(t, a, `{"a":1}`, &m); m["a"] != 1 || len(m) != 1 {
			t.Errorf("the map that was read is %v", m)
		}
		return m
	}
	pooled := func(set func(p *arena.ArenaPool)) func() (x, y map[string]int) {
		return func() (x, y map[string]int) {
			p := arena.NewArenaPool(4<<10, 1<<20)
			set(p)
			a := p.Get()
			x = take(a)
			p.Put(a)
			a = p.Get()
			y = take(a)
			p.Put(a)
			return x, y
		}
	}
	end := func(f func(a *arena.Arena)) func() (x, y map[string]int) {
		return func() (x, y map[string]int) {
			a := arena.NewArena(4<<10, 1<<20)
			x = take(a)
			f(a)
			return x, take(a)
		}
	}
	for _, x := range []struct {
		name  string
		again bool
		two   func() (x, y map[string]int)
	}{
		{"Reset", true, end((*arena.Arena).Reset)},
		{"Release", false, end((*arena.Arena).Release)},
		{"the same cycle", false, end(func(*arena.Arena) {})},
		{"Put", true, pooled(func(*arena.ArenaPool) {})},
		{"isolation", false, pooled(func(p *arena.ArenaPool) { p.SetIsolation(true) })},
		{"guarded", false, pooled(func(p *arena.ArenaPool) { p.SetMisuseSampling(1, nil) })},
		{"nil", false, func() (x, y map[string]int) { return take(nil), take(nil) }},
		{"Rewind", true, func() (x, y map[string]int) {
			a := arena.NewArena(4<<10, 1<<20)
			before := take(a)
			m := a.Mark()
			x = take(a)
			a.Rewind(m)
			y = take(a)
			if addressOf(y) == addressOf(before) || before["a"] != 1 {
				t.Error("a map from before the mark was taken back")
			}
			return x, y
		}},
		{"fork", true, func() (x, y map[string]int) {
			a := arena.NewArena(4<<10, 1<<20)
			x = take(a.Fork())
			mine := take(a)
			a.Reset()
			y = take(a.Fork())
			if addressOf(x) == addressOf(mine) || addressOf(y) == addressOf(mine) {
				t.Error("an arena and its fork have one map")
			}
			return x, y
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			one, two := x.two()
			if again := addressOf(one) == addressOf(two); again != (x.again && !check.On) {
				t.Errorf("the map was taken again: %v, want %v", again, x.again)
			}
		})
	}
}

// With isolation, a map that is kept too long never changes.
func TestMapsIsolated(t *testing.T) {
	if check.On {
		t.Skip("nothing is used again")
	}
	p := arena.NewArenaPool(4<<10, 1<<20)
	a := p.Get()
	var before map[string]int
	mustRead(t, a, `{"before":1}`, &before)
	p.Put(a)
	p.SetIsolation(true)
	var kept []map[string]int
	for i := range 50 {
		a := p.Get()
		var m map[string]int
		mustRead(t, a, fmt.Sprintf(`{"n":%d}`, i), &m)
		kept = append(kept, m)
		p.Put(a)
	}
	for i, m := range kept {
		//arenavet:ignore an isolated pool hands it to nobody else
		if m["n"] != i || len(m) != 1 {
			t.Errorf("the map of request %d is %v", i, m)
		}
	}
}

// Maps of forks in several goroutines count against the shared limit, and a refusal changes nothing.
func TestMapsOfForksWithinALimit(t *testing.T) {
	p := arena.NewArenaPool(4<<10, 1<<20)
	p.SetLimit(256<<10, 0)
	doc := "[" + strings.Repeat(`{"a":{"b":[1]}},`, 60) + "{}]"
	for range testkit.Rounds(30, 5) {
		a := p.Get()
		var group sync.WaitGroup
		for range 3 {
			fork := a.Fork()
			group.Go(func() {
				for {
					var v []map[string]map[string][8]int
					if err := arenajson.Unmarshal(fork, []byte(doc), &v); err != nil {
						var limit *arena.LimitError
						if !errors.As(err, &limit) {
							t.Error(err)
						}
						return
					}
				}
			})
		}
		group.Wait()
		p.Put(a)
		if held := p.Stats().RetainedBytes; held > 512<<10 {
			t.Fatalf("the pool holds %d bytes", held)
		}
	}
}

// Idle maps count and are dropped when their memory is needed. Release drops all of them.
func TestIdleMapsGiveWay(t *testing.T) {
	p := arena.NewArenaPool(4<<10, 1<<20)
	p.SetLimit(256<<10, 0)
	a := p.Get()
	var v []map[string][8]int64
	doc := "[" + strings.Repeat(`{"a":[1]},`, 120) + "{}]"
	mustRead(t, a, doc, &v)
	used := a.Stats().UsedBytes
	if used < 120*500 || a.Stats().RetainedBytes < used {
		t.Errorf("Stats = %+v for 120 maps of more than 500 bytes", a.Stats())
	}
	a.Reset()
	if got := a.Stats(); got.UsedBytes != 0 || !check.On && got.RetainedBytes < 60<<10 {
		t.Errorf("after Reset Stats = %+v", got)
	}
	arena.MakeSlice[byte](a, 240<<10, 240<<10)
	if held := a.Stats().RetainedBytes; held > 256<<10 {
		t.Errorf("%d bytes are held", held)
	}
	a.Reset()
	v = nil
	mustRead(t, a, doc, &v)
	a.Release()
	if s := p.Stats(); s.InUseBytes != 0 {
		t.Errorf("%d bytes count for a released arena", s.InUseBytes)
	}
	p.Put(a)
}

// In every mode, the live heap does not grow by more than the arena's count while a document is read.
func TestAllThatIsReadCounts(t *testing.T) {
	if check.On {
		t.Skip("these builds add to each object")
	}
	r := rand.New(rand.NewPCG(71, 72))
	types := []reflect.Type{
		reflect.TypeFor[any](), reflect.TypeFor[map[string]int](), reflect.TypeFor[map[string][16]int](), reflect.TypeFor[[]map[string][20]int](),
		reflect.TypeFor[[]map[string][16]int](), reflect.TypeFor[map[int]map[string]string](), reflect.TypeFor[map[string]any](),
		reflect.TypeFor[map[string]struct{ A, B, C string }](), reflect.TypeFor[[]map[string][]string](), reflect.TypeFor[map[name]map[name]*int](),
		reflect.TypeFor[map[string]map[uint8]bool](), reflect.TypeFor[[]struct{ M map[string]float32 }](),
	}
	for n := range testkit.Rounds(120, 36) {
		typ := types[n%len(types)]
		var doc strings.Builder
		for doc.Len() < 200<<10 {
			writeFor(r, &doc, typ, 3+r.IntN(3))
			doc.WriteByte(' ')
			if typ.Kind() != reflect.Slice {
				break
			}
		}
		text := doc.String()
		for _, mode := range []string{"alone", "pooled", "isolated", "limited", "marked"} {
			grew, counted := readLive(t, text, typ, mode)
			if grew > counted+counted/8+48<<10 {
				t.Errorf("%s: %d KB of a %v: the heap grew by %d KB, the arena counts %d KB", mode, len(text)>>10, typ, grew>>10, counted>>10)
			}
		}
	}
}

//go:noinline
func readLive(t *testing.T, text string, typ reflect.Type, mode string) (grew, counted int64) {
	p := arena.NewArenaPool(4<<10, 64<<20)
	p.SetIsolation(mode == "isolated")
	if mode == "limited" {
		p.SetLimit(1<<30, 1<<30)
	}
	a := arena.NewArena(4<<10, 64<<20)
	if mode != "alone" {
		a = p.Get()
		defer p.Put(a)
	}
	mark := a.Mark()
	d := arenajson.NewDecoder(a, strings.NewReader(text))
	values := make([]reflect.Value, 0, 1<<16)
	for i := range cap(values) {
		if values = append(values, reflect.New(typ)); i == 0 {
			d.Decode(new(int)) // measures the sizes of the map types
			d = arenajson.NewDecoder(a, strings.NewReader(text))
			if mode == "marked" {
				a.Rewind(mark)
			}
		}
	}
	before, had := live(), int64(a.Stats().RetainedBytes)
	for _, v := range values {
		if !d.More() {
			break
		}
		if err := d.Decode(v.Interface()); err != nil {
			t.Fatal(err)
		}
	}
	grew, counted = live()-before, int64(a.Stats().RetainedBytes)-had
	if mode != "alone" {
		if held := int64(p.Stats().InUseBytes); held < counted {
			t.Errorf("%s: the pool counts %d bytes, its arena %d", mode, held, counted)
		}
	}
	runtime.KeepAlive(values)
	runtime.KeepAlive(d)
	return grew, counted
}

func live() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// writeFor writes a random document for type typ.
func writeFor(r *rand.Rand, doc *strings.Builder, typ reflect.Type, depth int) {
	sizes := []int{0, 1, 2, 7, 8, 9, 14, 15, 30, 100, 300, 1100, 2000}
	switch typ.Kind() {
	case reflect.Interface:
		switch n := r.IntN(5); {
		case depth > 0 && n < 2:
			writeFor(r, doc, reflect.TypeFor[map[string]any](), depth)
		case depth > 0 && n == 2:
			writeFor(r, doc, reflect.TypeFor[[]any](), depth)
		default:
			fmt.Fprintf(doc, `"text %d"`, r.IntN(1000))
		}
	case reflect.Map:
		n := sizes[r.IntN(len(sizes))]
		if depth < 4 || doc.Len() > 300<<10 {
			n %= 10
		}
		if doc.Len() > 600<<10 {
			n = 0
		}
		if typ.Key().Kind() == reflect.Uint8 {
			n = min(n, 200)
		}
		doc.WriteByte('{')
		for i := range n {
			if i > 0 {
				doc.WriteByte(',')
			}
			fmt.Fprintf(doc, `"%d":`, i)
			writeFor(r, doc, typ.Elem(), depth-1)
		}
		doc.WriteByte('}')
	case reflect.Slice:
		doc.WriteByte('[')
		for i := range r.IntN(30) {
			if i > 0 {
				doc.WriteByte(',')
			}
			writeFor(r, doc, typ.Elem(), depth-1)
		}
		doc.WriteByte(']')
	case reflect.Struct:
		doc.WriteByte('{')
		for i := range typ.NumField() {
			if i > 0 {
				doc.WriteByte(',')
			}
			fmt.Fprintf(doc, `"%s":`, typ.Field(i).Name)
			writeFor(r, doc, typ.Field(i).Type, depth)
		}
		doc.WriteByte('}')
	case reflect.Array:
		doc.WriteString("[]")
	case reflect.String:
		fmt.Fprintf(doc, `"%d"`, r.IntN(1000))
	case reflect.Bool:
		doc.WriteString("true")
	default:
		fmt.Fprint(doc, r.IntN(100))
	}
}
