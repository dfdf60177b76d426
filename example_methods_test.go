//go:build go1.27

package arena_test

import (
	"fmt"
	"strings"

	"github.com/ebbpool/arena"
)

func ExampleArena_New() {
	a := arena.NewArena(4096, 0)
	e := a.New[Entry]() // arena.New[Entry](a) before Go 1.27
	e.Path = a.AllocString("/index.html")
	e.Tags = a.Append(e.Tags, "GET", "200")
	fmt.Println(e.Path, e.Tags)
	// Output: /index.html [GET 200]
}

func ExampleArena_NewOf() {
	a := arena.NewArena(4096, 0)
	e := a.NewOf(Entry{Path: "/", Next: a.NewOf(Entry{Path: "/next"})})
	fmt.Println(e.Path, e.Next.Path)
	// Output: / /next
}

func ExampleArena_BoxOf() {
	a := arena.NewArena(4096, 0)
	stack := a.MakeSlice[any](0, 8) // the stack of an interpreter
	stack = a.Append(stack, a.BoxOf(1.5), a.BoxOf("and"), a.BoxOf(2000))
	fmt.Println(stack...)
	// Output: 1.5 and 2000
}

// With a nil arena the same code uses the heap.
func ExampleArena_MakeSlice() {
	squares := func(a *arena.Arena) []int {
		s := a.MakeSlice[int](5, 5)
		for i := range s {
			s[i] = i * i
		}
		return s
	}
	fmt.Println(squares(arena.NewArena(4096, 0)), squares(nil))
	// Output: [0 1 4 9 16] [0 1 4 9 16]
}

func ExampleArena_MakeSliceUninit() {
	a := arena.NewArena(4096, 0)
	b := a.MakeSliceUninit[byte](5, 5)
	copy(b, "hello") // write every element before reading it
	fmt.Println(string(b))
	// Output: hello
}

func ExampleArena_Append() {
	a := arena.NewArena(4096, 0)
	var squares []int
	for i := range 5 {
		squares = a.Append(squares, i*i)
	}
	fmt.Println(squares)
	// Output: [0 1 4 9 16]
}

func ExampleArena_SliceOf() {
	a := arena.NewArena(4096, 0)
	fmt.Println(a.SliceOf("GET", "200"))
	// Output: [GET 200]
}

func ExampleArena_CloneSlice() {
	a := arena.NewArena(4096, 0)
	line := []byte("GET / HTTP/1.1")
	method := a.CloneSlice(line[:3])
	clear(line)
	fmt.Printf("%s %d\n", method, cap(method))
	// Output: GET 3
}

func ExampleArena_Collect() {
	a := arena.NewArena(4096, 0)
	fmt.Println(a.Collect(strings.SplitSeq("a,b,c", ",")))
	// Output: [a b c]
}

func ExampleArena_Escape() {
	a := arena.NewArena(4096, 0)
	e := a.NewOf(Entry{Path: a.AllocString("/kept")})
	kept := a.Escape(e)
	a.Reset()
	fmt.Println(kept.Path)
	// Output: /kept
}

func ExampleArena_NewMap() {
	a := arena.NewArena(4096, 0)
	counts := a.NewMap[string, int](0)
	for word := range strings.FieldsSeq("a rose is a rose") {
		n, _ := counts.Get(word)
		counts.Set(word, n+1)
	}
	fmt.Println(counts.Get("rose"))
	// Output: 2 true
}

func ExampleArena_AllocatorFor() {
	a := arena.NewArena(64<<10, 0)
	entries := a.AllocatorFor[Entry]()
	var last *Entry
	for range 1000 {
		e := entries.New()
		e.Next, last = last, e
	}
	fmt.Println(last.Next != nil)
	// Output: true
}
