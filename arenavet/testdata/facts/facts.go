package facts

import (
	"sync"

	"example.com/helpers"
	"github.com/ebbpool/arena"
)

var pool = arena.NewArenaPool(4096, 0)

func parsed(s string) *helpers.Entry {
	a := pool.Get()
	defer pool.Put(a)
	return helpers.Parse(a, s) // want `return of memory of arena a`
}

func parsedField(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	e := helpers.Parse(a, s)
	return e.Path // want `return of e, memory of arena a`
}

func word(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return helpers.FirstWord(a.AllocString(s)) // want `return of memory of arena a`
}

func kept(s string) {
	a := pool.Get()
	defer pool.Put(a)
	helpers.Keep(helpers.Parse(a, s)) // want `is stored where it outlives the function`
}

func emptied(a *arena.Arena, s string) string {
	e := helpers.Parse(a, s)
	helpers.Empty(a)
	return e.Path // want `use of e, memory of arena a, which Empty on line 39 has taken back`
}

func begun(s string) int {
	a := helpers.Begin() // want `Get without Put: arena a`
	return len(a.AllocString(s))
}

func ended(s string) string {
	a := helpers.Begin()
	e := helpers.Parse(a, s)
	helpers.End(a)
	return e.Path // want `use of e, memory of arena a, which End`
}

func sent(ch chan *helpers.Entry) {
	a := pool.Get()
	defer pool.Put(a)
	helpers.Send(ch, helpers.Parse(a, "x")) // want `memory of arena a is kept by the call`
}

func identity(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return helpers.Identity(a.AllocString(s)) // want `return of memory of arena a`
}

func background(wg *sync.WaitGroup) {
	a := pool.Get()
	defer pool.Put(a)
	helpers.Background(wg, a) // want `arena a is used by this goroutine`
}

func started(words []string) {
	a := pool.Get()
	defer pool.Put(a)
	var wg sync.WaitGroup
	for range words {
		helpers.Start(&wg, func() { a.AllocString("x") }) // want `arena a is used by this goroutine, and another goroutine may use it at the same time`
	}
	wg.Wait()
}

func request(s string) string {
	r := helpers.Open()
	defer r.Close()
	r.SetName(s)
	return r.Title() // want `return of memory of`
}

func fineCloned(s string) *helpers.Entry {
	a := pool.Get()
	defer pool.Put(a)
	return helpers.Clone(helpers.Parse(a, s))
}

func fineParseHeap(s string) *helpers.Entry {
	a := pool.Get()
	defer pool.Put(a)
	return helpers.ParseHeap(a, s)
}

func fineWord(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	a.AllocString(s)
	return helpers.FirstWord(s)
}

func fineRequest(s string) int {
	r := helpers.Open()
	defer r.Close()
	r.SetName(s)
	return len(r.Title())
}

func fineEnded() {
	a := helpers.Begin()
	defer helpers.End(a)
	a.AllocString("x")
}

func fineBackground() {
	a := pool.Get()
	defer pool.Put(a)
	var wg sync.WaitGroup
	helpers.Background(&wg, a)
	wg.Wait()
}

func fineStart() {
	a := pool.Get()
	defer pool.Put(a)
	var wg sync.WaitGroup
	helpers.Start(&wg, func() { a.AllocString("x") })
	wg.Wait()
}

func fineNextCycle(a *arena.Arena, s string) string {
	helpers.Empty(a)
	return helpers.Parse(a, s).Path
}
