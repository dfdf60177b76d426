package escape

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/ebbpool/arena"
)

func returnedNewOf() *Entry {
	a := pool.Get()
	defer pool.Put(a)
	return arena.NewOf(a, Entry{N: 1}) // want `return of memory of arena a`
}

func returnedBox(n int) any {
	a := pool.Get()
	defer pool.Put(a)
	return arena.BoxOf(a, n) // want `return of memory of arena a`
}

func returnedFromBox(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return arena.BoxOf(a, a.AllocString(s)).(string) // want `return of memory of arena a`
}

func readBox(a *arena.Arena, n int) int {
	x := arena.BoxOf(a, n)
	a.Reset()
	return x.(int) // want `use of x, memory of arena a`
}

func switchedBox(a *arena.Arena, n int) bool {
	x := arena.BoxOf(a, n)
	a.Reset()
	switch x.(type) {
	case int: // want `use of x, memory of arena a`
		return true
	}
	return false
}

// What is no box, or is read from one, is not the arena's.
func fineBox(e *Entry, s string) (*Entry, any, string) {
	a := pool.Get()
	defer pool.Put(a)
	return arena.BoxOf(a, e).(*Entry), arena.BoxOf(a, true), arena.BoxOf(a, s).(string)
}

func returnedFromNewOf(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	e := arena.NewOf(a, Entry{Path: a.AllocString(s)})
	return e.Path // want `return of memory of arena a`
}

func returnedSliceOf() []int {
	a := pool.Get()
	defer pool.Put(a)
	return arena.SliceOf(a, 1, 2) // want `return of memory of arena a`
}

func returnedItem(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	list := arena.SliceOf(a, a.AllocString(s))
	return list[0] // want `return of .*memory of arena a`
}

func returnedClone(b []byte) []byte {
	a := pool.Get()
	defer pool.Put(a)
	return arena.CloneSlice(a, b) // want `return of memory of arena a`
}

func returnedCollected(list []string) []string {
	a := pool.Get()
	defer pool.Put(a)
	return arena.Collect(a, slices.Values(list)) // want `return of memory of arena a`
}

func returnedBuffer() *arena.Buffer {
	a := pool.Get()
	defer pool.Put(a)
	return arena.NewBuffer(a, 10) // want `return of memory of arena a`
}

func returnedBufferString() string {
	a := pool.Get()
	defer pool.Put(a)
	b := arena.NewBuffer(a, 10)
	b.WriteString("x")
	return b.String() // want `return of b, memory of arena a`
}

func returnedBufferBytes(n int) []byte {
	a := pool.Get()
	defer pool.Put(a)
	b := arena.NewBuffer(a, 10)
	fmt.Fprintf(b, "%d", n)
	return b.Bytes() // want `return of b, memory of arena a`
}

func line(a *arena.Arena, n int) string {
	b := arena.NewBuffer(a, 0)
	b.AppendInt(int64(n), 10)
	return b.String()
}

func returnedByHelper() string {
	a := pool.Get()
	defer pool.Put(a)
	return line(a, 1) // want `return of memory of arena a`
}

func returnedSprintf(n int) string {
	a := pool.Get()
	defer pool.Put(a)
	return a.Sprintf("%d", n) // want `return of memory of arena a`
}

func returnedConcat(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return a.Concat(s, "x") // want `return of memory of arena a`
}

func returnedJoin(list []string) string {
	a := pool.Get()
	defer pool.Put(a)
	return a.Join(list, ",") // want `return of memory of arena a`
}

func returnedLower(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return a.ToLower(s) // want `return of memory of arena a`
}

func returnedUpper(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return a.ToUpper(s) // want `return of memory of arena a`
}

func returnedBody(r io.Reader) ([]byte, error) {
	a := pool.Get()
	defer pool.Put(a)
	body, err := arena.ReadAll(a, r)
	return body, err // want `return of body, memory of arena a`
}

func staleBuffer() int {
	a := arena.NewArena(4096, 0)
	b := arena.NewBuffer(a, 0)
	s := b.String()
	a.Reset()
	b.WriteString("x") // want `b, memory of arena a`
	return len(s)
}

func staleLower(s string) string {
	a, b := arena.NewArena(4096, 0), arena.NewArena(4096, 0)
	low := b.ToLower(a.AllocString(s)) // which may be what it was given
	a.Reset()
	return low // want `return of memory of arena a`
}

func staleOperand(s string) string {
	a, b := arena.NewArena(4096, 0), arena.NewArena(4096, 0)
	t := a.AllocString(s)
	a.Reset()
	return b.Concat(s, t) // want `t, memory of arena a`
}

// Correct code.

func fineCopied(n int) string {
	a := pool.Get()
	defer pool.Put(a)
	b := arena.NewBuffer(a, 10)
	fmt.Fprintf(b, "%d", n)
	json.NewEncoder(b).Encode(n)
	return string(b.Bytes())
}

func fineBodyLength(r io.Reader) (int, error) {
	a := pool.Get()
	defer pool.Put(a)
	body, err := arena.ReadAll(a, r)
	return len(body), err
}

func fineWritten(w io.Writer, n int) error {
	a := pool.Get()
	defer pool.Put(a)
	b := arena.NewBuffer(a, 10)
	b.AppendInt(int64(n), 10)
	_, err := b.WriteTo(w)
	return err
}

func fineHeapBuffer(s string) []byte {
	a := pool.Get()
	defer pool.Put(a)
	var out bytes.Buffer
	out.WriteString(a.Sprintf("%s", s))
	return out.Bytes()
}

func fineOfArgument(a *arena.Arena, s string) *Entry {
	return arena.NewOf(a, Entry{Path: a.Concat(s, "/"), Tags: arena.SliceOf(a, "x")})
}

func fineContext(ctx context.Context) string {
	a := arena.FromContext(ctx)
	return a.Sprintf("%d", 1)
}

func fineInContext(ctx context.Context) {
	pool.Do(func(a *arena.Arena) { fineContext(arena.NewContext(ctx, a)) })
}

func fineNotEmpty(a *arena.Arena, s string) string {
	b := arena.NewArena(4096, 0)
	t := a.Concat(b.AllocString(s), "is not empty")
	b.Reset()
	return t
}
