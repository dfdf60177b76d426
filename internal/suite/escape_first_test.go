package suite

import (
	"reflect"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenareflect"
	"github.com/ebbpool/arena/internal/check"
)

// Escape compiles each type once. Several goroutines that escape a new type at the same time get equal
// copies, without a data race.
func TestEscapeFirstUseOfATypeByMany(t *testing.T) {
	types := 120
	if testing.Short() || check.Race || check.ASan {
		types = 30
	}
	text := reflect.TypeFor[string]()
	for n := range types {
		// A type that has not been used before.
		fields := []reflect.StructField{{Name: "Text", Type: text}, {Name: "List", Type: reflect.TypeFor[[]string]()},
			{Name: "F" + strconv.Itoa(n), Type: reflect.ArrayOf(n+1, text)}, {Name: "Next", Type: reflect.TypeFor[*any]()}}
		typ := reflect.StructOf(fields)
		var start, done sync.WaitGroup
		start.Add(1)
		for g := range 4 {
			done.Go(func() {
				a := arena.NewArena(4<<10, 0)
				v := arenareflect.New(a, typ)
				v.Elem().Field(0).SetString(a.AllocString("text " + strconv.Itoa(g)))
				v.Elem().Field(1).Set(reflect.ValueOf(arena.SliceOf(a, a.AllocString("one"), "two")))
				v.Elem().Field(2).Index(n).SetString(a.AllocString("the last"))
				held := arena.New[any](a)
				*held = v.Interface()
				v.Elem().Field(3).Set(reflect.ValueOf(held))
				start.Wait()
				c := escaped(a, *held)
				e := reflect.ValueOf(c).Elem()
				if s := e.Field(0).String(); s != "text "+strconv.Itoa(g) {
					t.Errorf("type %d: %q", n, s)
				}
				if list := e.Field(1).Interface().([]string); len(list) != 2 || list[0] != "one" || list[1] != "two" {
					t.Errorf("type %d: %q", n, list)
				}
				if s := e.Field(2).Index(n).String(); s != "the last" {
					t.Errorf("type %d: %q", n, s)
				}
				if back := e.Field(3).Interface().(*any); *back != c {
					t.Errorf("type %d: the way back leads elsewhere", n)
				}
				runtime.KeepAlive(a)
			})
		}
		start.Done()
		done.Wait()
	}
}
