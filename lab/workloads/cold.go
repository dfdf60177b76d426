package workloads

// Cold is memory that is made for one life and then dropped, as tests, tools and
// first requests have it.
type Cold interface {
	Simples
	Ints
	Requests
	// GrowItems appends n values to the slice in x, 0, 1 and so on, one at a
	// time.
	GrowItems(x *Simple, n int)
	// Begin makes new memory, in which nothing was yet.
	Begin()
	// Drop ends the life and the memory. After it comes Begin.
	Drop()
}

// coldLives is how many lives an operation has: the smallest one alone takes
// little more than looking at the clock.
const coldLives = 10

func perColdLife(int) float64 { return coldLives }

func coldSlice(m Cold, n int, _ *Watch) (sum uint64) {
	for range coldLives {
		m.Begin()
		sum += total(m.AppendInts(nil, 0, n))
		m.Drop()
	}
	return sum
}

func coldStruct(m Cold, n int, _ *Watch) (sum uint64) {
	one := simpleTable.of(1)
	for range coldLives {
		m.Begin()
		m.Simples(one)
		x := one[0]
		one[0] = nil
		m.GrowItems(x, n)
		sum += total(x.Items)
		m.Drop()
	}
	return sum
}

func coldIter(m Cold, n int, _ *Watch) (sum uint64) {
	m.Begin()
	for range iterations {
		sum += complexStruct(m, n)
	}
	m.Drop()
	return sum
}

// requestObjects is how many objects a request has.
const requestObjects = 20

// coldRequest builds requests that have n objects together, in one life.
func coldRequest(m Cold, n int, _ *Watch) (sum uint64) {
	for range coldLives {
		m.Begin()
		for i := range n / requestObjects {
			sum += request(m, i)
		}
		m.Drop()
	}
	return sum
}
