package escape

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ebbpool/arena"
)

func fineNumber() int {
	a := pool.Get()
	defer pool.Put(a)
	e := arena.New[Entry](a)
	e.N = 7
	return e.N
}

func fineLength(s string) int {
	a := pool.Get()
	defer pool.Put(a)
	return len(a.AllocString(s))
}

func fineClone(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return strings.Clone(a.AllocString(s))
}

func fineJSON() ([]byte, error) {
	a := pool.Get()
	defer pool.Put(a)
	return json.Marshal(arena.New[Entry](a))
}

func fineSlicesClone() []int {
	a := pool.Get()
	defer pool.Put(a)
	return slices.Clone(arena.MakeSlice[int](a, 3, 3))
}

func fineSprintf(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return fmt.Sprintf("%s!", a.AllocString(s))
}

func fineConversion() string {
	a := pool.Get()
	defer pool.Put(a)
	return string(a.AllocBytes(10))
}

func fineAppendCopy() []byte {
	a := pool.Get()
	defer pool.Put(a)
	return append([]byte(nil), a.AllocBytes(10)...)
}

func fineCopy() []byte {
	a := pool.Get()
	defer pool.Put(a)
	b := a.AllocBytes(10)
	out := make([]byte, len(b))
	copy(out, b)
	return out
}

func fineConcat(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return a.AllocString(s) + "!"
}

// What the caller brought does not come from the arena.
func fineHeapString(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	e := arena.New[Entry](a)
	e.Path = s
	e.Tags = arena.Append(a, e.Tags, a.AllocString("x"))
	return e.Path
}

func fineValueCopy() struct{ N, M int } {
	a := pool.Get()
	defer pool.Put(a)
	p := arena.New[struct{ N, M int }](a)
	p.N = 1
	return *p
}

// The caller owns the arena.
func fineCallersArena(a *arena.Arena, s string) *Entry {
	e := arena.New[Entry](a)
	e.Path = a.AllocString(s)
	return e
}

func fineNil() *Entry {
	return arena.New[Entry](nil)
}

// The last cycle ends where the next begins.
var scratch = arena.NewArena(4096, 0)

func fineResetFirst(s string) string {
	scratch.Reset()
	return scratch.AllocString(s)
}

func fineCleared(s *server) {
	a := pool.Get()
	defer pool.Put(a)
	s.last = arena.New[Entry](a)
	show(s.last)
	s.last = nil
}

func fineWaited() {
	a := pool.Get()
	defer pool.Put(a)
	e := arena.New[Entry](a)
	var wg sync.WaitGroup
	wg.Go(func() { show(e) })
	wg.Wait()
}

func fineReplied(work chan<- *Entry, done <-chan bool) {
	a := pool.Get()
	defer pool.Put(a)
	work <- arena.New[Entry](a)
	<-done
}

func fineDo(s string) (n int) {
	pool.Do(func(a *arena.Arena) {
		n = len(a.AllocString(s))
	})
	return n
}

func fineDoClone(s string) (out string) {
	pool.Do(func(a *arena.Arena) {
		out = strings.Clone(a.AllocString(s))
	})
	return out
}

// A parser that owns both the arena and what it made of it.
type parser struct {
	a     *arena.Arena
	words []string
}

func (p *parser) run(text string) int {
	p.words = arena.MakeSlice[string](p.a, 0, 8)
	for _, w := range strings.Fields(text) {
		p.words = arena.Append(p.a, p.words, p.a.AllocString(w))
	}
	n := len(p.words)
	p.a.Reset()
	return n
}

// The arena goes with the memory.
type request struct {
	a *arena.Arena
	e *Entry
}

func fineTogether() *request {
	a := pool.Get()
	return &request{a: a, e: arena.New[Entry](a)}
}

func fineMapOfNumbers(words []string) map[string]int {
	a := pool.Get()
	defer pool.Put(a)
	count := map[string]int{}
	for _, w := range words {
		count[strings.Clone(a.AllocString(w))]++
	}
	return maps.Clone(count)
}

func fineParsed(s string) (int, error) {
	a := pool.Get()
	defer pool.Put(a)
	return strconv.Atoi(a.AllocString(s))
}

// A helper that stores what it is given is not at fault: its caller is.
func fineKeepName(dst *Entry, name string) { dst.Path = name }

// Each element is replaced by a copy.
func fineClonedInPlace(line string) []string {
	a := pool.Get()
	defer pool.Put(a)
	words := strings.Fields(a.AllocString(line))
	for i := range words {
		words[i] = strings.Clone(words[i])
	}
	return words
}

func cloneAll(words []string) {
	for i, w := range words {
		words[i] = strings.Clone(w)
	}
}

func fineClonedByHelper(line string) []string {
	a := pool.Get()
	defer pool.Put(a)
	words := strings.Fields(a.AllocString(line))
	cloneAll(words)
	return words
}
