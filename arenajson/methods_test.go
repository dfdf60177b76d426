package arenajson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strconv"
	"testing"

	"github.com/ebbpool/arena"
)

// Methods of a program that fail with an error, a panic, or runtime.Goexit, in the n-th call of any method.

// An ending is how a method ends.
type ending int

const (
	byError ending = iota
	byTypeError
	byPanic
	endings
)

var (
	callsLeft int // number of calls of methods before that ending
	endsBy    ending
	errMethod = errors.New("of a method")
)

// called counts a call, and returns or panics as configured.
func called() error {
	if callsLeft--; callsLeft != 0 {
		return nil
	}
	switch endsBy {
	case byError:
		return errMethod
	case byTypeError:
		return &json.UnmarshalTypeError{Value: "what", Type: reflect.TypeFor[int](), Offset: 1, Field: "In"}
	}
	panic(errMethod)
}

// Types with methods on pointers and on values, for members and keys.
type (
	endsJSON  struct{ N int }
	endsText  struct{ N int8 }
	endsKey   struct{ N int8 }
	endsSlice []int
	endsMap   map[string]int
)

func (e *endsJSON) UnmarshalJSON(b []byte) error { e.N = len(b); return called() }
func (e *endsJSON) MarshalJSON() ([]byte, error) {
	return strconv.AppendInt(nil, int64(e.N), 10), called()
}

func (e *endsText) UnmarshalText(b []byte) error { e.N = int8(len(b)); return called() }
func (e endsText) MarshalText() ([]byte, error)  { return fmt.Append(nil, "t", e.N), called() }

func (e *endsKey) UnmarshalText(b []byte) error {
	n, _ := strconv.Atoi(string(b))
	e.N = int8(n)
	return called()
}
func (e endsKey) MarshalText() ([]byte, error) { return fmt.Append(nil, e.N), called() }

func (e *endsSlice) UnmarshalJSON(b []byte) error { *e = append(*e, len(b)); return called() }
func (e endsSlice) MarshalJSON() ([]byte, error)  { return []byte("[1]"), called() }

func (e *endsMap) UnmarshalJSON(b []byte) error { *e = endsMap{"n": len(b)}; return called() }

var withMethods = []reflect.Type{
	reflect.TypeFor[endsJSON](), reflect.TypeFor[*endsJSON](), reflect.TypeFor[endsText](), reflect.TypeFor[*endsText](), reflect.TypeFor[endsSlice](), reflect.TypeFor[endsMap](),
	reflect.TypeFor[map[endsKey]int](), reflect.TypeFor[map[endsKey]*endsText](), reflect.TypeFor[[]endsText](), reflect.TypeFor[[3]endsJSON](), reflect.TypeFor[[]*endsJSON](),
	reflect.TypeFor[[][]endsText](), reflect.TypeFor[map[string][]endsJSON](), reflect.TypeFor[struct {
		A []int
		endsEmbedded
		Z []endsText
	}](), reflect.TypeFor[*struct{ P **[]*endsText }](),
}

type endsEmbedded struct {
	B []endsJSON
	C *endsText
}

// typeWithMethods returns a random type that contains some of them.
func typeWithMethods(r *rand.Rand, depth int) reflect.Type {
	t := withMethods[r.IntN(len(withMethods))]
	for range depth {
		switch r.IntN(5) {
		case 0:
			t = reflect.PointerTo(t)
		case 1:
			t = reflect.SliceOf(t)
		case 2:
			t = reflect.ArrayOf(1+r.IntN(3), t)
		case 3:
			t = reflect.MapOf(reflect.TypeFor[string](), t)
		default:
			t = reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[[]int8]()}, {Name: "M", Type: t}, {Name: "Q", Type: withMethods[r.IntN(len(withMethods))], Tag: `json:",omitempty"`}})
		}
	}
	return t
}

// caught returns the result of f, or its panic.
//
//lint:ignore ST1008 the order of what is compared
func caught(f func() error) (err error, panicked any) {
	defer func() { panicked = recover() }()
	return f(), nil
}

// hold returns a pointer to a value of type t, filled by the seed. If in is set, it is behind interfaces.
func hold(t reflect.Type, seed uint64, in bool) any {
	v := reflect.New(t)
	if seed != 0 {
		fill(rand.New(rand.NewPCG(seed, 0)), v.Elem(), 4, true)
	}
	if in {
		return &[]any{1, v.Interface(), 2}
	}
	return v.Interface()
}

// A method that fails leaves the same values as with encoding/json. A panic once left slices without the
// elements before it.
func TestMethodsThatEndBadly(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	a := arena.NewArena(64<<10, 0)
	rounds := 4000
	if testing.Short() {
		rounds = 500
	}
	partial := 0
	for range rounds {
		typ := typeWithMethods(r, r.IntN(4))
		v := reflect.New(typ)
		fill(r, v.Elem(), 4, r.IntN(2) == 0)
		callsLeft = 0
		doc, err := json.Marshal(v.Interface())
		if err != nil {
			t.Fatal(err)
		}
		inInterface := r.IntN(4) == 0
		if inInterface {
			doc = append(append([]byte("[0,"), doc...), ",0]"...)
		}
		if r.IntN(4) == 0 {
			doc = mutated(r, doc)
		}
		seed, n := uint64(r.IntN(3)), 1+r.IntN(6)
		endsBy = ending(r.IntN(int(endings)))
		want, got, read := hold(typ, seed, inInterface), hold(typ, seed, inInterface), hold(typ, seed, inInterface)
		callsLeft = n
		wantErr, wantPanic := caught(func() error { return json.Unmarshal(doc, want) })
		callsLeft = n
		gotErr, gotPanic := caught(func() error { return Unmarshal(a, doc, got) })
		callsLeft = n
		readErr, readPanic := caught(func() error { return UnmarshalRead(nil, bytes.NewReader(doc), read) })
		if gotPanic != wantPanic || readPanic != wantPanic || !sameError(wantErr, gotErr) || !reflect.DeepEqual(gotErr, readErr) {
			t.Fatalf("%s into %v, call %d:\n%#v, panic %v\n%#v, panic %v\nencoding/json has\n%#v, panic %v", doc, typ, n, gotErr, gotPanic, readErr, readPanic, wantErr, wantPanic)
		}
		if onV2 && (wantErr != nil || wantPanic != nil) {
			continue // it leaves other values
		}
		if wantPanic != nil && !reflect.DeepEqual(want, hold(typ, seed, inInterface)) {
			partial++
		}
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(read, want) {
			t.Fatalf("%s into %v, seed %d, call %d ends %d, %v: %s", doc, typ, seed, n, endsBy, wantErr, difference("", reflect.ValueOf(got).Elem(), reflect.ValueOf(want).Elem()))
		}
		// The arena remains usable, even in checked builds, which track its use.
		if a.Concat("a", "b") != "ab" {
			t.Fatal("the arena is lost")
		}
		a.Reset()
	}
	if !onV2 && partial < rounds/20 {
		t.Errorf("only %d of %d were ended by a panic with something read", partial, rounds)
	}
}

type exits struct{ N int }

func (e *exits) UnmarshalJSON(b []byte) error {
	if e.N = int(b[0] - '0'); e.N == 2 {
		runtime.Goexit()
	}
	return nil
}

// A method may end its goroutine, like t.Fatal.
func TestMethodThatExits(t *testing.T) {
	a := arena.NewArena(4096, 0)
	var x []exits
	done := make(chan bool)
	go func() {
		defer close(done)
		Unmarshal(a, []byte(`[1,2,3]`), &x)
	}()
	<-done
	if len(x) != 2 {
		t.Errorf("%d elements are left, not 2", len(x))
	}
	if a.Concat("a", "b") != "ab" {
		t.Error("the arena is lost")
	}
}

// Encoding has the same error or panic, and writes nothing.
func TestMarshalersThatEndBadly(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	a := arena.NewArena(64<<10, 0)
	rounds := 4000
	if testing.Short() {
		rounds = 500
	}
	for range rounds {
		typ := typeWithMethods(r, r.IntN(4))
		v := reflect.New(typ)
		fill(r, v.Elem(), 4, r.IntN(2) == 0)
		n := r.IntN(8)
		var doc []byte
		endsBy = []ending{byError, byPanic}[r.IntN(2)]
		callsLeft = n
		var want []byte
		wantErr, wantPanic := caught(func() (err error) { want, err = json.Marshal(v.Interface()); return err })
		callsLeft = n
		err, panicked := caught(func() (err error) { doc, err = Marshal(a, v.Interface()); return err })
		var w bytes.Buffer
		callsLeft = n
		writeErr, writePanic := caught(func() error { return MarshalWrite(a, &w, v.Interface()) })
		if onV2 {
			// v2 writes some texts differently, and calls the methods of maps in another order.
		} else if panicked != wantPanic || writePanic != wantPanic || !sameMarshalError(wantErr, err) || !sameMarshalError(wantErr, writeErr) || !bytes.Equal(doc, want) || !bytes.Equal(w.Bytes(), want) {
			t.Fatalf("%v, call %d: %s, %v, panic %v; written %s, %v, panic %v; encoding/json has %s, %v, panic %v", typ, n, doc, err, panicked, w.Bytes(), writeErr, writePanic, want, wantErr, wantPanic)
		}
		if a.Concat("a", "b") != "ab" {
			t.Fatal("the arena is lost")
		}
		a.Reset()
	}
}

func sameMarshalError(x, y error) bool {
	return reflect.TypeOf(x) == reflect.TypeOf(y) && (x == nil || onV2 || x.Error() == y.Error()) && errors.Is(y, errMethod) == errors.Is(x, errMethod)
}
