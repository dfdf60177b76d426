// Package mixed is code as programs have it: several rules meet.
package mixed

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/ebbpool/arena"
)

var pool = arena.NewArenaPool(4096, 0)

type Item struct {
	Name string
	Tags []string
	N    int
	Next *Item
}

func fineHandler(w http.ResponseWriter, r *http.Request) {
	a := pool.Get()
	defer pool.Put(a)
	items := arena.MakeSlice[Item](a, 0, 8)
	for name := range strings.SplitSeq(r.URL.Path, "/") {
		items = arena.Append(a, items, Item{Name: a.AllocString(name)})
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(items); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
}

func fineErrors(text string) (int, error) {
	a := pool.Get()
	defer pool.Put(a)
	it, err := parse(a, text)
	if err != nil {
		return 0, fmt.Errorf("parse: %w", err)
	}
	return it.N, nil
}

func parse(a *arena.Arena, text string) (*Item, error) {
	if text == "" {
		return nil, errors.New("empty")
	}
	it := arena.New[Item](a)
	it.Name = a.AllocString(text)
	it.N = len(text)
	return it, nil
}

// An arena with methods of one's own.
type Ctx struct {
	*arena.Arena
	log []string
}

func (c *Ctx) item(name string) *Item {
	it := arena.New[Item](c.Arena)
	it.Name = c.AllocString(name)
	return it
}

func (c *Ctx) done() {
	pool.Put(c.Arena)
	c.Arena = nil
}

func fineEmbedded() int {
	c := &Ctx{Arena: pool.Get()}
	defer c.done()
	it := c.item("x")
	c.log = append(c.log, strings.Clone(it.Name))
	return it.N
}

func fineGeneric[T any](make func(*arena.Arena) *T, use func(*T)) {
	a := pool.Get()
	defer pool.Put(a)
	use(make(a))
}

func collect[T any](a *arena.Arena, seq iter.Seq[T]) []T {
	var out []T
	for x := range seq {
		out = arena.Append(a, out, x)
	}
	return out
}

func fineSeq(seq iter.Seq[int]) (sum int) {
	a := pool.Get()
	defer pool.Put(a)
	for _, x := range collect(a, seq) {
		sum += x
	}
	return sum
}

func fineInRangeFunc(seq iter.Seq[string]) error {
	for s := range seq {
		a := pool.Get()
		it, err := parse(a, s)
		if err != nil {
			pool.Put(a)
			return err
		}
		it.N++
		pool.Put(a)
	}
	return nil
}

func fineSorted(names []string) string {
	a := pool.Get()
	defer pool.Put(a)
	s := arena.MakeSlice[string](a, len(names), len(names))
	copy(s, names)
	sort.Slice(s, func(i, j int) bool { return s[i] < s[j] })
	return strings.Join(s, ",")
}

func fineTest(t *testing.T) {
	a := pool.Get()
	t.Cleanup(func() { pool.Put(a) })
	it, err := parse(a, "x")
	if err != nil {
		t.Fatal(err)
	}
	t.Log(it.Name)
}

func fineMethodValue(c *Ctx) {
	c.Arena = pool.Get()
	defer c.done()
	put := c.Reset
	c.item("x")
	put()
	c.item("y")
}

func fineScanner(sc *bufio.Scanner, emit func(int)) {
	a := arena.NewArena(4096, 0)
	for sc.Scan() {
		fields := arena.MakeSlice[string](a, 0, 8)
		for f := range strings.FieldsSeq(sc.Text()) {
			fields = arena.Append(a, fields, a.AllocString(f))
		}
		emit(len(fields))
		a.Reset()
	}
	a.Release()
}

// A worker that owns an arena for its whole life.
func fineWorker(jobs <-chan string, results chan<- int) {
	a := arena.NewArena(4096, 0)
	for j := range jobs {
		it, err := parse(a, j)
		if err == nil {
			results <- it.N
		}
		a.Reset()
	}
}

func fineWorkers(n int, jobs <-chan string, results chan<- int) {
	var wg sync.WaitGroup
	for range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			fineWorker(jobs, results)
		}()
	}
	wg.Wait()
}

func fineRecover(text string) (n int, err error) {
	a := pool.Get()
	defer func() {
		pool.Put(a)
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	it, err := parse(a, text)
	if err != nil {
		return 0, err
	}
	return it.N, nil
}

func fineBuffer(text string) string {
	var b bytes.Buffer
	pool.Do(func(a *arena.Arena) {
		it, err := parse(a, text)
		if err == nil {
			b.WriteString(it.Name)
		}
	})
	return b.String()
}

func fineNestedDo(text string) (n int) {
	pool.Do(func(a *arena.Arena) {
		it, _ := parse(a, text)
		pool.Do(func(b *arena.Arena) {
			other, _ := parse(b, it.Name)
			n = other.N
		})
		n += it.N
	})
	return n
}

func fineScratch(a *arena.Arena, n int) int {
	total := 0
	for i := range n {
		func() {
			defer a.Rewind(a.Mark())
			s := arena.MakeSlice[int](a, i, i)
			total += len(s)
		}()
	}
	return total
}

func fineSwap(n int) {
	cur, next := arena.NewArena(4096, 0), arena.NewArena(4096, 0)
	frontier := arena.MakeSlice[int](cur, 1, 1)
	for range n {
		var out []int
		for _, x := range frontier {
			out = arena.Append(next, out, x+1)
		}
		frontier = out
		cur.Reset()
		cur, next = next, cur
	}
	fmt.Println(len(frontier))
}

func fineOnce(once *sync.Once, a *arena.Arena) {
	once.Do(func() { a.AllocString("x") })
	a.AllocString("y")
}

func fineSwitch(kind int) int {
	a := pool.Get()
	switch kind {
	case 1:
		pool.Put(a)
		return 1
	case 2:
		pool.Put(a)
		return 2
	default:
		defer pool.Put(a)
	}
	return len(a.AllocString("x"))
}

func fineGoto(text string) int {
	a := pool.Get()
	n := 0
	it, err := parse(a, text)
	if err != nil {
		goto out
	}
	n = it.N
out:
	pool.Put(a)
	return n
}

func fineArrays(a *arena.Arena) (sum int) {
	var table [4][]int
	for i := range table {
		table[i] = arena.MakeSlice[int](a, i, i)
	}
	for _, row := range table {
		sum += len(row)
	}
	a.Reset()
	return sum
}
