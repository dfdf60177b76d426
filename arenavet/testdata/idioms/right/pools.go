package right

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ebbpool/arena"
)

type Node struct {
	Key         string
	Left, Right *Node
	Tags        []string
}

type Result struct {
	Name  string
	Count int
	Tags  []string
}

var pool = arena.NewAutoPool(0)

// idiom: a worker that resets its own arena for each job

func worker(jobs <-chan string, results chan<- int) {
	a := arena.NewArena(0, 0)
	for job := range jobs {
		n := buildTree(a, strings.Fields(job))
		results <- depth(n)
		a.Reset()
	}
}

func buildTree(a *arena.Arena, words []string) *Node {
	var root *Node
	for _, w := range words {
		at := &root
		for *at != nil {
			if w < (*at).Key {
				at = &(*at).Left
			} else {
				at = &(*at).Right
			}
		}
		*at = arena.NewOf(a, Node{Key: a.AllocString(w)})
	}
	return root
}

func depth(n *Node) int {
	if n == nil {
		return 0
	}
	return 1 + max(depth(n.Left), depth(n.Right))
}

// idiom: a worker with a select, an idle timer and a pool

func workerSelect(ctx context.Context, jobs <-chan []string) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case job := <-jobs:
			if err := handleJob(job); err != nil {
				return err
			}
		case <-time.After(time.Second):
		}
	}
}

func handleJob(words []string) error {
	a := pool.Get()
	defer pool.Put(a)
	if buildTree(a, words) == nil {
		return errors.New("no words")
	}
	return nil
}

// idiom: clone what is stored

type cache struct {
	mu sync.Mutex
	m  map[string]string
}

func (c *cache) fill(lines []string) {
	a := pool.Get()
	defer pool.Put(a)
	for _, l := range lines {
		k, v, ok := strings.Cut(a.ToLower(l), "=")
		if !ok {
			continue
		}
		c.mu.Lock()
		c.m[strings.Clone(k)] = strings.Clone(v)
		c.mu.Unlock()
	}
}

// idiom: escape before it is cached

var trees sync.Map

func cachedTree(text string) *Node {
	if n, ok := trees.Load(text); ok {
		return n.(*Node)
	}
	a := pool.Get()
	defer pool.Put(a)
	n := arena.Escape(a, buildTree(a, strings.Fields(text)))
	trees.Store(text, n)
	return n
}

// idiom: look up with text of an arena, store a copy only if it is missing

var known = map[string]*Result{}

func lookUp(words []string) *Result {
	a := pool.Get()
	defer pool.Put(a)
	key := a.Join(words, "/")
	if r, ok := known[key]; ok {
		r.Count++
		return r
	}
	r := &Result{Name: strings.Clone(key), Count: 1}
	known[r.Name] = r
	return r
}

// idiom: errgroup, each goroutine with its own arena

func parallel(ctx context.Context, texts []string) ([]int, error) {
	g, _ := errgroup.WithContext(ctx)
	depths := make([]int, len(texts))
	for i, text := range texts {
		g.Go(func() error {
			a := pool.Get()
			defer pool.Put(a)
			depths[i] = depth(buildTree(a, strings.Fields(text)))
			return nil
		})
	}
	return depths, g.Wait()
}

// idiom: errgroup with forks, Wait before Put

func forked(texts []string) (int, error) {
	a := pool.Get()
	defer pool.Put(a)
	nodes := arena.MakeSlice[*Node](a, len(texts), len(texts))
	var g errgroup.Group
	for i, text := range texts {
		f := a.Fork()
		g.Go(func() error {
			nodes[i] = buildTree(f, strings.Fields(text))
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return 0, err
	}
	sum := 0
	for _, n := range nodes {
		sum += depth(n)
	}
	return sum, nil
}

// idiom: a WaitGroup, goroutines that only read

func readers(text string) int {
	a := pool.Get()
	defer pool.Put(a)
	words := strings.Fields(a.AllocString(text))
	var wg sync.WaitGroup
	counts := make([]int, 4)
	for i := range counts {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for _, w := range words {
				if len(w)%4 == i {
					counts[i]++
				}
			}
		}()
	}
	wg.Wait()
	return counts[0] + counts[1]
}

// idiom: a goroutine that owns the arena and puts it back

func background(text string, done chan<- int) {
	a := pool.Get()
	n := buildTree(a, strings.Fields(text))
	go func() {
		defer pool.Put(a)
		done <- depth(n)
	}()
}

// idiom: a pipeline that hands the arena on with its memory

type batch struct {
	a     *arena.Arena
	nodes []*Node
}

func produce(out chan<- batch, lines []string) {
	for _, l := range lines {
		a := pool.Get()
		out <- batch{a, arena.SliceOf(a, buildTree(a, strings.Fields(l)))}
	}
	close(out)
}

func consume(in <-chan batch) (n int) {
	for b := range in {
		for _, node := range b.nodes {
			n += depth(node)
		}
		pool.Put(b.a)
	}
	return n
}

// idiom: Do with a result by value

func count(text string) (n int) {
	pool.Do(func(a *arena.Arena) {
		n = depth(buildTree(a, strings.Fields(text)))
	})
	return n
}

// idiom: a named error and a deferred function that puts

func named(text string) (err error) {
	a := pool.Get()
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("bad text")
		}
		pool.Put(a)
	}()
	if buildTree(a, strings.Fields(text)) == nil {
		return errors.New("empty")
	}
	return nil
}

// idiom: a helper that returns the arena and its cleanup

func acquire() (*arena.Arena, func()) {
	a := pool.Get()
	return a, func() { pool.Put(a) }
}

func withCleanup(text string) int {
	a, release := acquire()
	defer release()
	return depth(buildTree(a, strings.Fields(text)))
}

// idiom: an object that owns its arena and has Close

type document struct {
	a    *arena.Arena
	root *Node
}

func open(text string) *document {
	a := pool.Get()
	return &document{a: a, root: buildTree(a, strings.Fields(text))}
}

func (d *document) Close() {
	d.root = nil
	pool.Put(d.a)
	d.a = nil
}

func useDocument(text string) int {
	d := open(text)
	defer d.Close()
	return depth(d.root)
}

// idiom: two arenas, scratch inside result

func scratch(a *arena.Arena, words []string) []string {
	tmp := pool.Get()
	defer pool.Put(tmp)
	sorted := arena.CloneSlice(tmp, words)
	out := arena.MakeSlice[string](a, 0, len(sorted))
	for _, w := range sorted {
		if w != "" {
			out = arena.Append(a, out, a.AllocString(tmp.ToUpper(w)))
		}
	}
	return out
}

// idiom: a mark for scratch memory

func marked(a *arena.Arena, lines []string) int {
	longest := 0
	for _, l := range lines {
		m := a.Mark()
		words := arena.SliceOf(a, strings.Fields(a.ToLower(l))...)
		longest = max(longest, len(words))
		a.Rewind(m)
	}
	return longest
}

// idiom: per-tenant arenas

var tenants = arena.NewKeyedPool[string](0)

func perTenant(tenant, text string) string {
	a := tenants.Get(tenant)
	defer tenants.Put(a)
	n := buildTree(a, strings.Fields(text))
	if n == nil {
		return ""
	}
	return strings.Clone(n.Key)
}

func perTenantDo(tenant, text string) (n int) {
	tenants.Do(tenant, func(a *arena.Arena) { n = depth(buildTree(a, strings.Fields(text))) })
	return n
}

// idiom: a slice that is emptied with its arena

type parser struct {
	a     *arena.Arena
	stack []*Node
	names map[string]*Node
}

func (p *parser) parse(text string) int {
	defer func() {
		clear(p.stack)
		p.stack = p.stack[:0]
		clear(p.names)
		p.a.Reset()
	}()
	for _, w := range strings.Fields(text) {
		n := arena.NewOf(p.a, Node{Key: p.a.AllocString(w)})
		p.stack = append(p.stack, n)
		p.names[n.Key] = n
	}
	return len(p.stack)
}

// idiom: a singleton of results, copied as a whole

func summary(lines []string) []Result {
	a := pool.Get()
	defer pool.Put(a)
	var out []Result
	for _, l := range lines {
		words := arena.SliceOf(a, strings.Fields(a.AllocString(l))...)
		if len(words) == 0 {
			continue
		}
		r := arena.NewOf(a, Result{Name: words[0], Count: len(words), Tags: words[1:]})
		out = append(out, arena.Escape(a, *r))
	}
	return out
}

// idiom: an optional arena

func optional(use bool, text string) int {
	var a *arena.Arena
	if use {
		a = pool.Get()
		defer pool.Put(a)
	}
	return depth(buildTree(a, strings.Fields(text)))
}

// idiom: a retry loop with an arena for each try

func retry(f func(*arena.Arena) error) (err error) {
	for range 3 {
		a := pool.Get()
		err = f(a)
		pool.Put(a)
		if err == nil {
			return nil
		}
	}
	return err
}

func useRetry(text string) error {
	return retry(func(a *arena.Arena) error {
		if buildTree(a, strings.Fields(text)) == nil {
			return errors.New("empty")
		}
		return nil
	})
}
