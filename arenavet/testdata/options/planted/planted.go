// Package planted has a mistake in each function whose name begins with an m and a number.
package planted

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unique"
	"weak"

	"example.com/options/lib"
	"github.com/ebbpool/arena"
)

var pool = arena.NewAutoPool(0)

var (
	lastDoc  *lib.Node
	lastText string
	byName   = map[string]*lib.Node{}
	cache    sync.Map
	current  atomic.Pointer[lib.Node]
	spare    sync.Pool
	queue    = list.New()
)

type holder struct {
	doc  *lib.Node
	text string
}

func parse(a *arena.Arena, r io.Reader) (*lib.Node, error) {
	return lib.ParseIn(a, read(r), options...)
}

func text(d *lib.Node) string { return d.Next.Text }

func child(d *lib.Node) *lib.Node { return d.Next }

// kept: what leaves

func m01return(r io.Reader) (*lib.Node, error) {
	a := pool.Get()
	defer pool.Put(a)
	d, err := lib.ParseIn(a, read(r), options...)
	if err != nil {
		return nil, err
	}
	return d, nil
}

func m02returnText(r io.Reader) string {
	a := pool.Get()
	defer pool.Put(a)
	d, err := lib.ParseIn(a, read(r), options...)
	if err != nil {
		return ""
	}
	return d.Next.Text
}

func m03returnChildByHelpers(r io.Reader) *lib.Node {
	a := pool.Get()
	defer pool.Put(a)
	d, err := parse(a, r)
	if err != nil {
		return nil
	}
	return child(d)
}

func m04global(r io.Reader) {
	a := pool.Get()
	defer pool.Put(a)
	d, err := lib.ParseIn(a, read(r), options...)
	if err == nil {
		lastDoc = d
	}
}

func m05globalText(r io.Reader) {
	a := pool.Get()
	defer pool.Put(a)
	d, err := parse(a, r)
	if err == nil {
		lastText = text(d)
	}
}

func m06field(h *holder, r io.Reader) error {
	a := pool.Get()
	defer pool.Put(a)
	d, err := lib.ParseIn(a, read(r), options...)
	if err != nil {
		return err
	}
	h.text = d.Next.Text
	return nil
}

func m07map(r io.Reader) {
	pool.Do(func(a *arena.Arena) {
		d, err := lib.ParseIn(a, read(r), options...)
		if err != nil {
			return
		}
		byName["last"] = d.Next
	})
}

func m08mapKey(seen map[string]bool, r io.Reader) {
	a := pool.Get()
	defer pool.Put(a)
	if d, err := lib.ParseIn(a, read(r), options...); err == nil {
		seen[d.Next.Text] = true
	}
}

func m09channel(c chan *lib.Node, r io.Reader) error {
	a := pool.Get()
	defer pool.Put(a)
	d, err := lib.ParseIn(a, read(r), options...)
	if err != nil {
		return err
	}
	c <- d
	return nil
}

func m10goroutine(r io.Reader) error {
	a := pool.Get()
	defer pool.Put(a)
	d, err := lib.ParseIn(a, read(r), options...)
	if err != nil {
		return err
	}
	go func() { fmt.Println(d.Next.Text) }()
	return nil
}

func m11goroutineHelper(r io.Reader) {
	a := pool.Get()
	defer pool.Put(a)
	d, err := parse(a, r)
	if err != nil {
		return
	}
	go lateUse(child(d))
}

func lateUse(*lib.Node) {}

func m12header(w http.ResponseWriter, r io.Reader) {
	a := pool.Get()
	defer pool.Put(a)
	d, err := lib.ParseIn(a, read(r), options...)
	if err != nil {
		return
	}
	w.Header().Set("X-First", d.Next.Text)
}

type key struct{}

func m13context(ctx context.Context, r io.Reader) context.Context {
	a := pool.Get()
	defer pool.Put(a)
	d, err := lib.ParseIn(a, read(r), options...)
	if err != nil {
		return ctx
	}
	return context.WithValue(ctx, key{}, d.Next)
}

func m14syncMap(r io.Reader) {
	a := pool.Get()
	defer pool.Put(a)
	d, err := lib.ParseIn(a, read(r), options...)
	if err != nil {
		return
	}
	cache.Store("last", d)
}

func m15atomic(r io.Reader) {
	a := pool.Get()
	defer pool.Put(a)
	d, err := parse(a, r)
	if err != nil {
		return
	}
	current.Store(d)
}

func m16syncPool(r io.Reader) {
	a := pool.Get()
	defer pool.Put(a)
	d, err := lib.ParseIn(a, read(r), options...)
	if err != nil {
		return
	}
	spare.Put(d)
}

func m17list(r io.Reader) {
	a := pool.Get()
	defer pool.Put(a)
	d, err := lib.ParseIn(a, read(r), options...)
	if err != nil {
		return
	}
	queue.PushBack(d.Next)
}

func m18error(r io.Reader) error {
	a := pool.Get()
	defer pool.Put(a)
	d, err := lib.ParseIn(a, read(r), options...)
	if err != nil {
		return err
	}
	return errors.New(d.Next.Text)
}

func m19closure(r io.Reader) func() string {
	a := pool.Get()
	defer pool.Put(a)
	d, err := lib.ParseIn(a, read(r), options...)
	if err != nil {
		return nil
	}
	return func() string { return d.Next.Text }
}

func m20doResult(r io.Reader) (out string) {
	pool.Do(func(a *arena.Arena) {
		if d, err := lib.ParseIn(a, read(r), options...); err == nil {
			out = d.Next.Text
		}
	})
	return out
}

func m21struct(r io.Reader) holder {
	a := pool.Get()
	defer pool.Put(a)
	d, err := parse(a, r)
	if err != nil {
		return holder{}
	}
	return holder{text: strings.TrimSpace(d.Next.Text)}
}

// stale: what is used too late

func m22reset(a *arena.Arena, r io.Reader) string {
	d, err := lib.ParseIn(a, read(r), options...)
	if err != nil {
		return ""
	}
	a.Reset()
	return strings.Clone(d.Next.Text)
}

func m23rewind(a *arena.Arena, r io.Reader) int {
	m := a.Mark()
	d, err := lib.ParseIn(a, read(r), options...)
	if err != nil {
		return 0
	}
	a.Rewind(m)
	return len(text(d))
}

func m24put(r io.Reader) int {
	a := pool.Get()
	d, err := lib.ParseIn(a, read(r), options...)
	pool.Put(a)
	if err != nil {
		return 0
	}
	return len(strings.Clone(text(d)))
}

func m25release(r io.Reader) string {
	a := arena.NewArena(4096, 0)
	d, err := parse(a, r)
	if err != nil {
		return ""
	}
	a.Release()
	return fmt.Sprint(d.Next.Text)
}

func m26loop(readers []io.Reader) int {
	a := pool.Get()
	defer pool.Put(a)
	var prev *lib.Node
	n := 0
	for _, r := range readers {
		a.Reset()
		if prev != nil {
			d := prev
			n += len(strings.Clone(d.Next.Text))
		}
		d, err := lib.ParseIn(a, read(r), options...)
		if err != nil {
			return n
		}
		prev = d
	}
	return n
}

// put, goroutine, mark, collector

func m27lost(r io.Reader) (int, error) {
	a := pool.Get()
	d, err := lib.ParseIn(a, read(r), options...)
	if err != nil {
		return 0, err
	}
	n := len(d.Next.Text)
	pool.Put(a)
	return n, nil
}

func m28twice(r io.Reader) {
	a := pool.Get()
	defer pool.Put(a)
	if _, err := lib.ParseIn(a, read(r), options...); err != nil {
		pool.Put(a)
	}
}

func m29shared(rs []io.Reader) {
	a := pool.Get()
	var wg sync.WaitGroup
	for _, r := range rs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_, _ = lib.ParseIn(a, read(r), options...)
		}()
	}
	wg.Wait()
	pool.Put(a)
}

func m30mark(a *arena.Arena, r io.Reader) {
	outer := a.Mark()
	_, _ = parse(a, r)
	inner := a.Mark()
	_, _ = lib.ParseIn(a, read(r), options...)
	a.Rewind(outer)
	a.Rewind(inner)
}

func m31finalizer(r io.Reader) weak.Pointer[lib.Node] {
	a := pool.Get()
	defer pool.Put(a)
	d, err := lib.ParseIn(a, read(r), options...)
	if err != nil {
		return weak.Pointer[lib.Node]{}
	}
	runtime.SetFinalizer(d, func(*lib.Node) {})
	return weak.Make(d)
}

func m32unique(r io.Reader) unique.Handle[any] {
	a := pool.Get()
	defer pool.Put(a)
	d, err := lib.ParseIn(a, read(r), options...)
	if err != nil {
		return unique.Make[any](nil)
	}
	return unique.Make[any](d.Next.Text)
}

var options []lib.Option

func read(r io.Reader) string {
	b, _ := io.ReadAll(r)
	return string(b)
}
