package arena_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ebbpool/arena"
)

var pool = arena.NewArenaPool(64<<10, 0) // chunks of 64 KB, retains at most 640 KB

type Entry struct {
	Path string
	Tags []string
	Next *Entry
}

func handle(path string) int {
	a := pool.Get()
	defer pool.Put(a) // frees everything allocated below

	e := arena.New[Entry](a)
	e.Path = a.AllocString(path)
	e.Tags = arena.Append(a, e.Tags, "GET", "200")
	e.Next = arena.New[Entry](a)
	return len(e.Path) + len(e.Tags)
}

// A request allocates its objects from an arena and frees all of them at once.
func Example() {
	fmt.Println(handle("/index.html"))
	// Output: 13
}

func parse(a *arena.Arena, fields []string) []string {
	out := arena.MakeSlice[string](a, 0, len(fields))
	for _, f := range fields {
		out = arena.Append(a, out, a.AllocString(f))
	}
	return out
}

// With a nil arena the same code uses the heap.
func ExampleMakeSlice() {
	fields := strings.Fields("a b c")
	fmt.Println(parse(arena.NewArena(4096, 0), fields), parse(nil, fields))
	// Output: [a b c] [a b c]
}

func ExampleNew() {
	a := arena.NewArena(4096, 0)
	e := arena.New[Entry](a)
	e.Path = strings.Repeat("heap", 2) // the collector sees it
	fmt.Println(e.Path, a.Stats().UsedBytes > 0)
	a.Reset()
	fmt.Println(a.Stats().UsedBytes)
	// Output:
	// heapheap true
	// 0
}

func ExampleMakeSliceUninit() {
	a := arena.NewArena(4096, 0)
	b := arena.MakeSliceUninit[byte](a, 5, 5)
	copy(b, "hello") // write every element before reading it
	fmt.Println(string(b))
	// Output: hello
}

func ExampleAppend() {
	a := arena.NewArena(4096, 0)
	var squares []int
	for i := range 5 {
		squares = arena.Append(a, squares, i*i)
	}
	fmt.Println(squares)
	// Output: [0 1 4 9 16]
}

func ExampleArena_AllocString() {
	a := arena.NewArena(4096, 0)
	line := []byte("GET /")
	method := a.AllocBytesToString(line[:3])
	path := a.AllocString("/")
	copy(line, "xxxxx") // the copies stay
	fmt.Println(method, path)
	// Output: GET /
}

func ExampleNewOf() {
	a := arena.NewArena(4096, 0)
	e := arena.NewOf(a, Entry{Path: "/", Next: arena.NewOf(a, Entry{Path: "/next"})})
	e.Tags = arena.SliceOf(a, "GET", "200")
	fmt.Println(e.Path, e.Next.Path, e.Tags)
	// Output: / /next [GET 200]
}

func ExampleBoxOf() {
	a := arena.NewArena(4096, 0)
	stack := arena.MakeSlice[any](a, 0, 8) // the stack of an interpreter
	stack = arena.Append(a, stack, arena.BoxOf(a, 1.5), arena.BoxOf(a, "and"), arena.BoxOf(a, 2000))
	fmt.Println(stack...)
	// Output: 1.5 and 2000
}

func ExampleCloneSlice() {
	a := arena.NewArena(4096, 0)
	line := []byte("GET / HTTP/1.1")
	method := arena.CloneSlice(a, line[:3])
	clear(line)
	fmt.Printf("%s %d\n", method, cap(method))
	// Output: GET 3
}

func ExampleCollect() {
	a := arena.NewArena(4096, 0)
	fmt.Println(arena.Collect(a, strings.SplitSeq("a,b,c", ",")))
	// Output: [a b c]
}

func ExampleBuffer() {
	a := arena.NewArena(4096, 0)
	b := arena.NewBuffer(a, 64)
	b.WriteString("requests_total{code=")
	b.AppendQuote("200")
	fmt.Fprintf(b, "} %d", 17)
	line := b.String() // not copied
	b.Reset()          // allocates again, because line shares its memory
	b.WriteString("next")
	fmt.Println(line)
	fmt.Println(b)
	// Output:
	// requests_total{code="200"} 17
	// next
}

func ExampleArena_Sprintf() {
	a := arena.NewArena(4096, 0)
	fmt.Println(a.Sprintf("%s %d", "/index.html", 200))
	fmt.Println(a.Concat("Hello", ", ", "world"))
	fmt.Println(a.Join([]string{"a", "b"}, "/"), a.ToUpper("größe"))
	// Output:
	// /index.html 200
	// Hello, world
	// a/b GRÖßE
}

func ExampleReadAll() {
	a := arena.NewArena(4096, 0)
	body, err := arena.ReadAll(a, strings.NewReader("a request's body"))
	fmt.Printf("%s %v\n", body, err)
	// Output: a request's body <nil>
}

func ExampleFromContext() {
	a := arena.NewArena(4096, 0)
	ctx := arena.NewContext(context.Background(), a)
	deep := func(ctx context.Context) string {
		return arena.FromContext(ctx).AllocString("found") // nil, and so the heap, if there is no arena
	}
	fmt.Println(deep(ctx), deep(context.Background()))
	// Output: found found
}

func ExampleArena_Rewind() {
	a := arena.NewArena(4096, 0)
	a.AllocString("stays")
	m := a.Mark()
	scratch := arena.MakeSliceUninit[byte](a, 4096, 4096)
	copy(scratch, "written before it is read")
	a.Rewind(m) // frees memory allocated since m
	fmt.Println(a.Stats().UsedBytes)
	// Output: 5
}

func ExampleAllocatorFor() {
	a := arena.NewArena(64<<10, 0)
	entries := arena.AllocatorFor[Entry](a)
	var list *Entry
	for range 5 {
		e := entries.New() // inlined: a compare and a bump
		e.Next = list
		list = e
	}
	fmt.Println(a.Stats().Types)
	a.Reset()
	fmt.Println(entries.New().Next == nil)
	// Output:
	// 1
	// true
}

func ExampleArenaPool_Do() {
	auto := arena.NewAutoPool(0)
	auto.Do(func(a *arena.Arena) {
		fmt.Println(a.AllocString("request"))
	})
	// Output: request
}

func ExampleArenaPool_Stats() {
	p := arena.NewArenaPool(4096, 0)
	a := p.Get()
	fmt.Println(p.Stats().Gets, p.Stats().Puts)
	p.Put(a)
	fmt.Println(p.Stats().Gets, p.Stats().Puts)
	// Output:
	// 1 0
	// 1 1
}

func ExampleMap() {
	pool := arena.NewArenaPool(4<<10, 0)
	a := pool.Get()
	defer pool.Put(a) // also frees the map

	hits := arena.NewMap[string, int](a, 0)
	for _, path := range []string{"/", "/about", "/", "/"} {
		if p := hits.Ptr(path); p != nil {
			*p++
		} else {
			hits.Set(a.AllocString(path), 1)
		}
	}
	n, ok := hits.Get("/")
	fmt.Println(n, ok, hits.Len())
	for _, path := range slices.Sorted(hits.Keys()) {
		fmt.Println(path)
	}
	// Output:
	// 3 true 2
	// /
	// /about
}

func ExampleEscape() {
	type Node struct {
		Name   string
		Parent *Node
		Kids   []*Node
	}
	pool := arena.NewArenaPool(4<<10, 0)
	a := pool.Get()
	root := arena.NewOf(a, Node{Name: a.AllocString("root")})
	root.Kids = arena.SliceOf(a, arena.NewOf(a, Node{Name: a.AllocString("kid"), Parent: root}))

	kept := arena.Escape(a, root) // only the tree is copied
	pool.Put(a)
	fmt.Println(kept.Name, kept.Kids[0].Name, kept.Kids[0].Parent == kept)
	// Output: root kid true
}

func ExampleArena_Fork() {
	pool := arena.NewArenaPool(4<<10, 0)
	a := pool.Get()
	defer pool.Put(a) // also ends the forks

	var words [2][]string
	var workers sync.WaitGroup
	for i, text := range []string{"one two", "three"} {
		fork := a.Fork() // called by the goroutine that owns a
		workers.Go(func() {
			for word := range strings.FieldsSeq(text) {
				words[i] = arena.Append(fork, words[i], fork.ToUpper(word))
			}
		})
	}
	workers.Wait() // before Put
	fmt.Println(words)
	// Output:
	// [[ONE TWO] [THREE]]
}

// In tests built with the tag arenacheck, a fault in arena memory reports which arena it was, and where the
// arena was emptied.
func ExampleExplainFaults() {
	serve := func(path string) int {
		defer arena.ExplainFaults()
		return handle(path)
	}
	fmt.Println(serve("/"))
	// Output: 3
}

func ExampleArena_Mark() {
	a := arena.NewArena(4096, 0)
	outer := a.Mark()
	a.AllocString("kept by the inner one")
	inner := a.Mark()
	a.AllocString("scratch")
	a.Rewind(inner) // inner marks first: rewinding to outer makes them stale
	fmt.Println(a.Stats().UsedBytes)
	a.Rewind(outer)
	fmt.Println(a.Stats().UsedBytes)
	// Output:
	// 21
	// 0
}

func ExampleSliceOf() {
	a := arena.NewArena(4096, 0)
	fmt.Println(arena.SliceOf(a, "GET", "HEAD"), arena.SliceOf[int](a) == nil)
	// Output: [GET HEAD] false
}

func ExampleNewContext() {
	pool.Do(func(a *arena.Arena) {
		ctx := arena.NewContext(context.Background(), a) // once, at the beginning of the request
		fmt.Println(arena.FromContext(ctx) == a)
	})
	// Output: true
}

func ExampleBuffer_AppendInt() {
	a := arena.NewArena(4096, 0)
	b := arena.NewBuffer(a, 64)
	b.AppendInt(-7, 10) // does not box, unlike Fprintf
	b.WriteByte(' ')
	b.AppendFloat(0.5, 'g', -1, 64)
	b.WriteRune('€')
	fmt.Println(b, b.Len())
	// Output: -7 0.5€ 9
}
