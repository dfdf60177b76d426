package arenareflect_test

import (
	"fmt"
	"reflect"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenareflect"
)

type Entry struct {
	Path string
	Tags []string
}

// A decoder that knows types only at run time allocates from the same memory as arena.New.
func ExampleNew() {
	a := arena.NewArena(4096, 0)
	v := arenareflect.New(a, reflect.TypeFor[Entry]()) // an *Entry
	v.Elem().FieldByName("Path").SetString("/")
	tags := arenareflect.MakeSlice(a, reflect.TypeFor[[]string](), 1, 4)
	tags.Index(0).SetString("GET")
	v.Elem().FieldByName("Tags").Set(tags)
	fmt.Println(v.Interface().(*Entry).Path, v.Interface().(*Entry).Tags)
	// Output: / [GET]
}

func ExampleMakeSlice() {
	a := arena.NewArena(4096, 0)
	v := arenareflect.MakeSlice(a, reflect.TypeFor[[]int](), 2, 8) // the type of the slice
	v.Index(1).SetInt(7)
	fmt.Println(v.Interface(), v.Cap())
	// Output: [0 7] 8
}
