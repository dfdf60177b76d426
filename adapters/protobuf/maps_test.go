package arenapb_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/adapters/protobuf/internal/oracle"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/openpb"
	"github.com/ebbpool/arena/internal/check"
)

// mapsWith returns a message with n entries in each of its maps, fewer for bool keys.
func mapsWith(r *rand.Rand, n int) *openpb.Maps {
	m := new(openpb.Maps)
	for v := range mapFields(m) {
		for v.Set(reflect.MakeMap(v.Type())); v.Len() < n && (v.Type().Key().Kind() != reflect.Bool || v.Len() < 2); {
			v.SetMapIndex(anyOf(r, v.Type().Key()), anyOf(r, v.Type().Elem()))
		}
	}
	return m
}

// readMaps decodes m into a, and with package proto.
func readMaps(t *testing.T, a *arena.Arena, m *openpb.Maps) (got, want *openpb.Maps) {
	t.Helper()
	doc, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	got, want = arena.New[openpb.Maps](a), new(openpb.Maps)
	if err := arenapb.Unmarshal(a, doc, got); err != nil {
		t.Fatal(err)
	}
	if err := proto.Unmarshal(doc, want); err != nil {
		t.Fatal(err)
	}
	return got, want
}

// mapFields iterates over the maps of m.
func mapFields(m *openpb.Maps) func(func(reflect.Value) bool) {
	return func(yield func(reflect.Value) bool) {
		for i, s := 0, reflect.ValueOf(m).Elem(); i < s.NumField(); i++ {
			if s.Field(i).Kind() == reflect.Map && !yield(s.Field(i)) {
				return
			}
		}
	}
}

// anyOf returns one of a few values of type t, so that keys repeat. Messages and bytes are new on the heap.
func anyOf(r *rand.Rand, t reflect.Type) reflect.Value {
	v, n := reflect.New(t).Elem(), r.IntN(40)
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(n%2 == 1)
	case reflect.String:
		v.SetString(fmt.Sprint("text ", n))
	case reflect.Slice:
		v.SetBytes(fmt.Append(nil, "bytes ", n))
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		if m, ok := v.Interface().(*openpb.Maps); ok {
			m.Is = map[int32]string{int32(n): "in it"}
		}
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(n))
	case reflect.Int32, reflect.Int64:
		v.SetInt(int64(n) - 20)
	default:
		v.SetUint(uint64(n))
	}
	return v
}

// A map that was filled as a map of another type behaves like an ordinary map with the same history: it
// grows, shrinks, is changed during iteration and cleared, while the collector runs all the time.
func TestMapsAreMaps(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	r := rand.New(rand.NewPCG(31, 32))
	a := arena.NewArena(8<<10, 0)
	rounds := 300
	if testing.Short() {
		rounds = 30
	}
	for range rounds {
		got, want := readMaps(t, a, mapsWith(r, r.IntN(11)))
		var pairs [][2]reflect.Value
		for v := range mapFields(got) {
			pairs = append(pairs, [2]reflect.Value{v})
		}
		i := 0
		for v := range mapFields(want) {
			pairs[i][1] = v
			i++
		}
		for step := range 60 {
			p := pairs[r.IntN(len(pairs))]
			if p[0].IsNil() {
				continue
			}
			once := changeMaps(r, p)
			if step%20 == 0 {
				runtime.GC()
			}
			if !once || !sameMaps(p[0], p[1]) {
				t.Fatalf("after %d steps a %v is\n%v, want\n%v; no key twice: %v", step, p[0].Type(), p[0], p[1], once)
			}
		}
		if err := oracle.Unlike(got, want); err != nil {
			t.Fatal(err)
		}
		a.Reset()
	}
}

// changeMaps does one operation on both maps, and reports whether an iteration yielded each key at most once.
func changeMaps(r *rand.Rand, p [2]reflect.Value) (once bool) {
	once = true
	typ := p[0].Type()
	k, v := anyOf(r, typ.Key()), anyOf(r, typ.Elem())
	switch n := r.IntN(20); {
	case n < 9:
		p[0].SetMapIndex(k, v)
		p[1].SetMapIndex(k, v)
	case n < 15:
		p[0].SetMapIndex(k, reflect.Value{})
		p[1].SetMapIndex(k, reflect.Value{})
	case n < 17: // change it during iteration: a key is yielded once, unless it was deleted since
		met := map[any]bool{}
		for it := p[0].MapRange(); it.Next(); {
			key := it.Key()
			once = once && !met[key.Interface()]
			met[key.Interface()] = true
			for _, m := range p {
				m.SetMapIndex(k, v)
			}
			if gone := anyOf(r, typ.Key()); r.IntN(2) == 0 {
				for _, m := range p {
					m.SetMapIndex(gone, reflect.Value{})
				}
				delete(met, gone.Interface())
			}
			k = anyOf(r, typ.Key())
		}
	case n < 18:
		p[0].Clear()
		p[1].Clear()
	}
	return once
}

func sameMaps(x, y reflect.Value) bool {
	for it := y.MapRange(); it.Next(); {
		if v := x.MapIndex(it.Key()); !v.IsValid() || !reflect.DeepEqual(v.Interface(), it.Value().Interface()) {
			m, ok := it.Value().Interface().(proto.Message)
			if !ok || !v.IsValid() || !proto.Equal(m, v.Interface().(proto.Message)) {
				return false
			}
		}
	}
	n := 0
	for it := x.MapRange(); it.Next(); n++ {
	}
	return n == y.Len() && x.Len() == n
}

// Escape copies the maps of an arena, also if they contain no pointers into it.
func TestEscapeCopiesMaps(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	a := arena.NewArena(64<<10, 0)
	for n := 1; n < 11; n++ {
		m, _ := readMaps(t, a, mapsWith(r, n))
		for v := range mapFields(m) {
			if v.Type().Elem().Kind() == reflect.Pointer {
				continue
			}
			got := reflect.ValueOf(arena.Escape(a, v.Interface()))
			if (got.UnsafePointer() == v.UnsafePointer()) != check.On && v.Type().Elem().Kind() == reflect.Bool || !reflect.DeepEqual(got.Interface(), v.Interface()) {
				t.Errorf("%d entries of a %v: Escape = %v, want a copy of %v", n, v.Type(), got, v)
			}
		}
		type box struct { // on the heap, with only the map owned by the arena
			n int
			m map[uint32]bool
		}
		boxed := arena.Escape[any](a, box{n, m.Fb}).(box).m
		if (reflect.ValueOf(boxed).Pointer() == reflect.ValueOf(m.Fb).Pointer()) != check.On {
			t.Errorf("%d entries: the map in a box is shared by its copy", n)
		}
	}
}

// Maps count towards the limit before they are made, and when later runs make them grow.
func TestLimitCountsMaps(t *testing.T) {
	a := arena.NewArena(4<<10, 1<<20)
	a.SetLimit(256 << 10)
	var one []byte
	for i := range 2000 {
		entry := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(i))
		one = protowire.AppendBytes(protowire.AppendTag(one, fieldOf(t, "Uz"), protowire.BytesType), entry)
	}
	var apart []byte
	for rest := one; len(rest) > 0; {
		_, _, n := protowire.ConsumeField(rest)
		apart = protowire.AppendVarint(protowire.AppendTag(append(apart, rest[:n]...), 900, protowire.VarintType), 1)
		rest = rest[n:]
	}
	for name, doc := range map[string][]byte{"one run": one, "many runs": apart} {
		for _, n := range []int{1, 8} {
			a.Reset()
			var err error
			for range n {
				if err == nil {
					err = arenapb.Unmarshal(a, doc, arena.New[openpb.Maps](a))
				}
			}
			var limit *arena.LimitError
			if errors.As(err, &limit) != (n > 1) {
				t.Errorf("%s, %d times: %v", name, n, err)
			}
			if held := a.Stats().RetainedBytes; held > 256<<10 {
				t.Errorf("%s: %d bytes are held", name, held)
			}
		}
	}
}

// fieldOf returns the number of the field of Maps with the given Go name.
func fieldOf(t *testing.T, name string) protowire.Number {
	t.Helper()
	f, ok := reflect.TypeFor[openpb.Maps]().FieldByName(name)
	if !ok {
		t.Fatalf("no field %s", name)
	}
	n, err := strconv.Atoi(strings.Split(f.Tag.Get("protobuf"), ",")[1])
	if err != nil {
		t.Fatal(err)
	}
	return protowire.Number(n)
}

// A warm arena decodes maps without an allocation.
func TestMapsAllocateNothing(t *testing.T) {
	if check.On || check.Race {
		t.Skip("these builds allocate")
	}
	doc, err := proto.Marshal(mapsWith(rand.New(rand.NewPCG(35, 36)), 12))
	if err != nil {
		t.Fatal(err)
	}
	a := arena.NewArena(64<<10, 1<<20)
	read := func() {
		if err := arenapb.Unmarshal(a, doc, arena.New[openpb.Maps](a)); err != nil {
			t.Fatal(err)
		}
		a.Reset()
	}
	for range 100 {
		read()
	}
	if n := testing.AllocsPerRun(100, read); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Stale maps, and iterations over them, show other maps of the same type and do not crash, whatever either
// side writes. The message decoded then is correct.
func TestMapsTooLate(t *testing.T) {
	if check.On {
		t.Skip("checked builds report it")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	r := rand.New(rand.NewPCG(37, 38))
	a := arena.NewArena(8<<10, 0)
	var stale []reflect.Value
	var walks []*reflect.MapIter
	for round := range 200 {
		got, want := readMaps(t, a, mapsWith(r, 1+r.IntN(8)))
		if err := oracle.Unlike(got, want); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		use := func() {
			for _, v := range stale {
				changeMaps(r, [2]reflect.Value{v, reflect.MakeMap(v.Type())})
			}
			walks = slices.DeleteFunc(walks, func(w *reflect.MapIter) bool { return !w.Next() })
		}
		if walks = walks[:0]; len(stale) > 60 {
			stale = stale[30:]
		}
		for v := range mapFields(got) {
			stale = append(stale, reflect.ValueOf(v.Interface()))
			w := stale[len(stale)-1].MapRange()
			if w.Next() {
				walks = append(walks, w)
			}
			for range r.IntN(30) {
				v.SetMapIndex(anyOf(r, v.Type().Key()), anyOf(r, v.Type().Elem()))
			}
		}
		use()
		a.Reset()
		use()
		runtime.GC()
		use()
	}
}

// If a second run of a field's entries makes the map grow, all entries are kept.
func TestMapGrowsByLaterRuns(t *testing.T) {
	var doc []byte
	want := map[string]string{}
	for i := range 30 {
		k := fmt.Sprint("key ", i)
		want[k] = k
		entry := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), k)
		entry = protowire.AppendString(protowire.AppendTag(entry, 2, protowire.BytesType), k)
		doc = protowire.AppendBytes(protowire.AppendTag(doc, 1, protowire.BytesType), entry)
		if i%5 == 0 {
			doc = protowire.AppendVarint(protowire.AppendTag(doc, 900, protowire.VarintType), 1)
		}
	}
	a := arena.NewArena(8<<10, 0)
	m := arena.New[openpb.Maps](a)
	if err := arenapb.Unmarshal(a, doc, m); err != nil || !reflect.DeepEqual(m.Ss, want) {
		t.Errorf("%v (%v), want %v", m.Ss, err, want)
	}
}
