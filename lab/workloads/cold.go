package workloads

// Cold is memory that is made for one epoch and then dropped, as tests, tools and
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
	// Drop ends the epoch and the memory. After it comes Begin.
	Drop()
}

// coldEpochs is how many epochs an operation has: the smallest one alone takes
// little more than looking at the clock.
const coldEpochs = 10

func perColdEpoch(int) float64 { return coldEpochs }

func coldSlice(m Cold, n int, _ *Watch) (sum uint64) {
	for range coldEpochs {
		m.Begin()
		sum += total(m.AppendInts(nil, 0, n))
		m.Drop()
	}
	return sum
}

func coldStruct(m Cold, n int, _ *Watch) (sum uint64) {
	one := simpleTable.of(1)
	for range coldEpochs {
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

// coldRequest builds requests that have n objects together, in one epoch.
func coldRequest(m Cold, n int, _ *Watch) (sum uint64) {
	for range coldEpochs {
		m.Begin()
		for i := range n / requestObjects {
			sum += request(m, i)
		}
		m.Drop()
	}
	return sum
}
